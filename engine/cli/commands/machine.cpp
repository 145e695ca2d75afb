#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/cli/commands.h"
#include "engine/cli/commands/executor.h"
#include "engine/cuda/cuda_backend.h"
#include "engine/jit/nvrtc.h"
#include "engine/jit/program_cache.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/run_report.h"

namespace sweep {
namespace {

CommandLine devices_line() {
  CommandLine line("sweep devices [OPTIONS]",
                   "Lists what a sweep can run on, by the names that --device takes, and the\n"
                   "compiler and the headers of CUDA that were found.");
  line.flag("json",
            "one JSON object a line: \"device\" is what --device takes; sizes are in bytes, "
            "peak_bandwidth in B/s");
  return line;
}

/// Which CUDA Toolkit compiles, of those there may be.
void show_compiler() {
  try {
    const Nvrtc nvrtc;
    const std::string headers = find_cuda_include("cuda_fp16.h", nvrtc.file()).string();
    std::cout << fmt::format("compiler: {}, {}\n   headers {}\n", nvrtc.version(),
                             nvrtc.file().string(), headers.empty() ? "not found" : headers);
  } catch (const LibraryError& error) {
    std::cerr << fmt::format("no compiler: {}\n", error.what());
  }
}

int devices_main(const GivenOptions& given) {
  const bool as_json = given.has("json");
  try {
    for (const Device& device : cuda_devices()) {
      nlohmann::ordered_json line = {{"device", std::to_string(device.index)}};
      line.update(json_of(device));
      std::cout << (as_json ? json_line(line)
                            : fmt::format("{}: {}\n   {}, driver {}, CUDA {}", device.index,
                                          describe_device(device), device.uuid,
                                          device.driver.empty() ? "unknown" : device.driver,
                                          device.cuda))
                << std::endl;
    }
  } catch (const DeviceError& error) {
    std::cerr << fmt::format("no GPU: {}\n", error.what());
  }
  const nlohmann::ordered_json line = {
      {"device", emulator_name}, {"backend", "emulator"}, {"models", model_names()}};
  std::cout << (as_json ? json_line(line)
                        : fmt::format("{}: executes the compiled PTX here and counts what its "
                                      "accesses cost\n   models {}",
                                      emulator_name, fmt::join(model_names(), " ")))
            << std::endl;
  if (!as_json) show_compiler();
  return exit_done;
}

std::string time_ago(std::int64_t ns) {
  using namespace std::chrono;
  const nanoseconds now = system_clock::now().time_since_epoch();
  const double seconds = duration<double>(now - nanoseconds(ns)).count();
  return format_duration(std::max(seconds, 0.0)) + " ago";
}

/// "2025-01-31T12:00:00Z"
std::string utc_text(std::int64_t ns) {
  constexpr std::int64_t second = 1'000'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time_t{ns / second}));
}

void show(const CacheSettings& settings, bool as_json) {
  const CacheContents contents = cache_contents(CacheFolder(settings.folder));
  const auto oldest = contents.oldest_use_ns;
  const auto newest = contents.newest_use_ns;
  if (as_json) {
    nlohmann::ordered_json line = {{"folder", settings.folder.string()},
                                   {"programs", contents.programs},
                                   {"configurations", contents.configurations},
                                   {"bytes", contents.bytes},
                                   {"limit_bytes", settings.limit}};
    if (oldest) line["oldest_use"] = utc_text(*oldest);
    if (newest) line["newest_use"] = utc_text(*newest);
    std::cout << json_line(line) << '\n';
    return;
  }
  const auto print = [](std::string_view name, const std::string& value) {
    std::cout << fmt::format("{:<14}  {}\n", name, value);
  };
  print("folder", settings.folder.string());
  print("programs", format_thousands(contents.programs));
  print("configurations", format_thousands(contents.configurations));
  print("size", format_bytes(contents.bytes));
  print("limit",
        settings.limit == 0 ? "0 B: the cache is switched off" : format_bytes(settings.limit));
  if (oldest) print("oldest use", time_ago(*oldest));
  if (newest) print("newest use", time_ago(*newest));
}

void clear(const CacheSettings& settings, bool as_json) {
  const std::string folder = settings.folder.string();
  const std::uint64_t bytes = CacheFolder(settings.folder).clear();
  const nlohmann::ordered_json line = {{"folder", folder}, {"removed_bytes", bytes}};
  std::cout << (as_json ? json_line(line)
                        : fmt::format("removed {} from {}", format_bytes(bytes), folder))
            << '\n';
}

CommandLine cache_line() {
  CommandLine line(
      "sweep cache [OPTIONS] [clear]",
      "Shows the cache of compiled programs, or removes everything from it. With it a\n"
      "configuration is compiled only once. It is in $XDG_CACHE_HOME/sweep, or in\n"
      "~/.cache/sweep. Past a size of 1 GiB what was not used for longest goes first;\n"
      "SWEEP_CACHE_LIMIT in the environment gives another size: 256 Mi, or 0 for no\n"
      "cache.");
  line.flag("json",
            "one JSON object: folder, programs, configurations, bytes, limit_bytes, "
            "oldest_use, newest_use; of clear: folder, removed_bytes");
  line.operands({"clear"});
  return line;
}

int cache_main(const GivenOptions& given) {
  const std::vector<std::string> actions = {"clear"};
  const bool is_to_clear = !given.operands().empty();
  if (is_to_clear && given.operands() != actions) {
    const std::string& action = given.operands().front();
    throw UsageError("cache what? there is no '{}'; {}", action,
                     suggest(action, actions, "there is"));
  }
  const bool as_json = given.has("json");
  const std::optional<CacheSettings> settings = program_cache_settings();
  if (!settings) {
    (as_json ? std::cerr : std::cout)
        << "there is no cache: neither XDG_CACHE_HOME nor HOME is the path of a folder\n";
    return exit_done;
  }
  try {
    is_to_clear ? clear(*settings, as_json) : show(*settings, as_json);
  } catch (const std::system_error& error) {
    throw CommandError(exit_io, "{}: {}", settings->folder.string(), error.code().message());
  }
  return exit_done;
}

}  // namespace

const Command devices_command = {"devices",
                                 "list what a sweep can run on: the GPUs and the emulator",
                                 devices_line, devices_main};

const Command cache_command = {"cache", "show or clear the cache of compiled programs", cache_line,
                               cache_main};

}  // namespace sweep
