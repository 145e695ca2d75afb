// How many thread instructions the emulator executes in a second, on one core, counting every
// access: the median of several launches of each kernel.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/grid_run.h"
#include "engine/jit/nvrtc.h"

using namespace sweep;

namespace {

constexpr std::uint32_t elements = 1U << 22U;

struct Case {
  std::string kernel;
  Dim3 grid;
  Dim3 block;
  std::vector<int> scalars;
};

std::vector<Case> cases() {
  constexpr std::uint32_t width = 2048;
  return {
      {"copy", {elements / 256}, {256}, {}},
      {"stride_1", {elements / 256}, {256}, {}},
      {"tiled_transpose", {width / 32, width / 32}, {32, 8}, {width}},
      {"bank_loop", {64}, {256}, {1, 1000}},
      {"reduction", {elements / 256}, {256}, {}},
      {"random_gather", {elements / 256}, {256}, {elements}},
  };
}

std::string compiled() {
  std::ifstream file(SWEEP_BENCHMARK_KERNELS);
  std::stringstream text;
  text << file.rdbuf();
  Nvrtc nvrtc;
  const NvrtcResult result =
      nvrtc.compile({text.str(), {"--gpu-architecture=compute_90", "--minimal"}, {}});
  if (!result.ok) throw std::runtime_error(result.log);
  return result.ptx;
}

/// The buffers come first, as many as the scalars leave parameters for.
Launch launch_of(const Case& one, const Kernel& kernel, AddressSpace& memory) {
  Launch launch;
  launch.kernel = &kernel;
  launch.memory = &memory;
  launch.grid = one.grid;
  launch.block = one.block;
  launch.parameters.resize(static_cast<std::size_t>(kernel.parameter_bytes));
  const std::size_t buffers = kernel.parameter_sizes.size() - one.scalars.size();
  for (std::size_t i = 0; i < kernel.parameter_sizes.size(); ++i) {
    std::byte* place = launch.parameters.data() + kernel.parameter_offsets[i];
    if (i < buffers) {
      Allocation& buffer =
          memory.allocate("buffer", std::uint64_t{elements} * sizeof(float), sizeof(float));
      std::memset(buffer.host, 0, static_cast<std::size_t>(buffer.bytes));
      std::memcpy(place, &buffer.base, sizeof buffer.base);
    } else {
      std::memcpy(place, &one.scalars[i - buffers], sizeof(int));
    }
  }
  prepare_launch(launch);
  return launch;
}

/// In millions of thread instructions a second.
double speed_of(const Launch& launch, unsigned threads) {
  constexpr int launches = 7;
  std::vector<double> speeds;
  for (int i = 0; i < launches; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    GridOptions options;
    options.threads = threads;
    const GridResult result = run_grid(launch, options);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    speeds.push_back(static_cast<double>(result.count.thread_instructions) / time.count());
  }
  std::ranges::sort(speeds);
  return speeds[launches / 2];
}

}  // namespace

int main() {
  const ptx::Module module(compiled());
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  fmt::print("| kernel | {} | {} cores |\n|:--|--:|--:|\n", "one core", cores);
  std::vector<double> speeds;
  for (const Case& one : cases()) {
    const Kernel kernel = lower(module, one.kernel, best_simd());
    AddressSpace memory;
    const Launch launch = launch_of(one, kernel, memory);
    const double single = speed_of(launch, 1);
    fmt::print("| {} | {:.0f} | {:.0f} |\n", one.kernel, single, speed_of(launch, cores));
    if (one.kernel != "random_gather") speeds.push_back(single);
  }
  std::ranges::sort(speeds);
  fmt::print("\nMillion thread instructions a second ({}); median without the gather: {:.0f}\n",
             to_string(best_simd()), speeds[speeds.size() / 2]);
}
