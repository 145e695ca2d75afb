#include "engine/cli/options/execution_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "engine/cuda/cuda_backend.h"
#include "engine/emulator/cache/device_profile.h"
#include "engine/system/dynamic_library.h"
#include "engine/text/characters.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"

namespace sweep {

std::string dotted(int compute_capability) {
  return fmt::format("{}.{}", compute_capability / 10, compute_capability % 10);
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const int model : known_models()) names.push_back(dotted(model));
  return names;
}

int given_compute_capability(const GivenOptions& given, const std::string& option) {
  constexpr std::size_t most_digits = 3;
  const std::string text = given.text(option);
  std::string digits = text;
  // The minor version is one digit, with or without the point before it.
  if (text.size() > 2 && text[text.size() - 2] == '.') digits.erase(text.size() - 2, 1);
  const bool is_one = digits.size() > 1 && digits.size() <= most_digits && digits[0] != '0' &&
                      std::ranges::all_of(digits, is_digit);
  if (!is_one) {
    throw UsageError("--{} {}: write a compute capability such as 9.0", option, text);
  }
  return std::stoi(digits);
}

std::size_t device_index(const std::string& name) {
  const auto index = name == "auto" ? 0 : whole_number(name);
  if (index) return *index;
  throw UsageError(
      "--device {}: write auto, emulator, replay:FILE, or the number of a GPU that 'sweep devices' "
      "lists",
      name);
}

Device choose_device(const std::string& name) {
  const std::size_t index = device_index(name);
  const std::vector<Device> devices = cuda_devices();
  if (index >= devices.size()) {
    throw DeviceError(fmt::format(
        "there is no GPU {}: this machine has {}", index,
        devices.size() == 1 ? "GPU 0 alone" : fmt::format("GPUs 0 to {}", devices.size() - 1)));
  }
  return devices[index];
}

std::string describe_device(const Device& device) {
  constexpr double giga = 1e9;
  constexpr double mega = 1e6;
  if (device.memory_clock_hz == 0) return device.name;
  return fmt::format(
      "{} (compute capability {}, {} SMs, L2 {}, memory {} at {:.0f} MHz x {} bit: "
      "theoretical peak {:.0f} GB/s)",
      device.name, dotted(device.compute_capability), device.multiprocessors,
      format_bytes(device.l2_bytes), format_bytes(device.memory_bytes),
      static_cast<double>(device.memory_clock_hz) / mega, device.memory_bus_bits,
      device.peak_bandwidth() / giga);
}

void add_emulator_options(CommandLine& line) {
  line.option("model", "CC",
              "the compute capability whose rules the emulator counts by (default 9.0, or "
              "the GPU's own): 1.0 to 12.0");
  line.option("l1", "on|off", "whether global loads use L1; models 2.x and 3.x");
  line.option("banks", "32|64", "the width of shared memory's banks in bits; models 3.x");
  line.option("profile", "FILE",
              "a YAML file with the emulated GPU's sizes: multiprocessors, l2_bytes, ...");
}

EmulatorSettings given_emulator_settings(const GivenOptions& given, int default_model) {
  const int model = given.has("model") ? given_compute_capability(given, "model") : default_model;
  const bool is_profiled =
      std::ranges::find(profiled_capabilities(), model) != profiled_capabilities().end();
  if (!is_profiled) {
    throw UsageError("--model {}: {} {}", dotted(model),
                     has_rules(model) ? "no GPU of it is known; there are"
                                      : "there are no rules for it; there are for",
                     fmt::join(model_names(), " "));
  }
  const unsigned threads = std::max(std::thread::hardware_concurrency(), 1U);
  EmulatorSettings settings = emulator_settings(model, threads);
  if (given.has("l1")) {
    if (model < 20 || model >= 40) {
      throw UsageError("--l1 is for the models 2.x and 3.x: in others it changes no count");
    }
    settings.model.l1_for_global = given.text("l1") == "on";
  }
  if (given.has("banks")) {
    const bool is_kepler = model >= 30 && model < 40;
    if (!is_kepler) throw UsageError("--banks is for the models 3.x: others have one width");
    settings.model.banks_of_64_bits = given.text("banks") == "64";
  }
  if (given.has("profile")) settings.profile = read_profile(read_source(given.text("profile")));
  if (given.has("exact")) {
    settings.is_exact = true;
    settings.instruction_limit *= exact_patience;
  }
  settings.print = [](const std::string& text) { std::cerr << text << std::flush; };
  return settings;
}

std::shared_ptr<CompilerProcesses> compiler_processes(unsigned ahead) {
  auto processes = std::make_shared<CompilerProcesses>(
      std::vector<std::string>{program_path().string(), "worker", compiler_worker});
  processes->start_ahead(ahead);
  return processes;
}

std::string describe(const CompileStatistics& statistics, std::string_view gap) {
  constexpr double milli = 1e3;
  const std::size_t all = statistics.configurations + statistics.from_cache;
  const double each = all == 0 ? 0 : statistics.wall_seconds * milli / static_cast<double>(all);
  std::string text;
  if (statistics.configurations > 0) {
    text = fmt::format("{} in {} by {}, ", count_of(statistics.configurations, "configuration"),
                       count_of(statistics.programs, "program"),
                       count_of(statistics.compilers, "compiler"));
  }
  return text + fmt::format(
                    "{} from the cache;{}{:.3f} s from the start to the last, {:.3f} ms a "
                    "configuration",
                    format_thousands(statistics.from_cache), gap, statistics.wall_seconds, each);
}

namespace {

namespace fs = std::filesystem;

/// The folder that a variable names; empty when it is not set or relative.
fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  const fs::path folder = value != nullptr ? value : "";
  return folder.is_absolute() ? folder : fs::path();
}

}  // namespace

std::optional<CacheSettings> program_cache_settings() {
  CacheSettings settings;
  const char* limit = std::getenv("SWEEP_CACHE_LIMIT");
  if (limit != nullptr && *limit != '\0') {
    const std::optional<std::uint64_t> bytes = parse_bytes(limit);
    if (!bytes) {
      throw UsageError(
          "SWEEP_CACHE_LIMIT is '{}': give bytes, such as 256 Mi or 2 GiB, or 0 for no cache",
          limit);
    }
    settings.limit = *bytes;
  }
  const fs::path cache = folder_in("XDG_CACHE_HOME");
  const fs::path home = folder_in("HOME");
  if (cache.empty() && home.empty()) return std::nullopt;
  settings.folder = (cache.empty() ? home / ".cache" : cache) / "sweep";
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
