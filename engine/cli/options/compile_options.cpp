#include "engine/cli/options/compile_options.h"

#include <fmt/format.h>

#include <cstdlib>

#include "engine/system/dynamic_library.h"
#include "engine/text/units.h"

namespace sweep {

std::shared_ptr<CompilerProcesses> compiler_processes(unsigned ahead) {
  auto processes = std::make_shared<CompilerProcesses>(
      std::vector<std::string>{program_path().string(), "worker", compiler_worker});
  processes->start_ahead(ahead);
  return processes;
}

CompileSettings compile_settings(std::shared_ptr<Nvrtc> nvrtc, int compute_capability,
                                 ProgramCache* cache,
                                 std::shared_ptr<CompilerProcesses> processes) {
  CompileSettings settings;
  settings.nvrtc = std::move(nvrtc);
  settings.compute_capability = compute_capability;
  settings.cache = cache;
  settings.processes = std::move(processes);
  return settings;
}

std::string describe(const CompileStatistics& statistics, std::string_view gap) {
  constexpr double milli = 1e3;
  const std::size_t all = statistics.configurations + statistics.from_cache;
  const double each = all == 0 ? 0 : statistics.wall_seconds * milli / static_cast<double>(all);
  std::string compiled;
  if (statistics.configurations > 0) {
    compiled = fmt::format("{} in {} by {}, ", count_of(statistics.configurations, "configuration"),
                           count_of(statistics.programs, "program"),
                           count_of(statistics.compilers, "compiler"));
  }
  return fmt::format(
      "{}{} from the cache;{}{:.3f} s from the start to the last, {:.3f} ms a configuration",
      compiled, format_thousands(statistics.from_cache), gap, statistics.wall_seconds, each);
}

namespace {

namespace fs = std::filesystem;

/// The folder that a variable names; empty when it is not set or relative.
fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  const fs::path folder = value != nullptr ? value : "";
  return folder.is_absolute() ? folder : fs::path();
}

fs::path cache_folder() {
  const fs::path given = folder_in("XDG_CACHE_HOME");
  if (!given.empty()) return given / "sweep";
  const fs::path home = folder_in("HOME");
  return home.empty() ? fs::path() : home / ".cache" / "sweep";
}

}  // namespace

std::optional<CacheSettings> program_cache_settings() {
  CacheSettings settings;
  const char* limit = std::getenv("SWEEP_CACHE_LIMIT");
  if (limit != nullptr && *limit != '\0') {
    const std::optional<std::uint64_t> bytes = parse_bytes(limit);
    if (!bytes) {
      throw UsageError(fmt::format(
          "SWEEP_CACHE_LIMIT is '{}': give bytes, such as 256 Mi or 2 GiB, or 0 for no cache",
          limit));
    }
    settings.limit = *bytes;
  }
  settings.folder = cache_folder();
  if (settings.folder.empty()) return std::nullopt;
  return settings;
}

void add_cache_option(CommandLine& line) {
  line.flag("no-cache", "compile everything anew, and keep nothing of it; see sweep cache --help");
}

std::unique_ptr<ProgramCache> given_program_cache(const GivenOptions& given) {
  if (given.has("no-cache")) return nullptr;
  const std::optional<CacheSettings> settings = program_cache_settings();
  if (!settings || settings->limit == 0) return nullptr;
  return std::make_unique<ProgramCache>(*settings);
}

std::string describe_problem(const ProgramCache* cache) {
  const std::string problem = cache != nullptr ? cache->problem() : std::string();
  return problem.empty() ? problem : fmt::format("note: {}\n", problem);
}

}  // namespace sweep
