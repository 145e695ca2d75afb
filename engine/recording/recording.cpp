#include "engine/recording/recording.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "engine/recording/metric_names.h"
#include "engine/recording/recording_lookup.h"

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
    units.insert_or_assign({metric.name, metric.origin}, metric.unit);
  }
  recording.metrics.clear();
  std::map<std::pair<std::string, Origin>, bool> seen;
  for (const RecordedEntry& entry : recording.entries) {
    for (const Metric& metric : entry.metrics) {
      if (!seen.try_emplace({metric.name, metric.origin}, true).second) continue;
      RecordedMetric recorded{metric.name, metric.origin, {}, better_of(metric.name)};
      const MetricDefinition* known = find_metric(metric.name);
      const auto unit = units.find({metric.name, metric.origin});
      if (unit != units.end() && !unit->second.empty()) {
        recorded.unit = unit->second;
      } else if (known != nullptr) {
        recorded.unit = known->unit;
      }
      recording.metrics.push_back(std::move(recorded));
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
  const MetricName split = split_origin(name);
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

}  // namespace sweep
