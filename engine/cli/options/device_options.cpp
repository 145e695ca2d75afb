#include "engine/cli/options/device_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <thread>

#include "engine/cli/command_error.h"
#include "engine/cuda/cuda_backend.h"
#include "engine/emulator/cache/device_profile.h"
#include "engine/emulator/execution/emulator_backend.h"
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
    throw UsageError(fmt::format("--{} {}: write a compute capability such as 9.0", option, text));
  }
  return std::stoi(digits);
}

namespace {

/// The GPU's number.
std::size_t device_index(const std::string& name) {
  std::size_t index = 0;
  if (name == "auto") return index;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc{} || end != name.data() + name.size()) {
    throw UsageError(
        fmt::format("--device {}: write auto, emulator, replay:FILE, or the number of a GPU that "
                    "'sweep devices' lists",
                    name));
  }
  return index;
}

}  // namespace

void check_device_name(const std::string& name) {
  if (name != emulator_name) device_index(name);
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

namespace {

bool is_fermi_or_kepler(int capability) {
  return capability >= 20 && capability < 50;
}

void apply_l1(const std::string& text, MemoryModel& model) {
  if (!is_fermi_or_kepler(model.compute_capability)) {
    throw UsageError("--l1 is for the models 2.x and 3.x: in others it changes no count");
  }
  model.l1_for_global = text == "on";
}

void apply_banks(const std::string& text, MemoryModel& model) {
  const bool is_kepler = model.compute_capability >= 30 && model.compute_capability < 40;
  if (!is_kepler) throw UsageError("--banks is for the models 3.x: others have one width");
  model.banks_of_64_bits = text == "64";
}

}  // namespace

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
  if (!has_rules(model)) {
    throw UsageError(fmt::format("--model {}: there are no rules for it; there are for {}",
                                 dotted(model), fmt::join(model_names(), " ")));
  }
  const std::vector<int>& profiled = profiled_capabilities();
  if (std::ranges::find(profiled, model) == profiled.end()) {
    throw UsageError(fmt::format("--model {}: no GPU of it is known; there are {}", dotted(model),
                                 fmt::join(model_names(), " ")));
  }
  const unsigned threads = std::max(std::thread::hardware_concurrency(), 1U);
  EmulatorSettings settings = emulator_settings(model, threads);
  if (given.has("l1")) apply_l1(given.text("l1"), settings.model);
  if (given.has("banks")) apply_banks(given.text("banks"), settings.model);
  if (given.has("profile")) settings.profile = read_profile(read_source(given.text("profile")));
  settings.print = [](const std::string& text) { std::cerr << text << std::flush; };
  return settings;
}

void make_exact(EmulatorSettings& settings) {
  constexpr std::uint64_t patience = 100;
  settings.is_exact = true;
  settings.instruction_limit *= patience;
}

}  // namespace sweep
