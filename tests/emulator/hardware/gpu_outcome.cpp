#include "tests/emulator/hardware/gpu_outcome.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

#include "engine/cuda/cuda_backend.h"
#include "engine/cuda/cuda_context.h"
#include "engine/cuda/driver.h"
#include "engine/cuda/range_profiler.h"

namespace sweep::testing {
namespace {

/// Not compared, but in the raw table.
constexpr std::size_t none = count_names.size();

/// The hardware's counters whose sum is compared as the count of this index in `count_names`.
struct CounterPart {
  std::size_t count;
  const char* metric;
};
const CounterPart counter_parts[] = {
    {of_loads, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {of_loads + 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {of_stores, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {of_stores + 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {of_atomics, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"},
    {of_atomics, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"},
    {of_atomics + 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"},
    {of_atomics + 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"},
    {of_local_loads, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"},
    {of_local_loads + 1, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
    {of_local_stores, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"},
    {of_local_stores + 1, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
    {of_shared_loads, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {of_shared_loads + 1, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {of_shared_stores, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {of_shared_stores + 1, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {of_shared_atomics, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
    {none, "l1tex__t_requests_pipe_lsu_mem_lg.sum"},
    {none, "l1tex__t_sectors_pipe_lsu_mem_lg.sum"},
    {none, "smsp__inst_executed_op_ldgsts.sum"},
    {none, "lts__t_sectors_srcunit_tex_op_read.sum"},
    {none, "l1tex__m_xbar2l1tex_read_sectors.sum"},
    {none, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {none, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {none, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum"},
    {none, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"},
};

/// A configuration with memory of its own.
class GpuRun {
 public:
  GpuRun(const Workload& workload, const Module& module, CUstream stream)
      : workload_(workload), module_(module), stream_(stream) {
    for (const BufferPlan& buffer : workload.buffers) {
      memory_.push_back(allocate_device_memory(buffer.bytes));
      addresses_.push_back(memory_.back().get());
    }
  }

  void initialise() {
    const Driver& driver = Driver::get();
    constexpr unsigned char poison = 0xff;
    for (std::size_t i = 0; i < workload_.buffers.size(); ++i) {
      const BufferPlan& buffer = workload_.buffers[i];
      if (buffer.init_entry.empty()) {
        driver.memory_set(addresses_[i], poison, buffer.bytes, stream_);
      } else {
        std::uint64_t length = buffer.length;
        run_over_elements(buffer.init_entry, length, {&length});
      }
    }
    synchronize();
  }

  void launch() {
    const Driver& driver = Driver::get();
    std::vector<void*> arguments = buffer_arguments();
    for (std::vector<std::byte>& scalar : workload_.scalars) arguments.push_back(scalar.data());
    const CUfunction kernel = find_function(module_, workload_.launches.front().kernel_entry);
    const Extent3& grid = workload_.launches.front().grid;
    const Extent3& block = workload_.launches.front().block;
    driver.launch(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                  static_cast<unsigned>(workload_.launches.front().shared_bytes), stream_,
                  arguments.data(), nullptr);
    synchronize();
  }

  /// How many elements fail the pattern's checks.
  std::uint64_t failures() {
    const Driver& driver = Driver::get();
    constexpr std::size_t result_bytes = 256;
    std::uint64_t sum = 0;
    const DeviceMemory result = allocate_device_memory(result_bytes);
    for (const VerificationPlan& plan : workload_.verify) {
      driver.memory_set(result.get(), 0, result_bytes, stream_);
      std::uint64_t begin = 0;
      std::uint64_t end = plan.length;
      CUdeviceptr place = result.get();
      run_over_elements(plan.check_entry, end, {&begin, &end, &place});
      std::uint64_t count = 0;
      driver.copy_to_host(&count, place, sizeof count, stream_);
      synchronize();
      sum += count;
    }
    return sum;
  }

  Outcome read() {
    const Driver& driver = Driver::get();
    Outcome outcome;
    for (std::size_t i = 0; i < workload_.buffers.size(); ++i) {
      std::vector<std::byte> bytes(workload_.buffers[i].bytes);
      driver.copy_to_host(bytes.data(), addresses_[i], bytes.size(), stream_);
      synchronize();
      outcome.buffers.push_back(workload_.buffers[i].name);
      outcome.memory.push_back(std::move(bytes));
    }
    return outcome;
  }

 private:
  std::vector<void*> buffer_arguments() {
    std::vector<void*> arguments;
    for (CUdeviceptr& address : addresses_) arguments.push_back(&address);
    return arguments;
  }

  void run_over_elements(const std::string& entry, std::uint64_t elements,
                         const std::vector<void*>& more) {
    constexpr unsigned threads = 256;
    const auto blocks = static_cast<unsigned>((elements + threads - 1) / threads);
    std::vector<void*> arguments = buffer_arguments();
    arguments.insert(arguments.end(), more.begin(), more.end());
    Driver::get().launch(find_function(module_, entry), blocks, 1, 1, threads, 1, 1, 0, stream_,
                         arguments.data(), nullptr);
  }

  void synchronize() { Driver::get().stream_synchronize(stream_); }

  Workload workload_;
  const Module& module_;
  CUstream stream_;
  std::vector<DeviceMemory> memory_;
  std::vector<CUdeviceptr> addresses_;
};

Counts counts_of(const std::vector<double>& values) {
  Counts counts{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (counter_parts[i].count == none) continue;
    counts.at(counter_parts[i].count) += static_cast<std::uint64_t>(std::llround(values[i]));
  }
  return counts;
}

/// Of every counter the least value so far.
void keep_least(std::vector<std::vector<double>>& values,
                const std::vector<std::vector<double>>& more) {
  if (values.empty()) values = more;
  for (std::size_t i = 0; i < more.size(); ++i) {
    for (std::size_t metric = 0; metric < more[i].size(); ++metric) {
      values[i][metric] = std::min(values[i][metric], more[i][metric]);
    }
  }
}

std::vector<std::vector<double>> counted(RangeProfiler& profiler,
                                         const std::vector<std::unique_ptr<GpuRun>>& runs) {
  std::vector<std::vector<double>> values(runs.size());
  CountedLaunches launches;
  launches.prepare = [&](std::size_t i) {
    runs[i]->initialise();
    return true;
  };
  launches.launch = [&](std::size_t i) {
    runs[i]->launch();
    return true;
  };
  launches.take = [&](std::size_t i, std::vector<double> counts) { values[i] = std::move(counts); };
  profiler.count(runs.size(), launches);
  return values;
}

}  // namespace

GpuOutcomes run_on_gpu(const std::vector<ComparedConfiguration>& configurations) {
  const Device device = cuda_device(0);
  const PrimaryContext primary(device.index);
  const Stream stream = make_stream();

  GpuOutcomes result;
  result.device = device.name;
  for (const CounterPart& part : counter_parts) result.metrics.emplace_back(part.metric);
  std::map<const Program*, Module> modules;
  std::vector<std::unique_ptr<GpuRun>> runs;
  for (const ComparedConfiguration& configuration : configurations) {
    const Program& program = *configuration.workload.program;
    Module& module = modules[&program];
    if (!module) module = load_module(program.cubin.data());
    runs.push_back(std::make_unique<GpuRun>(configuration.workload, module, stream.get()));
    GpuRun& run = *runs.back();
    run.initialise();
    run.launch();
    const std::uint64_t failures = run.failures();
    result.outcomes.push_back(run.read());
    if (failures > 0) {
      result.outcomes.back().failure = std::to_string(failures) + " elements fail the check";
    }
  }
  RangeProfiler profiler(device.index, primary.get());
  for (const std::string& refused : profiler.choose(result.metrics)) {
    throw std::runtime_error(profiler.chip() + " has no counter " + refused);
  }
  // Warps that meet at the banks by chance are counted as conflicts now and then.
  constexpr int repetitions = 5;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    keep_least(result.values, counted(profiler, runs));
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    result.outcomes[i].counts = counts_of(result.values[i]);
  }
  return result;
}

}  // namespace sweep::testing
