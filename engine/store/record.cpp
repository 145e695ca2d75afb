#include "engine/store/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {
std::string_view to_string(RunState state) {
  constexpr std::array<std::string_view, 3> names = {"running", "finished", "interrupted"};
  return names.at(static_cast<std::size_t>(state));
}

std::string_view to_string(SampleMark mark) {
  constexpr std::array<std::string_view, 3> names = {"", "low clock", "outlier"};
  return names.at(static_cast<std::size_t>(mark));
}

std::string key_text(const PointKey& key) {
  constexpr std::array<std::string_view, 4> kinds = {"integer", "boolean", "element", "word"};
  std::string text = "point 1\n";
  const auto add = [&](std::string_view name, std::string_view part) {
    fmt::format_to(std::back_inserter(text), "{} {}:{}\n", name, part.size(), part);
  };
  add("pattern", key.pattern_name);
  add("text", key.pattern_text);
  add("parameters", std::to_string(key.parameters.entries().size()));
  for (const auto& [name, value] : key.parameters.entries()) {
    add("name", name);
    add(kinds.at(static_cast<std::size_t>(kind_of(value))), to_string(value));
  }
  add("measure", key.measure);
  add("device", key.device);
  add("compiler", key.compiler);
  return text;
}

std::string key_hash(const PointKey& key) {
  const std::string text = key_text(key);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

bool is_cut_off(const PointRecord& point) {
  return point.status == PointStatus::ok && point.stopped_by == "cut-off";
}

bool lacks_counts(const PointRecord& point) {
  const auto is_emulated = [](const Metric& metric) { return metric.origin == Origin::emulated; };
  const auto says_why = [](const std::string& note) { return note.starts_with(not_counted); };
  return point.status == PointStatus::ok && std::ranges::none_of(point.metrics, is_emulated) &&
         std::ranges::none_of(point.notes, says_why);
}

Bindings with_pattern(std::string_view pattern, const Bindings& parameters) {
  Bindings bindings;
  bindings.set("pattern", std::string(pattern));
  for (const auto& [name, value] : parameters.entries()) bindings.set(name, value);
  return bindings;
}

}  // namespace sweep
