#include "engine/cuda/cuda_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/cuda/cuda_execution.h"

namespace sweep {
namespace {

LaunchLimits launch_limits_of(CUdevice device) {
  const auto attribute = [&](CUdevice_attribute which) {
    return static_cast<std::uint32_t>(Driver::get().device_attribute.value(which, device));
  };
  return {.block_threads = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
          .block = {attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                    attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                    attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
          .grid = {attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                   attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                   attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
          .shared_bytes = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)};
}

MultiprocessorSizes multiprocessor_sizes_of(CUdevice device, int compute_capability) {
  const auto attribute = [&](CUdevice_attribute which) {
    return static_cast<unsigned>(Driver::get().device_attribute.value(which, device));
  };
  return {
      .compute_capability = compute_capability,
      .threads = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
      .blocks = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
      .threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
      .shared_bytes = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
      .shared_bytes_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
      .registers = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
      .registers_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)};
}

/// Measures the step of the event clock with pairs of events around a few short kernels.
double measure_event_step(CudaContext& context) {
  constexpr std::size_t pairs = 48;
  constexpr std::size_t most_kernels = 3;
  const CUstream stream = context.stream.get();
  EventPool& events = context.events;
  events.reserve(pairs);
  {
    const StreamHold hold(context.blocking_kernel, context.blocking_kernel.patience);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      record(events.begin(pair), stream);
      for (std::size_t i = 0; i <= pair % most_kernels; ++i) context.stamps.queue(0);
      record(events.end(pair), stream);
    }
  }
  synchronize(stream);
  std::vector<double> seconds;
  for (std::size_t pair = 0; pair < pairs; ++pair) seconds.push_back(events.seconds(pair));
  return smallest_step(seconds);
}

/// Whether the name of one of the namespaces that hold parameters stands in `text`; they are
/// numbered.
bool names_constants(std::string_view text) {
  for (std::size_t at = text.find(constants_namespace); at != std::string_view::npos;
       at = text.find(constants_namespace, at)) {
    at += constants_namespace.size();
    if (at < text.size() && text[at] >= '0' && text[at] <= '9') return true;
  }
  return false;
}

/// Whether this line of PTX declares a variable in device memory. In an instruction the word
/// follows its opcode; an initialiser may name other variables.
bool declares_variable(std::string_view line) {
  const std::string_view declared = line.substr(0, line.find('='));
  return (declared.starts_with(".global ") ||
          declared.find(" .global ") != std::string_view::npos) &&
         !names_constants(declared);
}

}  // namespace

PrimaryContext::PrimaryContext(int device)
    : device_(Driver::get().device.value(driver_number(device))) {
  context_ = Driver::get().context_retain.value(device_);
  const CUresult result = Driver::get().context_set_current.result(context_);
  if (result != CUDA_SUCCESS) Driver::get().context_release.result(device_);
  check_driver(result, "cuCtxSetCurrent");
}

PrimaryContext::~PrimaryContext() {
  Driver::get().context_release.result(device_);
}

PeerGpu::PeerGpu(int index, CUcontext user, const L2Flush& flush_of_user) : primary(index) {
  const Driver& driver = Driver::get();
  const auto enable = [&](CUcontext reached) {
    const CUresult result = driver.enable_peer_access.result(reached, 0);
    if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
      check_driver(result, "cuCtxEnablePeerAccess");
    }
  };
  try {
    enable(user);
    stream = make_stream();
    done = make_event();
    check_result = allocate_device_memory(sizeof(CheckResult));
    driver.context_set_current(user);
    enable(primary.get());
    wanted = make_event();
    const int l2_bytes =
        driver.device_attribute.value(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, primary.device());
    flush.emplace(flush_of_user, static_cast<std::uint64_t>(l2_bytes), primary.get());
  } catch (const CudaError&) {
    driver.context_set_current.result(user);
    throw;
  }
}

PeerGpu::~PeerGpu() {
  // A module is unloaded from the current context.
  CUcontext user = nullptr;
  Driver::get().context_current.result(&user);
  Driver::get().context_set_current.result(primary.get());
  modules.clear();
  Driver::get().context_set_current.result(user);
}

bool has_device_variables(const Program& program) {
  if (program.ptx.empty()) {
    // The names of the sections that hold them; whether they are constants is not known.
    const std::string_view image(program.cubin.data(), program.cubin.size());
    return image.find(".nv.global") != std::string_view::npos;
  }
  for (std::string_view rest = program.ptx; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (declares_variable(line)) return true;
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return false;
}

const Module& ModuleCache::get(const std::shared_ptr<const Program>& program) {
  const auto found = std::ranges::find(modules_, program, &Loaded::program);
  if (found != modules_.end() && found->reusable) {
    modules_.splice(modules_.begin(), modules_, found);
    return found->module;
  }
  if (found != modules_.end()) drop(found);
  Module module =
      load_module(program->cubin.empty() ? program->ptx.c_str() : program->cubin.data());
  ++loads_;
  if (modules_.size() >= capacity) drop(std::prev(modules_.end()));
  modules_.push_front({program, std::move(module), !has_device_variables(*program)});
  return modules_.front().module;
}

void ModuleCache::drop(std::list<Loaded>::iterator module) {
  retained_.splice(retained_.end(), modules_, module);
  if (!retains_) retained_.clear();
}

void ModuleCache::release() {
  retains_ = false;
  retained_.clear();
}

CudaContext::CudaContext(const Device& description)
    : device(description),
      primary(description.index),
      limits(launch_limits_of(primary.device())),
      multiprocessor(multiprocessor_sizes_of(primary.device(), description.compute_capability)),
      stream(make_stream()),
      begin(make_event()),
      end(make_event()),
      begin_ahead(make_event()),
      end_ahead(make_event()),
      buffers(description.memory_bytes),
      check_results(stream.get()),
      flush(device.l2_bytes, device.multiprocessors, stream.get()),
      blocking_kernel(stream.get()),
      stamps(most_samples_per_block + 1, device.multiprocessors, stream.get()) {
  flush.run(stream.get());
  synchronize(stream.get());
  event_step = measure_event_step(*this);
}

bool CudaContext::responds() const {
  const Driver& driver = Driver::get();
  return driver.stream_synchronize.result(stream.get()) == CUDA_SUCCESS &&
         driver.memory_set.result(check_results.place(0), 0, sizeof(CheckResult), stream.get()) ==
             CUDA_SUCCESS &&
         driver.stream_synchronize.result(stream.get()) == CUDA_SUCCESS;
}

void CudaContext::load_files(const Workload& workload) {
  std::vector<const BufferPlan*> filled;
  for (const BufferPlan& buffer : workload.buffers) filled.push_back(&buffer);
  for (const VerificationPlan& plan : workload.verify) filled.push_back(&plan.expected);
  std::erase_if(filled, [](const BufferPlan* plan) { return plan->file.path.empty(); });
  files.keep(filled);
  for (const BufferPlan* plan : filled) {
    try {
      files.load(*plan, stream.get());
    } catch (const CudaError& error) {
      if (error.result() != CUDA_ERROR_OUT_OF_MEMORY) throw;
      buffers.clear();
      files.load(*plan, stream.get());
    }
  }
}

std::vector<CUdeviceptr> CudaContext::acquire_buffers(const Workload& workload) {
  std::vector<std::uint64_t> sizes;
  for (const BufferPlan& buffer : workload.buffers) {
    if (buffer.place == Place::device) sizes.push_back(buffer.bytes);
  }
  const auto acquire_own = [&] {
    try {
      return buffers.acquire(sizes);
    } catch (const ExecutionFailure&) {
      const bool has_freed = placed_buffers.free_idle();
      if (!references.free_others(workload) && !has_freed) throw;
      return buffers.acquire(sizes);
    }
  };
  placed_buffers.release();
  // What lies idle in the device's memory would make managed pages move out of it.
  const bool needs_device_memory = std::ranges::any_of(workload.buffers, [](const auto& buffer) {
    return is_managed(buffer.place) || buffer.place == Place::compressed;
  });
  if (needs_device_memory && sizes.empty()) buffers.clear();
  const std::vector<CUdeviceptr> own = acquire_own();
  std::vector<CUdeviceptr> addresses;
  auto next = own.begin();
  for (const BufferPlan& buffer : workload.buffers) {
    if (buffer.place == Place::device) {
      addresses.push_back(*next++);
      continue;
    }
    const PeerGpu* owner = owner_of(buffer);
    const CUcontext context = owner != nullptr ? owner->primary.get() : primary.get();
    addresses.push_back(placed_buffers.acquire(buffer.place, context, buffer.bytes));
  }
  return addresses;
}

PeerGpu* CudaContext::owner_of(const BufferPlan& buffer) {
  if (const std::string reason = why_not_there(buffer.place, buffer.peer, device);
      !reason.empty()) {
    throw ExecutionFailure(reason);
  }
  if (!is_of_peer(buffer.place)) return nullptr;
  std::unique_ptr<PeerGpu>& peer = peers[buffer.peer];
  if (peer == nullptr) {
    const int index = device.reach.peers.at(static_cast<std::size_t>(buffer.peer - 1)).index;
    peer = std::make_unique<PeerGpu>(index, primary.get(), flush);
  }
  return peer.get();
}

const Module& CudaContext::module_of(const std::shared_ptr<const Program>& program) {
  try {
    return modules.get(program);
  } catch (const CudaError& error) {
    if (error.result() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    modules.clear();
    buffers.clear();
    return modules.get(program);
  }
}

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

}  // namespace sweep
