#include "report/compare/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "engine/store/record.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

PairStatus status_of(const PointPair& pair) {
  if (pair.after == nullptr) return PairStatus::only_before;
  if (pair.before == nullptr) return PairStatus::only_after;
  const bool worked = pair.before->status == PointStatus::ok;
  if (pair.after->status != PointStatus::ok) {
    return worked ? PairStatus::failed_after : PairStatus::failed_both;
  }
  return worked ? PairStatus::compared : PairStatus::fixed;
}

/// What a ratio of times says of the metric; nothing of one that does not follow the time.
std::optional<Estimate> ratio_by_time(const PointPair& pair, const ComparedMetric& metric,
                                      const std::optional<Estimate>& times) {
  const bool is_measured = metric.before.origin == Origin::measured;
  if (!times || metric.before != metric.after || !is_measured) return std::nullopt;
  if (metric.before.name == "time") return times;
  const MetricColumn bytes{"useful_bytes", Origin::measured};
  const bool is_inverse = definition_of(metric.before.name).relation == TimeRelation::inverse;
  const bool is_same_work = figure_of(*pair.before, bytes) == figure_of(*pair.after, bytes);
  return is_inverse && is_same_work ? std::optional(inverse(*times)) : std::nullopt;
}

MetricChange compare_metric(const PointPair& pair, const ComparedMetric& metric,
                            const std::optional<Estimate>& in_turn) {
  MetricChange change;
  change.before = compared_figure(*pair.before, metric.before);
  change.after = compared_figure(*pair.after, metric.after);
  if (!change.before || !change.after) return change;
  const auto measured = ratio_by_time(pair, metric, in_turn);
  change.ratio = measured ? *measured : ratio_of(*change.before, *change.after);
  // A time of few samples may lie anywhere.
  change.change = change.ratio.interval ? change_by(cost_of(change, metric), metric.threshold)
                                        : Change::unclear;
  const bool is_certain = change.change == Change::better || change.change == Change::worse;
  if (is_certain && metric.better == Better::neither) change.change = Change::changed;
  return change;
}

MetricSummary summarize(const RunComparison& comparison, std::size_t index) {
  MetricSummary summary;
  std::vector<Estimate> ratios;
  double most = 1;
  double least = 1;
  for (std::size_t i = 0; i < comparison.configurations.size(); ++i) {
    const auto& changes = comparison.configurations[i].changes;
    if (changes.empty()) continue;
    ++summary.counts.at(static_cast<std::size_t>(changes[index].change));
    if (changes[index].change == Change::missing) continue;
    const Estimate& ratio = ratios.emplace_back(changes[index].ratio);
    if (!std::isfinite(ratio.value) || ratio.value <= 0) ++summary.not_averaged;
    const double cost = cost_of(changes[index], comparison.metrics[index]).value;
    if (cost > most) summary.worst = i;
    if (cost < least) summary.best = i;
    most = std::max(most, cost);
    least = std::min(least, cost);
  }
  summary.mean = geometric_mean(ratios);
  return summary;
}

/// Nothing that succeeded at least once is no ground for "no regression".
void check_any_in_both(const RunComparison& comparison) {
  const bool has_any = std::ranges::any_of(comparison.configurations, [](const auto& each) {
    return each.before && each.after && each.status != PairStatus::failed_both;
  });
  if (has_any) return;
  const std::size_t failed = comparison.count(PairStatus::failed_both);
  const std::string runs = comparison.before.label + " and " + comparison.after.label;
  std::string message = failed > 0 ? fmt::format("nothing to compare: {} of both {} failed in both",
                                                 count_of(failed, "configuration"), runs)
                                   : runs + " have no configuration in common";
  for (const std::string& note : comparison.notes) message += "\n  " + note;
  throw ComparisonError(message);
}

/// What a GPU reaches of its own peak, where it is another one.
void add_share_of_peak(RunComparison& comparison, std::span<const PointPair> pairs) {
  std::vector<ComparedMetric>& metrics = comparison.metrics;
  const MetricColumn column{"percent_of_peak", Origin::measured};
  if (comparison.before.results.run.provenance.device.peak_bandwidth() ==
          comparison.after.results.run.provenance.device.peak_bandwidth() ||
      std::ranges::none_of(metrics, &ComparedMetric::is_speed) ||
      std::ranges::find(metrics, column, &ComparedMetric::before) != metrics.end() ||
      !any_has_both(pairs, column, column)) {
    return;
  }
  const double threshold = metrics.front().threshold;
  metrics.push_back({column, column, Better::higher, threshold, true, false});
}

/// "pattern" and the parameters that name each configuration to a reader.
std::vector<ParameterValues> telling_names(
    std::span<const ConfigurationComparison> configurations) {
  std::vector<PointRecord> records(configurations.size());
  std::vector<const PointRecord*> points;
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].key.pattern_name = configurations[i].pattern;
    records[i].key.parameters = configurations[i].parameters;
    points.push_back(&records[i]);
  }
  /// How many groups of configurations these names tell apart.
  const auto count_told = [&](const std::vector<std::string>& names) {
    std::set<std::vector<Bindings::Entry>> groups;
    for (const PointRecord& record : records) groups.insert(group_of(record.key, names).entries());
    return groups.size();
  };
  std::vector<ParameterValues> parameters = parameters_of(points);
  const std::size_t patterns = count_told({"pattern"});
  std::vector<std::string> told;
  for (const ParameterValues& parameter : parameters) {
    const bool varies = parameter.name == "pattern"
                            ? patterns > 1
                            : count_told({"pattern", parameter.name}) > patterns;
    if (varies) told.push_back(parameter.name);
  }
  if (told.empty()) return parameters;
  const bool are_all_told = count_told(told) == records.size();
  for (std::size_t i = told.size(); are_all_told && i-- > 1;) {
    std::vector<std::string> fewer = told;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (count_told(fewer) == records.size()) told = std::move(fewer);
  }
  std::erase_if(parameters, [&](const ParameterValues& parameter) {
    return std::ranges::find(told, parameter.name) == told.end();
  });
  return parameters;
}

/// What both runs have of one configuration.
struct SharedPoint {
  const StoredPoint* before = nullptr;
  const StoredPoint* after = nullptr;
  const ConfigurationComparison* configuration = nullptr;
};

bool has_same_text(const SharedPoint& shared) {
  return shared.before->point.key.pattern_text == shared.after->point.key.pattern_text;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// "cold" in "cache: cold, noise: 0.5 %"; empty where the rules have none.
std::string cache_of(const std::string& rules) {
  constexpr std::string_view key = "cache: ";
  if (!rules.starts_with(key)) return {};
  return rules.substr(key.size(), rules.find(',') - key.size());
}

/// The median of the anchor's times, of those that are positive numbers.
std::map<std::int64_t, double> anchor_times_of(const RunRecord& run) {
  std::map<std::int64_t, std::vector<double>> times;
  for (const AnchorRecord& anchor : run.anchors) {
    const bool is_time = std::isfinite(anchor.seconds) && anchor.seconds > 0;
    if (is_time) times[anchor.ordinal].push_back(anchor.seconds);
  }
  std::map<std::int64_t, double> medians;
  for (auto& [ordinal, values] : times) medians[ordinal] = median_of(std::move(values));
  return medians;
}

/// That points are one and the same measurement; empty where none is.
std::string describe_same_measurements(const RunComparison& comparison,
                                       const std::vector<SharedPoint>& shared) {
  // Ids are a database's own, samples are not: a point of another file may be a copy.
  const auto file_of = [](const ComparedRun& run) {
    return run.label.substr(0, run.label.rfind(':'));
  };
  const bool is_one_file = file_of(comparison.before) == file_of(comparison.after);
  const auto same = std::ranges::count_if(shared, [&](const SharedPoint& each) {
    return each.before->point == each.after->point &&
           (is_one_file || !each.before->point.samples.empty()) &&
           each.before->measured_by == each.after->measured_by;
  });
  if (same == 0) return {};
  return fmt::format(
      "{} of the {} in both runs {} one and the same measurement, which a run used again: it "
      "cannot differ; sweep run --fresh measures anew",
      format_thousands(static_cast<std::size_t>(same)), count_of(shared.size(), "configuration"),
      same == 1 ? "is" : "are");
}

/// The patterns whose texts differ; empty where none does.
std::string describe_texts(const std::vector<SharedPoint>& shared) {
  std::set<std::string> different;
  for (const SharedPoint& each : shared) {
    if (!has_same_text(each)) different.insert(each.after->point.key.pattern_name);
  }
  if (different.empty()) return {};
  const bool is_one = different.size() == 1;
  return fmt::format("the text{0} of the pattern{0} {1} differ{2}", is_one ? "" : "s",
                     in_words({different.begin(), different.end()}), is_one ? "s" : "");
}

/// How the clocks of configurations in both differ, as metrics of a GPU's run; empty where they
/// hardly do.
std::string describe_clocks(const std::vector<SharedPoint>& shared) {
  constexpr double noticeable = 0.01;
  std::vector<double> before;
  std::vector<double> after;
  for (const SharedPoint& each : shared) {
    const auto clock = measured_figure(each.before->point, "sm_clock");
    const auto new_clock = measured_figure(each.after->point, "sm_clock");
    if (!clock || !new_clock) continue;
    before.push_back(*clock);
    after.push_back(*new_clock);
  }
  if (before.empty()) return {};
  const double clock = median_of(std::move(before));
  const double new_clock = median_of(std::move(after));
  if (std::abs(new_clock / clock - 1) < noticeable) return {};
  return fmt::format("the multiprocessors ran at {:.0f} MHz in A and {:.0f} MHz in B", clock,
                     new_clock);
}

/// Anchors are chosen by a run's own order: only one that both chose says something.
std::vector<std::string> describe_anchors(const RunComparison& comparison,
                                          const std::vector<SharedPoint>& shared) {
  const auto before = anchor_times_of(comparison.before.results.run);
  const auto after = anchor_times_of(comparison.after.results.run);
  std::vector<std::string> texts;
  for (const SharedPoint& each : shared) {
    const auto old_time = before.find(each.before->ordinal);
    const auto new_time = after.find(each.after->ordinal);
    if (old_time == before.end() || new_time == after.end()) continue;
    texts.push_back(fmt::format(
        "the anchor configuration ({}) took {} us in A and {} us in B, {:+.1f} %: {}",
        describe(*each.configuration, comparison.parameters), format_figure(old_time->second * 1e6),
        format_figure(new_time->second * 1e6), (new_time->second / old_time->second - 1) * 100,
        has_same_text(each) ? "a hint of how far the machine itself changed"
                            : "its pattern's text differs, so this need not be the machine"));
  }
  return texts;
}

/// What sets two runs apart besides the figures, the serious first: other devices, measuring rules,
/// compilers, versions, patterns' texts; runs that did not finish; points that are one and the same
/// measurement; and whether the machine itself changed, by anchor configuration and clocks.
std::vector<RunDifference> differences_of(const RunComparison& comparison) {
  const ComparedRun& a = comparison.before;
  const ComparedRun& b = comparison.after;
  const Provenance& of_a = a.results.run.provenance;
  const Provenance& of_b = b.results.run.provenance;
  std::vector<SharedPoint> shared;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (!each.before || !each.after) continue;
    shared.push_back({&a.results.points[*each.before], &b.results.points[*each.after], &each});
  }
  std::vector<RunDifference> list;
  const auto add = [&](std::string text, bool is_serious = false) {
    if (!text.empty()) list.push_back({std::move(text), is_serious});
  };
  // "the compilers differ: NVRTC 12.4 in A, NVRTC 13.0 in B"
  const auto compare = [&](const char* what, const std::string& before, const std::string& after,
                           bool is_serious = false) {
    if (before == after) return false;
    const auto shown = [](const std::string& text) { return text.empty() ? "unknown" : text; };
    add(fmt::format("the {} differ: {} in A, {} in B", what, shown(before), shown(after)),
        is_serious);
    return true;
  };

  const bool is_other_device = compare("devices", of_a.device.name, of_b.device.name, true);
  if (!is_other_device && of_a.device.uuid != of_b.device.uuid) {
    add(fmt::format("A and B ran on different GPUs of the same kind ({})", of_b.device.name));
  }
  if (compare("measuring rules", of_a.measure, of_b.measure)) {
    const std::string before = cache_of(of_a.measure);
    const std::string after = cache_of(of_b.measure);
    if (!before.empty() && !after.empty() && before != after) {
      list.back().is_serious = true;
      list.back().text += "; what a warm cache holds does not come from memory";
    }
  }
  if (a.results.run.id == b.results.run.id && a.label == b.label) {
    add("A and B are the same run", true);
  } else {
    add(describe_same_measurements(comparison, shared), true);
  }
  for (const ComparedRun* run : {&a, &b}) {
    if (run->results.run.state == RunState::finished) continue;
    add(fmt::format(
        "{} {}: it may lack configurations", run == &a ? "A" : "B",
        run->results.run.state == RunState::interrupted ? "was interrupted" : "has not finished"));
  }
  add(describe_texts(shared));
  compare("compilers", of_a.compiler, of_b.compiler);
  compare("versions of sweep", of_a.engine_version, of_b.engine_version);
  if (of_a.device.backend == of_b.device.backend) {
    compare("drivers", of_a.device.driver, of_b.device.driver);
  }
  compare("hosts", of_a.host, of_b.host);
  for (std::string& text : describe_anchors(comparison, shared)) add(std::move(text));
  add(describe_clocks(shared), true);
  std::stable_partition(list.begin(), list.end(), std::mem_fn(&RunDifference::is_serious));
  return list;
}

}  // namespace

std::string_view to_string(Change change) {
  constexpr std::array<std::string_view, 6> names = {"same",    "better",  "worse",
                                                     "changed", "unclear", "missing"};
  return names.at(static_cast<std::size_t>(change));
}

std::string_view to_string(PairStatus status) {
  constexpr std::array<std::string_view, 6> names = {"compared",       "failed_in_b", "fixed",
                                                     "failed_in_both", "only_in_a",   "only_in_b"};
  return names.at(static_cast<std::size_t>(status));
}

std::optional<Value> ConfigurationComparison::value_of(const std::string& name) const {
  if (name == "pattern") return Value(pattern);
  const Value* value = parameters.find(name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::size_t RunComparison::count(PairStatus status) const {
  return static_cast<std::size_t>(
      std::ranges::count(configurations, status, &ConfigurationComparison::status));
}

Estimate cost_of(const MetricChange& change, const ComparedMetric& metric) {
  return metric.better == Better::higher ? inverse(change.ratio) : change.ratio;
}

RunComparison compare_runs(ComparedRun before, ComparedRun after,
                           const ComparisonRequest& request) {
  RunComparison comparison;
  comparison.before = std::move(before);
  comparison.after = std::move(after);
  const auto& old_points = comparison.before.results.points;
  const auto& new_points = comparison.after.results.points;
  static_cast<Matching&>(comparison) = match_configurations(old_points, new_points, request);

  const auto pair_of = [&](const ConfigurationComparison& each) {
    return PointPair{each.before ? &old_points[*each.before].point : nullptr,
                     each.after ? &new_points[*each.after].point : nullptr};
  };
  std::vector<PointPair> pairs;
  for (ConfigurationComparison& each : comparison.configurations) {
    const PointPair pair = pair_of(each);
    each.status = status_of(pair);
    if (each.status == PairStatus::compared) pairs.push_back(pair);
    for (const PointRecord* point : {pair.before, pair.after}) {
      if (point != nullptr && point->status != PointStatus::ok) each.reason = point->reason;
    }
  }
  check_any_in_both(comparison);
  if (!pairs.empty()) {
    comparison.metrics = choose_metrics(pairs, request.metrics, request.threshold);
    add_share_of_peak(comparison, pairs);
  }
  for (ConfigurationComparison& each : comparison.configurations) {
    if (each.status != PairStatus::compared) continue;
    const bool has_turn = *each.before < request.in_turn.size();
    const auto in_turn = has_turn ? request.in_turn[*each.before] : std::nullopt;
    for (const ComparedMetric& metric : comparison.metrics) {
      each.changes.push_back(compare_metric(pair_of(each), metric, in_turn));
    }
  }
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    comparison.metrics[i].summary = summarize(comparison, i);
  }
  comparison.parameters = telling_names(comparison.configurations);
  comparison.differences = differences_of(comparison);
  return comparison;
}

bool has_regression(const RunComparison& comparison) {
  return comparison.count(PairStatus::failed_after) > 0 ||
         std::ranges::any_of(comparison.metrics, [](const ComparedMetric& metric) {
           return metric.judges && metric.summary.count(Change::worse) > 0;
         });
}

}  // namespace sweep
