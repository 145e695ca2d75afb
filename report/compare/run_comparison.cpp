#include "report/compare/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "engine/text/units.h"

namespace sweep {
namespace {

PairStatus status_of(const PointPair& pair) {
  const auto [before, after] = pair;
  if (after == nullptr) return PairStatus::only_before;
  if (before == nullptr) return PairStatus::only_after;
  const bool works = after->status == PointStatus::ok;
  if (before->status == PointStatus::ok) {
    return works ? PairStatus::compared : PairStatus::failed_after;
  }
  return works ? PairStatus::fixed : PairStatus::failed_both;
}

Change change_of(const MetricChange& figures, const ComparedMetric& metric) {
  // A time of few samples may lie anywhere.
  if (!figures.ratio.interval) return Change::unclear;
  switch (side_of(cost_of(figures, metric), metric.threshold)) {
    case Side::within:
      return Change::same;
    case Side::above:
      return metric.better == Better::neither ? Change::changed : Change::worse;
    case Side::below:
      return metric.better == Better::neither ? Change::changed : Change::better;
    case Side::across:
      break;
  }
  return Change::unclear;
}

MetricChange compare_metric(const PointPair& pair, const ComparedMetric& metric) {
  MetricChange change;
  change.before = compared_figure(*pair.before, metric.before);
  change.after = compared_figure(*pair.after, metric.after);
  if (!change.before || !change.after) return change;
  change.ratio = ratio_of(*change.before, *change.after);
  change.change = change_of(change, metric);
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
  std::size_t in_both = 0;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (!each.before || !each.after) continue;
    ++in_both;
    if (each.status != PairStatus::failed_both) return;
  }
  const auto& [a, b] = std::tie(comparison.before.label, comparison.after.label);
  std::string message = in_both > 0
                            ? fmt::format("nothing to compare: {} of both {} and {} failed in both",
                                          count_of(in_both, "configuration"), a, b)
                            : fmt::format("{} and {} have no configuration in common", a, b);
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
  const auto varies_within_a_pattern = [&](const std::string& name) {
    std::map<std::string, std::optional<Value>> first;
    return std::ranges::any_of(configurations, [&](const ConfigurationComparison& each) {
      const std::optional<Value> value = each.value_of(name);
      return first.emplace(each.pattern, value).first->second != value;
    });
  };
  using ParameterList = std::vector<const ParameterValues*>;
  const auto tell_apart = [&](const ParameterList& names) {
    std::set<std::string> seen;
    return std::ranges::all_of(configurations, [&](const ConfigurationComparison& each) {
      std::string identity;
      for (const ParameterValues* parameter : names) {
        const std::optional<Value> value = each.value_of(parameter->name);
        identity += value ? to_string(*value) + '\n' : "\n\n";
      }
      return seen.insert(std::move(identity)).second;
    });
  };
  const std::vector<ParameterValues> parameters = parameters_of(points);
  ParameterList told;
  for (const ParameterValues& parameter : parameters) {
    if (parameter.name == "pattern" ? parameter.varies() : varies_within_a_pattern(parameter.name))
      told.push_back(&parameter);
  }
  if (tell_apart(told)) {
    for (std::size_t i = told.size(); i-- > 1;) {
      ParameterList fewer = told;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (tell_apart(fewer)) told = std::move(fewer);
    }
  }
  std::vector<ParameterValues> names;
  for (const ParameterValues* parameter : told) names.push_back(*parameter);
  return names.empty() ? parameters : names;
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
  Matching matching = match_configurations(old_points, new_points, request.match);
  comparison.configurations = std::move(matching.configurations);
  comparison.notes = std::move(matching.notes);

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
      const bool has_failed = point != nullptr && point->status != PointStatus::ok;
      if (has_failed) each.reason = point->reason;
    }
  }
  check_any_in_both(comparison);
  if (!pairs.empty()) {
    comparison.metrics = choose_metrics(pairs, request.metrics, request.threshold);
    add_share_of_peak(comparison, pairs);
  }
  for (ConfigurationComparison& each : comparison.configurations) {
    if (each.status != PairStatus::compared) continue;
    for (const ComparedMetric& metric : comparison.metrics) {
      each.changes.push_back(compare_metric(pair_of(each), metric));
    }
  }
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    comparison.summaries.push_back(summarize(comparison, i));
  }
  comparison.parameters = telling_names(comparison.configurations);
  comparison.differences = differences_of(comparison);
  return comparison;
}

bool has_regression(const RunComparison& comparison) {
  if (comparison.count(PairStatus::failed_after) > 0) return true;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    const bool is_worse = comparison.summaries[i].count(Change::worse) > 0;
    if (comparison.metrics[i].judges && is_worse) return true;
  }
  return false;
}

}  // namespace sweep
