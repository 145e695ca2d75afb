// What a run of many configurations costs on the emulator: time and memory per point as it goes on,
// the same run again from the database, every report, and runs at once that share one cache.
//
//   load_benchmark [CONFIGURATIONS]    (a multiple of 100; 10,000 unless given)

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "engine/text/units.h"
#include "tests/cli/program.h"
#include "tests/load/process_usage.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t configurations_per_offset = 100;
constexpr double mebi = 1024.0 * 1024.0;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<std::string> run_words(std::size_t configurations) {
  const std::size_t offsets = std::max<std::size_t>(configurations / configurations_per_offset, 1);
  return {"run",      SWEEP_SOURCE_DIR "/tests/load/load.yaml",
          "--device", "emulator",
          "--set",    fmt::format("OFFSET={{from: 0, to: {}}}", offsets - 1)};
}

/// How far a run is, and what it has taken.
struct Moment {
  double seconds = 0;
  std::int64_t points = 0;
  ProcessUsage usage;
};

/// The points in a database that may not be there yet.
std::int64_t points_in(const fs::path& file) {
  if (!fs::exists(file)) return 0;
  try {
    sqlite::Database database(file, sqlite::Access::read);
    return database.integer("SELECT coalesce(max(id), 0) FROM point");
  } catch (const StoreError&) {
    return 0;
  }
}

/// Looks at a running program until it ends.
std::vector<Moment> watch(const RunningProgram& program, const fs::path& database) {
  constexpr std::chrono::milliseconds pause(200);
  std::vector<Moment> samples;
  const auto begin = Clock::now();
  for (;;) {
    // An ended process has no memory any more, and stays until it is waited for.
    Moment sample = {seconds_since(begin), points_in(database), usage_of(program.process())};
    const bool has_ended = sample.usage.resident_bytes == 0;
    if (has_ended && !samples.empty()) {
      sample.usage.resident_bytes = samples.back().usage.resident_bytes;
    }
    samples.push_back(sample);
    if (has_ended) return samples;
    std::this_thread::sleep_for(pause);
  }
}

void print_slices(const std::vector<Moment>& samples, std::size_t configurations) {
  constexpr std::size_t slices = 20;
  fmt::print("{:>16}  {:>10}  {:>10}  {:>12}  {:>10}\n", "points", "s", "points/s", "CPU ms/point",
             "MiB");
  const auto at_point = [&](std::size_t points) {
    const auto found = std::ranges::find_if(samples, [&](const Moment& sample) {
      return sample.points >= static_cast<std::int64_t>(points);
    });
    return found != samples.end() ? *found : samples.back();
  };
  Moment before = samples.front();
  for (std::size_t slice = 1; slice <= slices; ++slice) {
    const Moment after = at_point(configurations * slice / slices);
    const auto points = static_cast<double>(after.points - before.points);
    const double seconds = after.seconds - before.seconds;
    if (points > 0) {
      const double cpu = after.usage.cpu_seconds - before.usage.cpu_seconds;
      fmt::print("{:>7} - {:>6}  {:>10.1f}  {:>10.0f}  {:>12.3f}  {:>10.0f}\n", before.points,
                 after.points, seconds, seconds > 0 ? points / seconds : 0, 1e3 * cpu / points,
                 static_cast<double>(after.usage.resident_bytes) / mebi);
    }
    before = after;
  }
}

std::uint64_t most_memory(const std::vector<Moment>& samples) {
  std::uint64_t most = 0;
  for (const Moment& sample : samples) most = std::max(most, sample.usage.resident_bytes);
  return most;
}

std::string size_of(const fs::path& file) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  return error ? "-" : format_bytes(bytes);
}

void print_heading(const std::string& heading) {
  fmt::print("\n{}\n", heading);
}

void print_step(const std::string& what, const std::vector<Moment>& samples, const Outcome& outcome,
                const std::string& size) {
  fmt::print("{:<34}  {:>8.1f}  {:>8.1f}  {:>8.0f}  {:>10}  {:>4}\n", what, samples.back().seconds,
             samples.back().usage.cpu_seconds, static_cast<double>(most_memory(samples)) / mebi,
             size, outcome.code);
  std::fflush(stdout);
}

class LoadBenchmark {
 public:
  explicit LoadBenchmark(std::size_t configurations) : configurations_(configurations) {}

  void run() {
    measure_first_run();
    fmt::print("\n{:<34}  {:>8}  {:>8}  {:>8}  {:>10}  {:>4}\n", "", "s", "CPU s", "MiB", "size",
               "code");
    step("run again, all reused", run_words(configurations_), "results/load.html");
    step("run --fresh, compiled programs", with(run_words(configurations_), {"--fresh"}),
         "results/load.db");
    for (const char* format : {"md", "html", "csv", "json", "svg"}) {
      const std::string file = std::string("report.") + format;
      step("report --format " + std::string(format),
           {"report", "results/load.db", "--format", format, "-o", file}, file);
    }
    step("list runs", {"list", "runs", "results/load.db"}, "");
    step("export --points all",
         {"export", "results/load.db", "--format", "json", "--points", "all", "-o", "all.json"},
         "all.json");
    for (const char* format : {"text", "md", "html", "json"}) {
      const std::string file = std::string("comparison.") + format;
      step("compare --format " + std::string(format),
           {"compare", "results/load.db", "--format", format, "-o", file}, file);
    }
    step("cache", {"cache"}, "");
    run_at_once();
  }

 private:
  void measure_first_run() {
    print_heading(
        fmt::format("{} configurations, compiled and executed", format_thousands(configurations_)));
    RunningProgram program(with(run_words(configurations_), {"--quiet", "--timing"}),
                           folder_.path(), environment_);
    const std::vector<Moment> samples = watch(program, folder_.path() / "results/load.db");
    const Outcome outcome = program.wait();
    print_slices(samples, configurations_);
    fmt::print("{}exit code {}; {:.1f} s, of the CPUs {:.1f} s; at most {:.0f} MiB; database {}\n",
               outcome.out, outcome.code, samples.back().seconds, samples.back().usage.cpu_seconds,
               static_cast<double>(most_memory(samples)) / mebi,
               size_of(folder_.path() / "results/load.db"));
  }

  void step(const std::string& what, const std::vector<std::string>& words,
            const std::string& written) {
    RunningProgram program(words, folder_.path(), environment_);
    const std::vector<Moment> samples = watch(program, {});
    const Outcome outcome = program.wait();
    print_step(what, samples, outcome, written.empty() ? "" : size_of(folder_.path() / written));
    if (outcome.code != 0) fmt::print("{}", outcome.err);
  }

  /// Eight runs that begin together, each with a database of its own, a tenth as large.
  void run_at_once() const {
    constexpr std::size_t runs = 8;
    const std::size_t configurations = std::max<std::size_t>(configurations_ / 10, 100);
    for (const std::size_t count : {std::size_t{1}, runs}) {
      const Environment environment = {
          {"XDG_CACHE_HOME", (folder_.path() / fmt::format("cache-of-{}", count)).string()}};
      std::vector<std::unique_ptr<RunningProgram>> programs;
      const auto begin = Clock::now();
      for (std::size_t i = 0; i < count; ++i) {
        const std::string output = fmt::format("at-once-{}-{}", count, i);
        programs.push_back(std::make_unique<RunningProgram>(
            with(run_words(configurations), {"-o", output, "--timing"}), folder_.path(),
            environment));
      }
      double cpu = 0;
      std::string codes;
      for (const auto& program : programs) {
        cpu += watch(*program, {}).back().usage.cpu_seconds;
        codes += fmt::format(" {}", program->wait().code);
      }
      print_heading(
          fmt::format("{} of {} configurations with one cache at once: {:.1f} s, of the "
                      "CPUs {:.1f} s, exit codes{}",
                      count == 1 ? "a run" : fmt::format("{} runs", count),
                      format_thousands(configurations), seconds_since(begin), cpu, codes));
    }
  }

  std::size_t configurations_;
  TemporaryFolder folder_;
  Environment environment_ = {{"XDG_CACHE_HOME", (folder_.path() / "cache").string()}};
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t configurations = 10'000;
  if (argc > 1) {
    const std::string_view text = argv[1];
    const auto result = std::from_chars(text.data(), text.data() + text.size(), configurations);
    if (result.ec != std::errc() || configurations < configurations_per_offset) {
      fmt::print(stderr, "load_benchmark [CONFIGURATIONS]: a number, at least 100\n");
      return 2;
    }
  }
  LoadBenchmark(configurations).run();
  return 0;
}
