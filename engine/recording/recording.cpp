#include "engine/recording/recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "engine/store/ranking.h"
#include "engine/store/store.h"
#include "engine/text/characters.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

/// As the engine's table says, else as the name tells.
Better recorded_better_of(std::string_view name) {
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
      for (const RecordedMetric& metric : recording.metrics) {
        if (metric.name == candidate && metric.origin == origin) return &metric;
      }
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
  std::vector<RecordedEntry>& entries = recording.entries;
  const RecordingLookup lookup(entries, parameter_names(entries));
  std::vector<RecordedEntry> kept;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto places = lookup.find(entries[i].configuration);
    if (places.front() == i) kept.push_back(entries[places.back()]);
  }
  recording.replaced += entries.size() - kept.size();
  entries = std::move(kept);

  std::map<std::pair<std::string, Origin>, std::string> units;
  for (const RecordedMetric& metric : recording.metrics) {
    units[{metric.name, metric.origin}] = metric.unit;
  }
  recording.metrics.clear();
  std::set<std::pair<std::string, Origin>> seen;
  for (const RecordedEntry& entry : entries) {
    for (const auto& [name, origin, figure] : entry.metrics) {
      if (!seen.emplace(name, origin).second) continue;
      std::string& unit = units[{name, origin}];
      const MetricDefinition* known = find_metric(name);
      if (unit.empty() && known != nullptr) unit = known->unit;
      recording.metrics.push_back({name, origin, unit, recorded_better_of(name)});
    }
  }
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

namespace {

bool is_database(const std::filesystem::path& path) {
  constexpr std::string_view database_header = "SQLite format 3";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(database_header.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
         begin == database_header;
}

struct RunPoints {
  RunRecord run;
  std::vector<StoredPoint> points;
};

RunPoints load(const Store& store, std::optional<std::int64_t> wanted) {
  std::optional<RunPoints> best;
  for (RunRecord& run : store.runs()) {
    if (wanted && run.id != *wanted) continue;
    RunPoints candidate{std::move(run), {}};
    candidate.points = store.points(candidate.run.id);
    const auto rank = [](const RunPoints& of) {
      return std::tuple(of.points.size(), of.run.state == RunState::finished, of.run.id);
    };
    if (!best || rank(candidate) > rank(*best)) best = std::move(candidate);
  }
  if (best) return std::move(*best);
  const std::string path = store.path().string();
  throw StoreError(wanted ? fmt::format("{}: there is no run {}", path, *wanted)
                          : fmt::format("{}: there is no run in it", path),
                   StoreFault::missing);
}

std::string objective_of(const RunRecord& run, std::span<const StoredPoint> points) {
  if (run.tuning) return display_name(run.tuning->metric, run.tuning->origin);
  const std::vector<RankedGroup> groups = ranked_groups(points);
  if (groups.empty()) return {};
  const bool agree = std::ranges::all_of(groups, [&](const RankedGroup& group) {
    return group.ranked_by == groups.front().ranked_by;
  });
  return agree ? groups.front().ranked_by.metric : "time";
}

}  // namespace

Recording read_recording(const std::filesystem::path& path, std::optional<std::int64_t> run) {
  if (is_database(path)) return read_store(path, run);
  const std::string name = path.string();
  if (run) throw FileError(name + ": only a results database has runs to choose from", false);
  constexpr std::uintmax_t most_bytes = 512U << 20U;  // `sweep help limits` says so
  const std::string text = read_bounded(path, most_bytes, "a recording");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') {
    throw FileError(name + ": this is neither a results database nor JSON results", false);
  }
  return read_json_recording(text, name);
}

Recording recording_of(const RunRecord& run, std::span<const StoredPoint> points) {
  Recording recording;
  std::vector<std::string> patterns;
  for (const StoredPoint& stored : points) {
    const PointRecord& point = stored.point;
    const std::string& pattern = point.key.pattern_name;
    if (std::ranges::find(patterns, pattern) == patterns.end()) patterns.push_back(pattern);
    recording.entries.push_back(
        {with_pattern(pattern, point.key.parameters), point.status, point.reason,
         point.status == PointStatus::ok ? point.metrics : std::vector<Metric>()});
  }
  recording.origin.format = fmt::format("results database, run {}", run.id);
  const Device& device = run.provenance.device;
  recording.origin.device = device.name;
  recording.origin.is_emulated = device.backend == emulator_backend;
  recording.origin.multiprocessors = device.multiprocessors;
  recording.origin.l2_bytes = device.l2_bytes;
  recording.origin.kernel = fmt::format("{}", fmt::join(patterns, ", "));
  recording.origin.objective = objective_of(run, points);
  recording.unfinished = run.state != RunState::finished;
  complete(recording);
  return recording;
}

Recording read_store(const std::filesystem::path& path, std::optional<std::int64_t> run) {
  const Store store(path, Store::Mode::read_only);
  const RunPoints found = load(store, run);
  Recording recording = recording_of(found.run, found.points);
  recording.origin.file = path.string();
  return recording;
}

}  // namespace sweep
