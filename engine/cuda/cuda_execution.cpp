#include "engine/cuda/cuda_execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/units.h"

namespace sweep {
namespace {

/// What `culprit` ("the kernel") did wrong, in words; for other errors the driver's own.
std::string explain(const CudaError& error, const std::string& culprit) {
  switch (error.result()) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return fmt::format("illegal address: {} accessed memory outside the buffers", culprit);
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return fmt::format("misaligned address: {} made an access not aligned to its size", culprit);
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
      return fmt::format("illegal instruction in {}", culprit);
    case CUDA_ERROR_ASSERT:
      return fmt::format("an assert() in {} failed", culprit);
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return fmt::format("{} ran longer than the driver allows", culprit);
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return "too many resources: the block's threads need more registers than a multiprocessor "
             "has";
    case CUDA_ERROR_LAUNCH_FAILED:
      return fmt::format("{} stopped with a fault or a trap ({})", culprit, error.what());
    default:
      return error.what();
  }
}

/// Runs `work`; driver errors become failures of this configuration.
template <class Work>
auto guarded(CudaContext& context, const std::string& culprit, Work work) {
  try {
    return work();
  } catch (const CudaError& error) {
    context.poisoned = context.poisoned || !context.responds();
    throw ExecutionFailure(explain(error, culprit));
  }
}

}  // namespace

CudaExecution::CudaExecution(CudaContext& context, const Workload& workload)
    : context_(context), workload_(workload) {
  guarded(context_, "the kernel", [&] { prepare(); });
}

void CudaExecution::prepare() {
  check_limits();
  module_ = &context_.module_of(workload_.program);
  kernel_ = find_function(*module_, workload_.kernel_entry.c_str());
  check_kernel_limits();
  const Driver& driver = Driver::get();
  if (workload_.shared_bytes > 0) {
    driver.check(
        driver.function_set_attribute(kernel_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                      static_cast<int>(workload_.shared_bytes)),
        "cuFuncSetAttribute");
  }
  std::vector<std::uint64_t> sizes;
  for (const BufferPlan& buffer : workload_.buffers) sizes.push_back(buffer.bytes);
  addresses_ = context_.buffers.acquire(sizes);
}

void CudaExecution::check_limits() const {
  const auto require = [](std::uint64_t value, std::uint64_t most, std::string_view what) {
    if (value > most) {
      throw ExecutionFailure(
          fmt::format("bad launch: {} is {}, the device takes at most {}", what, value, most));
    }
  };
  const Extent3& block = workload_.block;
  const Extent3& grid = workload_.grid;
  require(block.count(), device_limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
          "the block's size");
  require(block.x, device_limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), "the block's x extent");
  require(block.y, device_limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y), "the block's y extent");
  require(block.z, device_limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z), "the block's z extent");
  require(grid.x, device_limit(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), "the grid's x extent");
  require(grid.y, device_limit(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y), "the grid's y extent");
  require(grid.z, device_limit(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z), "the grid's z extent");
  require(workload_.shared_bytes,
          device_limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
          "dynamic shared memory in bytes");
}

/// What the kernel itself allows: __launch_bounds__, registers, and its static shared memory.
void CudaExecution::check_kernel_limits() const {
  const Driver& driver = Driver::get();
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    driver.check(driver.function_attribute(&value, which, kernel_), "cuFuncGetAttribute");
    return static_cast<std::uint64_t>(value);
  };
  const std::uint64_t most_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (workload_.block.count() > most_threads) {
    throw ExecutionFailure(
        fmt::format("bad launch: the block has {} threads, but the kernel's "
                    "registers or __launch_bounds__ allow {}",
                    workload_.block.count(), most_threads));
  }
  const std::uint64_t fixed = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  const std::uint64_t most_shared =
      device_limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (fixed + workload_.shared_bytes > most_shared) {
    throw ExecutionFailure(
        fmt::format("bad launch: the kernel's own {} bytes of shared memory and "
                    "{} dynamic ones are more than the device's {}",
                    fixed, workload_.shared_bytes, most_shared));
  }
}

std::uint64_t CudaExecution::device_limit(CUdevice_attribute attribute) const {
  const Driver& driver = Driver::get();
  CUdevice device = 0;
  driver.check(driver.device(&device, context_.device.index), "cuDeviceGet");
  int value = 0;
  driver.check(driver.device_attribute(&value, attribute, device), "cuDeviceGetAttribute");
  return static_cast<std::uint64_t>(value);
}

void CudaExecution::synchronize() {
  Driver::get().check(Driver::get().stream_synchronize(context_.stream.get()),
                      "cuStreamSynchronize");
}

/// Launches a generated function, which takes the buffers first, with a thread for each element
/// as far as the grid goes.
void CudaExecution::queue_over_elements(CUfunction function, std::uint64_t elements,
                                        const std::vector<void*>& more_arguments) {
  constexpr std::uint64_t threads = 256;
  constexpr std::uint64_t most_blocks = 1U << 16U;
  const std::uint64_t blocks =
      std::clamp<std::uint64_t>((elements + threads - 1) / threads, 1, most_blocks);
  std::vector<void*> arguments;
  for (CUdeviceptr& address : addresses_) arguments.push_back(&address);
  arguments.insert(arguments.end(), more_arguments.begin(), more_arguments.end());
  Driver::get().check(Driver::get().launch(function, static_cast<unsigned>(blocks), 1, 1,
                                           static_cast<unsigned>(threads), 1, 1, 0,
                                           context_.stream.get(), arguments.data(), nullptr),
                      "cuLaunchKernel");
}

void CudaExecution::initialise() {
  for (std::size_t i = 0; i < workload_.buffers.size(); ++i) {
    guarded(context_, fmt::format("the init of '{}'", workload_.buffers[i].name),
            [&] { initialise_buffer(i); });
  }
}

void CudaExecution::initialise_buffer(std::size_t index) {
  constexpr unsigned char poison = 0xff;
  const BufferPlan& buffer = workload_.buffers[index];
  if (buffer.init_entry.empty()) {
    Driver::get().check(
        Driver::get().memory_set(addresses_[index], poison, buffer.bytes, context_.stream.get()),
        "cuMemsetD8Async");
  } else {
    std::uint64_t length = buffer.length;
    queue_over_elements(find_function(*module_, buffer.init_entry.c_str()), length, {&length});
  }
  synchronize();
}

void CudaExecution::queue_kernel() {
  std::vector<void*> arguments;
  for (CUdeviceptr& address : addresses_) arguments.push_back(&address);
  for (std::vector<std::byte>& scalar : workload_.scalars) arguments.push_back(scalar.data());
  const Extent3& grid = workload_.grid;
  const Extent3& block = workload_.block;
  Driver::get().check(Driver::get().launch(kernel_, grid.x, grid.y, grid.z, block.x, block.y,
                                           block.z, static_cast<unsigned>(workload_.shared_bytes),
                                           context_.stream.get(), arguments.data(), nullptr),
                      "cuLaunchKernel");
}

void CudaExecution::launch() {
  guarded(context_, "the kernel", [&] {
    queue_kernel();
    synchronize();
  });
}

CheckResult CudaExecution::run_check(CUfunction function, std::uint64_t first, std::uint64_t last) {
  const Driver& driver = Driver::get();
  CheckResult result;
  CUdeviceptr place = context_.check_result.get();
  driver.check(driver.copy_to_device(place, &result, sizeof result, context_.stream.get()),
               "cuMemcpyHtoDAsync");
  queue_over_elements(function, last - first, {&first, &last, &place});
  driver.check(driver.copy_to_host(&result, place, sizeof result, context_.stream.get()),
               "cuMemcpyDtoHAsync");
  synchronize();
  return result;
}

std::optional<std::string> CudaExecution::verify_one(const VerificationPlan& plan) {
  const CUfunction check = find_function(*module_, plan.check_entry.c_str());
  CheckResult result = run_check(check, 0, plan.length);
  if (result.count == 0) return std::nullopt;
  const CheckResult shown = run_check(check, result.first, result.first + 1);
  result.actual = shown.actual;
  result.expected = shown.expected;
  return describe_mismatch(plan, result);
}

std::optional<std::string> CudaExecution::verify() {
  for (const VerificationPlan& plan : workload_.verify) {
    auto mismatch = guarded(context_, fmt::format("the check of '{}'", plan.buffer),
                            [&] { return verify_one(plan); });
    if (mismatch) return mismatch;
  }
  return std::nullopt;
}

double CudaExecution::sample_once(CacheState cache) {
  const Driver& driver = Driver::get();
  const CUstream stream = context_.stream.get();
  // The flush also keeps the device busy while the launches below are on their way to it, so
  // that the events enclose nothing but the kernel; a warm sample has it for that alone.
  context_.flush.run(stream);
  if (cache == CacheState::warm) queue_kernel();
  driver.check(driver.event_record(context_.begin.get(), stream), "cuEventRecord");
  queue_kernel();
  driver.check(driver.event_record(context_.end.get(), stream), "cuEventRecord");
  driver.check(driver.event_synchronize(context_.end.get()), "cuEventSynchronize");
  float milliseconds = 0;
  driver.check(driver.event_elapsed(&milliseconds, context_.begin.get(), context_.end.get()),
               "cuEventElapsedTime");
  return static_cast<double>(milliseconds) / 1e3;
}

std::vector<Sample> CudaExecution::sample(CacheState cache, int count) {
  return guarded(context_, "the kernel", [&] {
    std::vector<Sample> samples;
    for (int i = 0; i < count; ++i) samples.push_back({.seconds = sample_once(cache)});
    return samples;
  });
}

}  // namespace sweep
