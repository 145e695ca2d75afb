#include "engine/store/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "engine/text/characters.h"

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

std::string mistake_of(std::string_view reason) {
  constexpr std::string_view mark = "error: ";
  std::string mistake;
  for (std::string_view rest = reason; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t at = line.find(mark);
    const bool is_message = at == 0 || (at != line.npos && line.substr(0, at).ends_with(": "));
    if (!is_message) continue;
    mistake += line.substr(0, at + mark.size());
    std::ranges::copy_if(line.substr(at + mark.size()), std::back_inserter(mistake),
                         [](char c) { return !is_digit(c); });
    mistake += '\n';
  }
  return mistake.empty() ? std::string(reason) : mistake;
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

std::optional<std::string> note_on_others(const PointRecord& point) {
  const auto found = std::ranges::find_if(
      point.notes, [](const std::string& note) { return note.ends_with(computed_meanwhile); });
  return found != point.notes.end() ? std::optional(*found) : std::nullopt;
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

namespace {

/// By a bandwidth where all have it, of the origin that their times have.
RankedBy ranked_by_of(std::span<const StoredPoint> points, const std::vector<std::size_t>& places,
                      Origin origin) {
  constexpr std::array<std::string_view, 2> bandwidths = {"bandwidth", "shared_bandwidth"};
  for (const std::string_view name : bandwidths) {
    const RankedBy by = {std::string(name), Better::higher, origin};
    const bool have_all = std::ranges::all_of(
        places, [&](std::size_t i) { return figure_of(points[i].point, by).has_value(); });
    if (have_all) return by;
  }
  return {"time", Better::lower, origin};
}

/// The values of these names: equal for equal groups, whatever the order of their names.
using GroupIdentity = std::vector<std::optional<Value>>;

GroupIdentity identity_of(const Bindings& group, std::span<const std::string> names) {
  GroupIdentity identity;
  for (const std::string& name : names) {
    const Value* value = group.find(name);
    identity.push_back(value != nullptr ? std::optional(*value) : std::nullopt);
  }
  return identity;
}

}  // namespace

Bindings group_of(const PointKey& key, std::span<const std::string> for_each) {
  Bindings group;
  for (const std::string& name : for_each) {
    if (name == "pattern") {
      group.set(name, key.pattern_name);
    } else if (const Value* value = key.parameters.find(name)) {
      group.set(name, *value);
    }
  }
  return group;
}

std::vector<std::optional<std::size_t>> tuned_groups_of(std::span<const StoredPoint> points,
                                                        const TuningRecord& tuning) {
  std::map<GroupIdentity, std::size_t> tuned;
  for (std::size_t i = 0; i < tuning.groups.size(); ++i) {
    tuned.emplace(identity_of(tuning.groups[i].group, tuning.for_each), i);
  }
  std::vector<std::optional<std::size_t>> groups;
  for (const StoredPoint& stored : points) {
    const Bindings group = group_of(stored.point.key, tuning.for_each);
    const auto found = tuned.find(identity_of(group, tuning.for_each));
    groups.push_back(found != tuned.end() ? std::optional(found->second) : std::nullopt);
  }
  return groups;
}

std::vector<RankedGroup> ranked_groups(std::span<const StoredPoint> points,
                                       const TuningRecord* tuning,
                                       std::span<const std::string> apart) {
  std::vector<std::optional<std::size_t>> tuned(points.size());
  RankedBy ranked_by = {"time", Better::lower};
  const bool are_measured = std::ranges::any_of(points, [&](const StoredPoint& stored) {
    return figure_of(stored.point, ranked_by).has_value();
  });
  if (!are_measured) ranked_by.origin = Origin::predicted;
  std::vector<std::string> for_each = {"pattern"};
  for_each.insert(for_each.end(), apart.begin(), apart.end());
  if (tuning != nullptr) {
    tuned = tuned_groups_of(points, *tuning);
    ranked_by = {tuning->metric, tuning->better, tuning->origin};
    for_each = tuning->for_each;
  }
  std::vector<RankedGroup> groups;
  std::map<GroupIdentity, std::size_t> place_of;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointRecord& point = points[i].point;
    if (point.status != PointStatus::ok || !figure_of(point, ranked_by)) continue;
    Bindings group = group_of(point.key, for_each);
    const auto [place, is_new] = place_of.emplace(identity_of(group, for_each), groups.size());
    if (is_new) {
      if (tuning == nullptr && apart.empty()) group = {};
      groups.push_back({point.key.pattern_name, {}, ranked_by, std::move(group), tuned[i]});
    }
    groups[place->second].places.push_back(i);
  }
  if (tuning == nullptr) {
    for (RankedGroup& group : groups)
      group.ranked_by = ranked_by_of(points, group.places, ranked_by.origin);
  }
  return groups;
}

std::string describe_ranking(const TuningRecord& tuning) {
  if (tuning.origin == Origin::predicted) {
    return "ranked by predicted " + tuning.metric + ": a GPU may prefer another configuration";
  }
  if (tuning.origin != Origin::emulated) return {};
  return "ranked by " + tuning.metric +
         ", emulated: this is not speed; a GPU may prefer another configuration";
}

std::optional<double> measured_figure(const PointRecord& point, std::string_view metric) {
  return figure_of(point, {.metric = std::string(metric)});
}

std::optional<double> figure_of(const PointRecord& point, const RankedBy& ranked_by) {
  for (const auto& [name, origin, value] : point.metrics) {
    if (name != ranked_by.metric || origin != ranked_by.origin) continue;
    const bool counts = has_times(origin) ? value > 0 : value >= 0;
    return counts && std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

double device_spread(const std::vector<DeviceRecord>& devices) {
  constexpr double usual = 0.02;  // of GPUs of one kind
  double spread = 0;
  for (std::size_t i = 1; i < devices.size(); ++i) {
    const auto& [low, ratio, high] = devices[i].to_first;
    const double own = ratio > 0 ? std::max({high - 1, 1 - low, ratio - 1, 1 - ratio}) : usual;
    spread = std::max(spread, own);
  }
  return spread;
}

std::optional<int> RunRecord::device_of(const PointRecord& point) const {
  for (const DeviceRecord& device : devices) {
    if (!device.uuid.empty() && point.key.device.ends_with(device.uuid)) return device.index;
  }
  return std::nullopt;
}

std::optional<Interval> interval_of(const PointRecord& point, const RankedBy& ranked_by) {
  const auto figure = figure_of(point, ranked_by);
  if (figure && ranked_by.origin == Origin::emulated) return Interval{*figure, *figure};
  const MetricDefinition* metric = find_metric(ranked_by.metric);
  const bool is_known = metric != nullptr && has_times(ranked_by.origin);
  if (!is_known || !follows_median(*metric)) return std::nullopt;
  const auto of_time = [&](const char* name) {
    return figure_of(point, {name, Better::lower, ranked_by.origin});
  };
  const auto time = of_time("time");
  const auto low = of_time("time_low");
  const auto high = of_time("time_high");
  if (!figure || !time || !low || !high) return std::nullopt;
  const bool is_time = metric->relation == TimeRelation::proportional;
  return is_time ? Interval{*figure * (*low / *time), *figure * (*high / *time)}
                 : Interval{*figure * (*time / *high), *figure * (*time / *low)};
}

}  // namespace sweep
