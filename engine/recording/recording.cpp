#include "engine/recording/recording.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "engine/text/characters.h"

namespace sweep {
namespace {

const RecordedMetric* find_exactly(const Recording& recording, std::string_view name,
                                   Origin origin) {
  const auto found = std::ranges::find_if(recording.metrics, [&](const RecordedMetric& metric) {
    return metric.name == name && metric.origin == origin;
  });
  return found != recording.metrics.end() ? &*found : nullptr;
}

void fill_in_metrics(Recording& recording) {
  std::map<std::pair<std::string, Origin>, std::string> units;
  for (const RecordedMetric& metric : recording.metrics) {
    if (!metric.unit.empty()) units[{metric.name, metric.origin}] = metric.unit;
  }
  recording.metrics.clear();
  std::set<std::pair<std::string, Origin>> seen;
  for (const RecordedEntry& entry : recording.entries) {
    for (const auto& [name, origin, figure] : entry.metrics) {
      if (!seen.emplace(name, origin).second) continue;
      const auto unit = units.find({name, origin});
      const MetricDefinition* known = find_metric(name);
      recording.metrics.push_back({name, origin,
                                   unit != units.end() ? unit->second
                                   : known != nullptr  ? known->unit
                                                       : std::string(),
                                   better_of(name)});
    }
  }
}

void keep_last_of_each(Recording& recording) {
  std::vector<RecordedEntry>& entries = recording.entries;
  const RecordingLookup lookup(entries, parameter_names(entries));
  std::vector<RecordedEntry> kept;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto places = lookup.find(entries[i].configuration);
    if (places.front() == i) kept.push_back(entries[places.back()]);
  }
  recording.replaced += entries.size() - kept.size();
  entries = std::move(kept);
}

}  // namespace

std::optional<double> figure_of(const RecordedEntry& entry, std::string_view name, Origin origin) {
  for (const Metric& metric : entry.metrics) {
    if (metric.name == name && metric.origin == origin) return metric.value;
  }
  return std::nullopt;
}

const RecordedMetric* find_metric(const Recording& recording, std::string_view name) {
  const NameAndOrigin split = split_origin(name);
  const bool has_origin = split.name != name;
  std::vector<std::string> names = {split.name};
  if (const MetricDefinition* known = find_metric(split.name)) names.push_back(known->name);
  for (const std::string& candidate : names) {
    for (const Origin origin : {Origin::measured, Origin::hardware, Origin::emulated}) {
      if (has_origin && origin != split.origin) continue;
      if (const auto* found = find_exactly(recording, candidate, origin)) return found;
    }
  }
  return nullptr;
}

std::string display_name(std::string_view name, Origin origin) {
  std::string result(name);
  if (origin != Origin::measured) result += '.' + std::string(to_string(origin));
  return result;
}

void complete(Recording& recording) {
  keep_last_of_each(recording);
  fill_in_metrics(recording);
}

NameAndOrigin split_origin(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot != std::string_view::npos && dot > 0) {
    if (const auto origin = find_origin(text.substr(dot + 1))) {
      return {std::string(text.substr(0, dot)), *origin};
    }
  }
  return {std::string(text), Origin::measured};
}

std::optional<double> microseconds_in(std::string_view unit) {
  constexpr double nano = 1e-3;
  constexpr double milli = 1e3;
  constexpr double whole = 1e6;
  // Files are in use that spell it with one l.
  constexpr std::array<std::pair<std::string_view, double>, 15> units = {{
      {"ns", nano},
      {"nanosecond", nano},
      {"nanoseconds", nano},
      {"us", 1},
      {"µs", 1},
      {"microsecond", 1},
      {"microseconds", 1},
      {"ms", milli},
      {"millisecond", milli},
      {"milliseconds", milli},
      {"miliseconds", milli},
      {"s", whole},
      {"sec", whole},
      {"second", whole},
      {"seconds", whole},
  }};
  const std::string text = in_small_letters(std::string(unit));
  for (const auto& [name, factor] : units) {
    if (name == text) return factor;
  }
  return std::nullopt;
}

bool is_named_as_time(std::string_view name) {
  return name == "time" || name.starts_with("time_");
}

Better better_of(std::string_view name) {
  if (const MetricDefinition* known = find_metric(name)) return known->better;
  constexpr std::array<std::string_view, 6> rates = {"/s",         "/j",      "flops",
                                                     "per_second", "fitness", "throughput"};
  constexpr std::array<std::string_view, 7> costs = {"time", "energy",  "cost",  "loss",
                                                     "edp",  "latency", "cycles"};
  const std::string text = in_small_letters(std::string(name));
  const auto is_in_name = [&](std::string_view part) { return text.find(part) != text.npos; };
  if (std::ranges::any_of(rates, is_in_name)) return Better::higher;
  return std::ranges::any_of(costs, is_in_name) ? Better::lower : Better::neither;
}

RecordingLookup::RecordingLookup(std::span<const RecordedEntry> entries,
                                 std::vector<std::string> names)
    : names_(std::move(names)) {
  places_.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    places_[key_of(entries[i].configuration)].push_back(i);
  }
}

std::span<const std::size_t> RecordingLookup::find(const Bindings& configuration) const {
  const auto found = places_.find(key_of(configuration));
  return found != places_.end() ? std::span(found->second) : std::span<const std::size_t>();
}

/// The values with their lengths before them, so that no two lists of values give the same text.
std::string RecordingLookup::key_of(const Bindings& configuration) const {
  std::string key;
  for (const std::string& name : names_) {
    const Value* value = configuration.find(name);
    if (value == nullptr) {
      key += '-';
      continue;
    }
    const bool* truth = std::get_if<bool>(value);
    const std::string text = truth != nullptr ? std::string(*truth ? "1" : "0") : to_string(*value);
    key += std::to_string(text.size());
    key += ':';
    key += text;
  }
  return key;
}

std::vector<std::string> parameter_names(std::span<const RecordedEntry> entries) {
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
  for (const RecordedEntry& entry : entries) {
    for (const auto& [name, value] : entry.configuration.entries()) {
      if (known.insert(name).second) names.push_back(name);
    }
  }
  return names;
}

}  // namespace sweep
