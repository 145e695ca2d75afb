// What compiling costs a configuration of the stride pattern: in one thread by batch size, with all
// compilers of the machine, and from the cache.

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <span>

#include "engine/jit/program_cache.h"
#include "engine/run/compile_pool.h"
#include "engine/spec/pattern.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace {

constexpr int compute_capability = 90;

/// STRIDE 1 to 32, float and double, and as many block sizes as make 2,000.
std::vector<Configuration> stride_configurations() {
  const PatternLibrary library({SWEEP_BENCHMARK_PATTERNS});
  Diagnostics diagnostics;
  const PatternPtr pattern = library.load("stride", {}, diagnostics);
  if (pattern == nullptr) throw InputError(diagnostics);
  constexpr std::size_t wanted = 2000;
  constexpr std::int64_t strides = 32;
  constexpr std::int64_t blocks = 32;
  constexpr std::int64_t warp = 32;
  std::vector<Configuration> result;
  for (std::int64_t stride = 1; stride <= strides; ++stride) {
    for (const char* type : {"float", "double"}) {
      for (std::int64_t block = 1; block <= blocks && result.size() < wanted; ++block) {
        Bindings given;
        given.set("STRIDE", stride);
        given.set("T", *ElementType::find(type));
        given.set("BLOCK", block * warp);
        result.push_back(resolve(pattern, given));
      }
    }
  }
  return result;
}

/// Seconds of wall time and of this thread.
struct Seconds {
  double wall = 0;
  double processor = 0;
};

Seconds now() {
  timespec processor{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(wall).count(),
          static_cast<double>(processor.tv_sec) + static_cast<double>(processor.tv_nsec) * 1e-9};
}

double each(double seconds, std::size_t configurations) {
  return seconds * 1e3 / static_cast<double>(configurations);
}

void print_batch_sizes(const Compiler& compiler, std::span<const Configuration> configurations) {
  fmt::print("| batch | ms a configuration, one thread | of the processor |\n|--:|--:|--:|\n");
  for (const std::size_t size : {1U, 4U, 16U, 32U, 64U, 128U}) {
    const auto batch = configurations.first(size);
    compiler.compile(batch);
    constexpr int runs = 2;
    const Seconds begin = now();
    for (int i = 0; i < runs; ++i) compiler.compile(batch);
    const Seconds end = now();
    fmt::print("| {} | {:.3f} | {:.3f} |\n", size, each(end.wall - begin.wall, runs * size),
               each(end.processor - begin.processor, runs * size));
  }
}

void print_farm(const char* what, const CompileSettings& settings,
                std::span<const Configuration> configurations) {
  const double begin = now().wall;
  CompilePool compiled(settings, configurations);
  compiled.next();
  const double first = now().wall - begin;
  for (std::size_t i = 1; i < configurations.size(); ++i) compiled.next();
  const double all = now().wall - begin;
  const CompileStatistics statistics = compiled.statistics();
  fmt::print("| {} | {} | {:.3f} | {:.1f} | {} | {} | {} |\n", what, configurations.size(),
             each(all, configurations.size()), first * 1e3, statistics.programs,
             statistics.compilers, statistics.from_cache);
  std::fflush(stdout);
}

}  // namespace

int main() {
  const std::vector<Configuration> configurations = stride_configurations();
  CompileSettings settings;
  settings.nvrtc = std::make_shared<Nvrtc>();
  settings.compute_capability = compute_capability;
  fmt::print("{}\n\n", settings.nvrtc->version());
  print_batch_sizes(Compiler(settings.nvrtc, compute_capability), configurations);

  const TemporaryFolder folder;
  CacheSettings cache_settings;
  cache_settings.folder = folder.path();
  ProgramCache writing(cache_settings);
  ProgramCache reading(cache_settings);
  fmt::print(
      "\n| how | configurations | ms each | ms to the first | programs | compilers | from the "
      "cache |\n|:--|--:|--:|--:|--:|--:|--:|\n");
  const std::vector<std::string> compiler = {SWEEP_BENCHMARK_PROGRAM, "worker", "compiler"};
  settings.processes = std::make_shared<CompilerProcesses>(compiler);
  print_farm("processes", settings, configurations);
  print_farm("the same processes again", settings, configurations);
  settings.cache = &writing;
  print_farm("into the cache", settings, configurations);
  settings.cache = &reading;
  print_farm("from the cache", settings, configurations);
}
