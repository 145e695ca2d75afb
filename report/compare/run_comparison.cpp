#include "report/compare/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "engine/text/units.h"

namespace sweep {
namespace {

bool succeeded(const PointRecord& point) {
  return point.status == PointStatus::ok;
}

PairStatus status_of(const PointRecord* before, const PointRecord* after) {
  if (after == nullptr) return PairStatus::only_before;
  if (before == nullptr) return PairStatus::only_after;
  if (succeeded(*before)) {
    return succeeded(*after) ? PairStatus::compared : PairStatus::failed_after;
  }
  return succeeded(*after) ? PairStatus::fixed : PairStatus::failed_both;
}

const PointRecord* point_at(const ComparedRun& run, std::optional<std::size_t> place) {
  return place ? &run.results.points[*place].point : nullptr;
}

Change change_of(const MetricChange& figures, const ComparedMetric& metric) {
  if (!figures.before || !figures.after) return Change::missing;
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
  if (change.before && change.after) change.ratio = ratio_of(*change.before, *change.after);
  change.change = change_of(change, metric);
  return change;
}

MetricSummary summarize(const RunComparison& comparison, std::size_t index) {
  const ComparedMetric& metric = comparison.metrics[index];
  MetricSummary summary;
  std::vector<Ratio> ratios;
  double most = 1;
  double least = 1;
  for (std::size_t i = 0; i < comparison.configurations.size(); ++i) {
    const auto& changes = comparison.configurations[i].changes;
    if (changes.empty()) continue;
    ++summary.counts.at(static_cast<std::size_t>(changes[index].change));
    if (changes[index].change == Change::missing) continue;
    ratios.push_back(changes[index].ratio);
    const double ratio = ratios.back().value;
    if (!std::isfinite(ratio) || ratio <= 0) ++summary.not_averaged;
    const double cost = cost_of(changes[index], metric).value;
    if (cost > most) {
      most = cost;
      summary.worst = i;
    }
    if (cost < least) {
      least = cost;
      summary.best = i;
    }
  }
  summary.mean = geometric_mean(ratios);
  return summary;
}

std::vector<PointPair> pairs_of(const RunComparison& comparison, const Matching& matching) {
  std::vector<PointPair> pairs;
  for (const ConfigurationMatch& match : matching.configurations) {
    const PointRecord* before = point_at(comparison.before, match.before);
    const PointRecord* after = point_at(comparison.after, match.after);
    if (status_of(before, after) == PairStatus::compared) pairs.push_back({before, after});
  }
  return pairs;
}

/// Nothing that succeeded at least once is no ground for "no regression".
void check_any_in_both(const RunComparison& comparison, const Matching& matching) {
  std::size_t in_both = 0;
  for (const ConfigurationMatch& match : matching.configurations) {
    if (!match.before || !match.after) continue;
    ++in_both;
    const PairStatus status = status_of(point_at(comparison.before, match.before),
                                        point_at(comparison.after, match.after));
    if (status != PairStatus::failed_both) return;
  }
  std::string message = in_both > 0
                            ? fmt::format("nothing to compare: {} of both {} and {} failed in both",
                                          count_of(in_both, "configuration"),
                                          comparison.before.label, comparison.after.label)
                            : fmt::format("{} and {} have no configuration in common",
                                          comparison.before.label, comparison.after.label);
  for (const std::string& note : matching.notes) message += "\n  " + note;
  throw ComparisonError(message);
}

/// What a GPU reaches of its own peak, where it is another one.
void add_share_of_peak(std::vector<ComparedMetric>& metrics, std::span<const PointPair> pairs,
                       const RunComparison& comparison) {
  const double before = comparison.before.results.run.provenance.device.peak_bandwidth();
  const double after = comparison.after.results.run.provenance.device.peak_bandwidth();
  const bool by_speed =
      std::ranges::any_of(metrics, [](const ComparedMetric& metric) { return metric.is_speed; });
  if (before == after || !by_speed) return;
  const MetricColumn column{"percent_of_peak", Origin::measured};
  const bool asked = std::ranges::any_of(
      metrics, [&](const ComparedMetric& metric) { return metric.before == column; });
  if (asked || !any_has_both(pairs, column, column)) return;
  const ComparedMetric share{column, column, Better::higher, metrics.front().threshold,
                             true,   false};
  metrics.push_back(share);
}

ConfigurationComparison compare_configuration(const RunComparison& comparison,
                                              const ConfigurationMatch& match) {
  const PointRecord* before = point_at(comparison.before, match.before);
  const PointRecord* after = point_at(comparison.after, match.after);
  ConfigurationComparison compared;
  compared.pattern = match.pattern;
  compared.parameters = match.parameters;
  compared.before = match.before;
  compared.after = match.after;
  compared.status = status_of(before, after);
  if (after != nullptr && !succeeded(*after)) {
    compared.reason = after->reason;
  } else if (before != nullptr && !succeeded(*before)) {
    compared.reason = before->reason;
  }
  if (compared.status != PairStatus::compared) return compared;
  for (const ComparedMetric& metric : comparison.metrics) {
    compared.changes.push_back(compare_metric({before, after}, metric));
  }
  return compared;
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

std::size_t RunComparison::count(PairStatus status) const {
  return static_cast<std::size_t>(
      std::ranges::count(configurations, status, &ConfigurationComparison::status));
}

Ratio cost_of(const MetricChange& change, const ComparedMetric& metric) {
  return metric.better == Better::higher ? inverse(change.ratio) : change.ratio;
}

RunComparison compare_runs(ComparedRun before, ComparedRun after,
                           const ComparisonRequest& request) {
  RunComparison comparison;
  comparison.before = std::move(before);
  comparison.after = std::move(after);
  Matching matching = match_configurations(comparison.before.results.points,
                                           comparison.after.results.points, request.match);
  check_any_in_both(comparison, matching);
  const std::vector<PointPair> pairs = pairs_of(comparison, matching);
  if (!pairs.empty()) {
    comparison.metrics = choose_metrics(pairs, request.metrics, request.threshold);
    add_share_of_peak(comparison.metrics, pairs, comparison);
  }
  for (const ConfigurationMatch& match : matching.configurations) {
    comparison.configurations.push_back(compare_configuration(comparison, match));
  }
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    comparison.summaries.push_back(summarize(comparison, i));
  }
  comparison.parameters = telling_names(comparison.configurations);
  comparison.differences = differences_of(comparison);
  comparison.notes = std::move(matching.notes);
  return comparison;
}

bool has_regression(const RunComparison& comparison) {
  if (comparison.count(PairStatus::failed_after) > 0) return true;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    if (comparison.metrics[i].judges && comparison.summaries[i].count(Change::worse) > 0)
      return true;
  }
  return false;
}

namespace {

/// Whether the configurations of some pattern differ in it.
bool varies_within_a_pattern(std::span<const ConfigurationComparison> configurations,
                             const std::string& name) {
  std::map<std::string, const Value*> first;
  for (const ConfigurationComparison& configuration : configurations) {
    const Value* value = configuration.parameters.find(name);
    const auto [known, is_new] = first.emplace(configuration.pattern, value);
    if (is_new) continue;
    const Value* other = known->second;
    if ((other == nullptr) != (value == nullptr)) return true;
    if (value != nullptr && *other != *value) return true;
  }
  return false;
}

bool tell_apart(std::span<const Bindings> environments,
                std::span<const ParameterValues* const> parameters) {
  std::set<std::string> seen;
  for (const Bindings& environment : environments) {
    std::string identity;
    for (const ParameterValues* parameter : parameters) {
      const Value* value = environment.find(parameter->name);
      identity += value != nullptr ? to_string(*value) + '\n' : std::string("\n\n");
    }
    if (!seen.insert(std::move(identity)).second) return false;
  }
  return true;
}

}  // namespace

std::vector<ParameterValues> telling_names(
    std::span<const ConfigurationComparison> configurations) {
  std::vector<PointRecord> records(configurations.size());
  std::vector<const PointRecord*> points;
  std::vector<Bindings> environments;
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].key.pattern_name = configurations[i].pattern;
    records[i].key.parameters = configurations[i].parameters;
    points.push_back(&records[i]);
    environments.push_back(environment_of(records[i]));
  }
  const std::vector<ParameterValues> parameters = parameters_of(points);
  std::vector<const ParameterValues*> told;
  for (const ParameterValues& parameter : parameters) {
    const bool tells = parameter.name == "pattern"
                           ? parameter.varies()
                           : varies_within_a_pattern(configurations, parameter.name);
    if (tells) told.push_back(&parameter);
  }
  if (tell_apart(environments, told)) {
    for (std::size_t i = told.size(); i-- > 1;) {
      std::vector<const ParameterValues*> fewer = told;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (tell_apart(environments, fewer)) told = std::move(fewer);
    }
  }
  std::vector<ParameterValues> names;
  for (const ParameterValues* parameter : told) names.push_back(*parameter);
  return names.empty() ? parameters : names;
}

}  // namespace sweep
