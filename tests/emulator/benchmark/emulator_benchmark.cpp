// emulator_benchmark [--include FOLDER]... [--set VALUES]... [SWEEP]...: how many thread
// instructions and floating-point operations the emulator executes in a second, counting every
// access. Of each sweep the first
// configuration and the last are launched again and again, with all blocks; what it takes to read
// the program and to fill the buffers is left out.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "engine/cli/options/sources.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/jit/compiler.h"
#include "engine/jit/nvrtc.h"
#include "engine/run/workload.h"

using namespace sweep;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int capability = 90;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Speed {
  double instructions;  ///< in millions a second
  double operations;    ///< the same in thousands of millions
};

/// The median of at least five launches.
Speed speed_of(const Configuration& configuration, const CompiledConfiguration& compiled,
               unsigned threads) {
  constexpr std::size_t least_launches = 5;
  constexpr std::chrono::duration<double> least_time(0.1);
  EmulatorSettings settings = emulator_settings(capability, threads);
  settings.is_exact = true;
  EmulatorBackend backend(settings);
  const auto execution = backend.prepare_emulated(make_workload(configuration, compiled));
  execution->initialise();
  execution->emulated().complete_init(threads);
  std::vector<Launch> launches;
  for (std::size_t i = 0; i < execution->emulated().workload().launches.size(); ++i) {
    launches.push_back(execution->prepared(i));
  }
  LaunchCount count;
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < least_launches || Clock::now() - start < least_time) {
    count = {};
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const LaunchCount one = run_grid(launches[i], execution->grid_options(i)).count;
      count.thread_instructions += one.thread_instructions;
      count.float_operations += one.float_operations;
    }
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  const double time = median(times);
  return {static_cast<double>(count.thread_instructions) / time,
          static_cast<double>(count.float_operations) / time / 1000};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> sweeps;
  GivenFolders folders;
  std::vector<SourcePtr> set;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (i + 1 < argc && word == "--include") {
      folders.includes.emplace_back(argv[++i]);
    } else if (i + 1 < argc && word == "--set") {
      set.push_back(std::make_shared<Source>(Source{"--set", argv[++i]}));
    } else {
      sweeps.push_back(word);
    }
  }
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  fmt::print("| configuration | one core | {} cores | one core, GFLOP/s |\n|:--|--:|--:|--:|\n",
             cores);
  const Compiler compiler(std::make_shared<Nvrtc>(), capability);
  std::vector<double> speeds;
  for (const std::string& name : sweeps) {
    try {
      LoadedSweep loaded = load_sweep(find_sweep_file(name), folders, set, {});
      apply_emulator_set(loaded.sweep);
      enumerate_again(loaded);
      const auto& all = loaded.space.configurations;
      std::vector<Configuration> chosen = {all.at(0)};
      if (all.size() > 1) chosen.push_back(all.back());
      const auto compiled = compiler.compile(chosen);
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto& program = std::get<CompiledConfiguration>(compiled[i]);
        const Speed single = speed_of(chosen[i], program, 1);
        fmt::print("| {} | {:.0f} | {:.0f} | {:.1f} |\n", to_string(chosen[i]), single.instructions,
                   speed_of(chosen[i], program, cores).instructions, single.operations);
        std::cout << std::flush;
        speeds.push_back(single.instructions);
      }
    } catch (const std::exception& error) {
      fmt::print("{}: {}\n", name, error.what());
    }
  }
  if (speeds.empty()) return 1;
  fmt::print("\nMillion thread instructions a second ({}); median of one core: {:.0f}\n",
             to_string(best_simd()), median(speeds));
}
