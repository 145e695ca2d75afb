#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/emulator/cache/device_profile.h"
#include "engine/spec/map_reader.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// major * 10 + minor from "9.0" or "12.0".
std::optional<int> parse_capability(std::string_view text) {
  const auto point = text.find('.');
  if (point == std::string_view::npos || text.size() != point + 2) return std::nullopt;
  int major = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + point, major);
  const char minor = text[point + 1];
  if (error != std::errc{} || end != text.data() + point || minor < '0' || minor > '9' ||
      major < 1 || major > 99) {
    return std::nullopt;
  }
  return major * 10 + (minor - '0');
}

std::string capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

const std::vector<std::string> keys = {"name",
                                       "compute_capability",
                                       "multiprocessors",
                                       "max_threads_per_multiprocessor",
                                       "max_blocks_per_multiprocessor",
                                       "max_threads_per_block",
                                       "registers_per_multiprocessor",
                                       "registers_per_block",
                                       "shared_bytes_per_multiprocessor",
                                       "shared_bytes_per_block",
                                       "l1_bytes",
                                       "l1_is_unified",
                                       "l1_ways",
                                       "l2_bytes",
                                       "l2_ways",
                                       "dram_granularity"};

class ProfileReader {
 public:
  ProfileReader(const YamlNode& node, Diagnostics& diagnostics)
      : node_(node),
        reader_(node, "the device profile", keys, diagnostics),
        diagnostics_(diagnostics) {}

  DeviceProfile read() {
    if (!node_.is_map()) return profile_;
    read_capability();
    if (const std::string name = reader_.text("name"); !name.empty()) profile_.name = name;
    read_number("multiprocessors", profile_.multiprocessors, 1, 1024);
    read_number("max_threads_per_multiprocessor", profile_.max_threads_per_multiprocessor, 32,
                64 * Ki);
    read_number("max_blocks_per_multiprocessor", profile_.max_blocks_per_multiprocessor, 1, 1024);
    read_number("max_threads_per_block", profile_.max_threads_per_block, 1, 64 * Ki);
    read_number("registers_per_multiprocessor", profile_.registers_per_multiprocessor, 1, 16 * Mi);
    read_number("registers_per_block", profile_.registers_per_block, 1, 16 * Mi);
    read_number("shared_bytes_per_multiprocessor", profile_.shared_bytes_per_multiprocessor, 0,
                16 * Mi);
    read_number("shared_bytes_per_block", profile_.shared_bytes_per_block, 0, 16 * Mi);
    read_number("l1_bytes", profile_.l1_bytes, 0, 16 * Mi);
    read_switch("l1_is_unified", profile_.l1_is_unified);
    read_number("l1_ways", profile_.l1_ways, 1, 1024);
    read_number("l2_bytes", profile_.l2_bytes, 0, Gi);
    read_number("l2_ways", profile_.l2_ways, 1, 1024);
    read_granularity();
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
    const auto capability = parse_capability(*text);
    if (capability && std::ranges::find(known, *capability) != known.end()) {
      profile_ = builtin_profile(*capability);
      return;
    }
    std::vector<std::string> names;
    std::ranges::transform(known, std::back_inserter(names), capability_text);
    diagnostics_.error(node->where, fmt::format("'{}' is not a known compute capability", *text),
                       suggest("", names, "the capabilities are"));
  }

  std::optional<Value> constant(std::string_view key) {
    const auto expression = reader_.expression(key);
    return expression ? read_constant(*expression, diagnostics_) : std::nullopt;
  }

  template <class Number>
  void read_number(std::string_view key, Number& result, std::int64_t least, std::int64_t most) {
    const auto value = constant(key);
    if (!value) return;
    const auto* number = std::get_if<std::int64_t>(&*value);
    if (number != nullptr && *number >= least && *number <= most) {
      result = static_cast<Number>(*number);
    } else {
      diagnostics_.error(
          reader_.find(key)->where,
          fmt::format("'{}' must be an integer from {} to {}", key, least, format_count(most)));
    }
  }

  void read_switch(std::string_view key, bool& result) {
    const auto value = constant(key);
    if (!value) return;
    if (const auto* on = std::get_if<bool>(&*value)) {
      result = *on;
    } else {
      diagnostics_.error(reader_.find(key)->where, fmt::format("'{}' must be true or false", key));
    }
  }

  void read_granularity() {
    const auto value = constant("dram_granularity");
    if (!value) return;
    const auto* bytes = std::get_if<std::int64_t>(&*value);
    if (bytes != nullptr && (*bytes == 32 || *bytes == 64 || *bytes == 128)) {
      profile_.dram_granularity = static_cast<unsigned>(*bytes);
    } else {
      diagnostics_.error(reader_.find("dram_granularity")->where,
                         "'dram_granularity' must be 32, 64 or 128");
    }
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
