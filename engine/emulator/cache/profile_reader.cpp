#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "engine/emulator/cache/device_profile.h"
#include "engine/spec/map_reader.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

std::string capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

/// A key that takes true or false, or an integer from `least` to `most`.
struct FigureKey {
  std::string_view name;
  std::variant<unsigned DeviceProfile::*, std::uint64_t DeviceProfile::*, bool DeviceProfile::*>
      figure;
  std::int64_t least = 0;
  std::int64_t most = 0;
};

const std::vector<FigureKey> figure_keys = {
    {"multiprocessors", &DeviceProfile::multiprocessors, 1, 1024},
    {"max_threads_per_multiprocessor", &DeviceProfile::max_threads_per_multiprocessor, 32, 64 * Ki},
    {"max_blocks_per_multiprocessor", &DeviceProfile::max_blocks_per_multiprocessor, 1, 1024},
    {"max_threads_per_block", &DeviceProfile::max_threads_per_block, 1, 64 * Ki},
    {"registers_per_multiprocessor", &DeviceProfile::registers_per_multiprocessor, 1, 16 * Mi},
    {"registers_per_block", &DeviceProfile::registers_per_block, 1, 16 * Mi},
    {"shared_bytes_per_multiprocessor", &DeviceProfile::shared_bytes_per_multiprocessor, 0,
     16 * Mi},
    {"shared_bytes_per_block", &DeviceProfile::shared_bytes_per_block, 0, 16 * Mi},
    {"l1_bytes", &DeviceProfile::l1_bytes, 0, 16 * Mi},
    {"l1_is_unified", &DeviceProfile::l1_is_unified},
    {"l1_ways", &DeviceProfile::l1_ways, 1, 1024},
    {"l2_bytes", &DeviceProfile::l2_bytes, 0, Gi},
    {"l2_ways", &DeviceProfile::l2_ways, 1, 1024},
    {"dram_granularity", &DeviceProfile::dram_granularity, 32, 128},
};

std::vector<std::string> all_keys() {
  std::vector<std::string> keys = {"name", "compute_capability"};
  for (const FigureKey& key : figure_keys) keys.emplace_back(key.name);
  return keys;
}

class ProfileReader {
 public:
  ProfileReader(const YamlNode& node, Diagnostics& diagnostics)
      : node_(node),
        reader_(node, "the device profile", all_keys(), diagnostics),
        diagnostics_(diagnostics) {}

  DeviceProfile read() {
    if (!node_.is_map()) return profile_;
    read_capability();
    if (const std::string name = reader_.text("name"); !name.empty()) profile_.name = name;
    for (const FigureKey& key : figure_keys) read_figure(key);
    if (!diagnostics_.has_errors()) check_sizes();
    return profile_;
  }

 private:
  void read_capability() {
    const YamlNode* node =
        reader_.require("compute_capability", "for example compute_capability: 9.0");
    if (node == nullptr) return;
    const auto text = read_text(*node, "compute_capability", diagnostics_);
    if (!text) return;
    const auto& known = profiled_capabilities();
    const auto named = std::ranges::find(known, *text, capability_text);
    if (named != known.end()) {
      profile_ = builtin_profile(*named);
      return;
    }
    std::vector<std::string> names;
    std::ranges::transform(known, std::back_inserter(names), capability_text);
    diagnostics_.error(node->where, fmt::format("'{}' is not a known compute capability", *text),
                       suggest("", names, "the capabilities are"));
  }

  void read_figure(const FigureKey& key) {
    const auto expression = reader_.expression(key.name);
    const auto value = expression ? read_constant(*expression, diagnostics_) : std::nullopt;
    if (!value) return;
    const bool is_granularity = key.name == "dram_granularity";
    const auto fail = [&](const std::string& wanted) {
      diagnostics_.error(reader_.find(key.name)->where,
                         fmt::format("'{}' must be {}", key.name, wanted));
    };
    const auto assign = [&]<class Figure>(Figure DeviceProfile::*figure) {
      if constexpr (std::is_same_v<Figure, bool>) {
        const auto* on = std::get_if<bool>(&*value);
        if (on == nullptr) return fail("true or false");
        profile_.*figure = *on;
      } else {
        const auto* number = std::get_if<std::int64_t>(&*value);
        const bool fits = number != nullptr && *number >= key.least && *number <= key.most;
        if (is_granularity && !(fits && (*number == 32 || *number == 64 || *number == 128))) {
          return fail("32, 64 or 128");
        }
        if (!fits) {
          return fail(fmt::format("an integer from {} to {}", key.least, format_count(key.most)));
        }
        profile_.*figure = static_cast<Figure>(*number);
      }
    };
    std::visit(assign, key.figure);
  }

  void check_sizes() {
    check_not_above("shared_bytes_per_block", profile_.shared_bytes_per_block,
                    "shared_bytes_per_multiprocessor", profile_.shared_bytes_per_multiprocessor);
    check_not_above("registers_per_block", profile_.registers_per_block,
                    "registers_per_multiprocessor", profile_.registers_per_multiprocessor);
    check_not_above("max_threads_per_block", profile_.max_threads_per_block,
                    "max_threads_per_multiprocessor", profile_.max_threads_per_multiprocessor);
    if (profile_.l1_is_unified) {
      check_not_above("shared_bytes_per_multiprocessor", profile_.shared_bytes_per_multiprocessor,
                      "l1_bytes", profile_.l1_bytes);
    }
  }

  /// One of the two was given, or the built-in figures would fit.
  void check_not_above(std::string_view part, std::uint64_t part_size, std::string_view whole,
                       std::uint64_t whole_size) {
    if (part_size <= whole_size) return;
    const YamlNode* given = reader_.find(part);
    if (given == nullptr) given = reader_.find(whole);
    diagnostics_.error(
        (given != nullptr ? *given : node_).where,
        fmt::format("'{}' ({}) is more than '{}' ({})", part, part_size, whole, whole_size),
        "give both; what is left out is taken from a built-in profile");
  }

  const YamlNode& node_;
  MapReader reader_;
  Diagnostics& diagnostics_;
  DeviceProfile profile_;
};

}  // namespace

DeviceProfile read_profile(const SourcePtr& source) {
  Diagnostics diagnostics;
  const auto node = read_yaml(source, diagnostics);
  DeviceProfile profile;
  if (node) profile = ProfileReader(*node, diagnostics).read();
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
  return profile;
}

}  // namespace sweep
