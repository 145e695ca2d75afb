#include "report/index/run_history.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/point_columns.h"

namespace sweep {
namespace {

/// The winner's figure as the search measured it anew; nothing where it did not.
std::optional<Estimate> figure_in_rounds(const TunedGroup& group) {
  if (group.rounds == 0 || group.figure_low <= 0) return std::nullopt;
  return Estimate{group.figure, Interval{group.figure_low, group.figure_high}};
}

/// By the metric that was searched by; where a winner was measured anew, this counts.
ComparisonRequest request_for(const RunResults& before, const RunResults& after) {
  const TuningRecord& tuning = *after.run.tuning;
  ComparisonRequest request;
  request.metrics = {{tuning.metric, tuning.origin, tuning.origin, tuning.better}};
  const bool is_of_rate = definition_of(tuning.metric).relation == TimeRelation::inverse;
  const std::vector<TunedGroup>& groups = before.run.tuning->groups;
  for (const StoredPoint& winner : before.points) {
    auto& ratio = request.in_turn.emplace_back();
    const auto old = std::ranges::find(groups, winner.ordinal, &TunedGroup::winner);
    const auto found = std::ranges::find(tuning.groups, old->group, &TunedGroup::group);
    if (found == tuning.groups.end() || !found->winner) continue;
    const auto figure = figure_in_rounds(*old);
    const auto new_figure = figure_in_rounds(*found);
    if (!figure || !new_figure) continue;
    ratio = ratio_of(*figure, *new_figure);
    if (is_of_rate) ratio = inverse(*ratio);
  }
  return request;
}

/// "BLOCK is 256 in A and 512 in B" of what sets two winners apart.
std::string describe_apart(const Bindings& before, const Bindings& after) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : after.entries()) {
    const Value* old = before.find(name);
    if (old != nullptr && *old == value) continue;
    parts.push_back(fmt::format("{} is {} in A and {} in B", name,
                                old != nullptr ? to_string(*old) : "nothing", to_string(value)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool has_better(const RunComparison& comparison) {
  return comparison.count(PairStatus::fixed) > 0 ||
         std::ranges::any_of(comparison.metrics, [](const ComparedMetric& metric) {
           return metric.judges && metric.summary.count(Change::better) > 0;
         });
}

/// The geometric mean over all that is judged; how many times as good B is.
std::optional<Estimate> gain_of(const RunComparison& comparison) {
  std::vector<Estimate> gains;
  for (const ComparedMetric& metric : comparison.metrics) {
    if (!metric.judges || !metric.summary.mean) continue;
    gains.push_back(metric.better == Better::higher ? *metric.summary.mean
                                                    : inverse(*metric.summary.mean));
  }
  return geometric_mean(gains);
}

void describe_step(const RunComparison& comparison, HistoryStep& step) {
  step.course = has_regression(comparison) ? Course::worse
                : has_better(comparison)   ? Course::better
                                           : Course::same;
  step.verdict = describe_verdict(comparison);
  step.differences = comparison.differences;
  if (step.course == Course::same) return;
  const std::vector<ComparisonRow> rows = changed_rows(comparison);
  const Change wanted = step.course == Course::worse ? Change::worse : Change::better;
  if (!rows.empty() && rows.front().change->change == wanted) {
    step.largest = describe_row(rows.front(), comparison);
    return;
  }
  const PairStatus outcome =
      step.course == Course::worse ? PairStatus::failed_after : PairStatus::fixed;
  const auto found =
      std::ranges::find(comparison.configurations, outcome, &ConfigurationComparison::status);
  if (found == comparison.configurations.end()) return;
  step.largest = fmt::format("{}: {}", describe(*found, comparison.parameters), describe(outcome));
}

Estimate scaled(const Estimate& estimate, double factor) {
  Estimate result = {estimate.value * factor, {}};
  if (estimate.interval) {
    result.interval = Interval{estimate.interval->low * factor, estimate.interval->high * factor};
  }
  return result;
}

}  // namespace

RunHistory::Entry RunHistory::entry_of(std::size_t place, ComparedRun run) {
  RunResults& results = run.results;
  if (!results.run.tuning) return {place, std::move(run)};
  std::vector<StoredPoint> points;
  std::vector<Bindings> winners;
  for (const TunedGroup& group : results.run.tuning->groups) {
    if (!group.winner) continue;
    const auto found = std::ranges::find(results.points, *group.winner, &StoredPoint::ordinal);
    if (found == results.points.end()) continue;
    StoredPoint& point = points.emplace_back(*found);
    PointKey& key = point.point.key;
    winners.push_back(with_pattern(key.pattern_name, key.parameters));
    key.pattern_name = results.run.provenance.sweep_name;
    key.parameters = {};
    for (const auto& [name, value] : group.group.entries()) {
      if (name == "pattern") {
        key.pattern_name = to_string(value);
      } else {
        key.parameters.set(name, value);
      }
    }
    point.point.derived.clear();
  }
  results.points = std::move(points);
  return {place, std::move(run), std::move(winners)};
}

std::optional<RunComparison> RunHistory::compare(const Entry& before, const Entry& after,
                                                 std::string& why) {
  try {
    if (!after.run.results.run.tuning) return compare_runs(before.run, after.run);
    RunComparison comparison =
        compare_runs(before.run, after.run, request_for(before.run.results, after.run.results));
    for (const ConfigurationComparison& each : comparison.configurations) {
      if (!each.before || !each.after) continue;
      const std::string apart =
          describe_apart(before.winners[*each.before], after.winners[*each.after]);
      if (apart.empty()) continue;
      comparison.differences.push_back({fmt::format(
          "the winners{} differ: {}",
          before.winners.size() == 1 ? "" : " of " + describe(each, comparison.parameters),
          apart)});
    }
    return comparison;
  } catch (const ComparisonError& error) {
    why = error.what();
    return std::nullopt;
  }
}

const HistoryStep& RunHistory::add(ComparedRun run, const OnComparison& on_change) {
  const std::size_t place = steps_.size();
  HistoryStep& step = steps_.emplace_back();
  step.label = run.label;
  step.started = run.results.run.started;
  const bool is_part = run.results.run.provenance.share.is_part();
  if (is_part || run.results.run.state != RunState::finished) {
    step.course = Course::unfinished;
    step.verdict =
        is_part ? "a shard is compared with none" : "it did not finish, and is compared with none";
    return step;
  }
  newest_ = entry_of(place, std::move(run));
  if (!reference_) {
    step.verdict = "the first run";
    step.level = Estimate{1, {}};
    reference_ = newest_;
    return step;
  }
  const double base = steps_[reference_->place].level.value().value;
  step.level = Estimate{base, {}};
  const auto comparison = compare(*reference_, *newest_, step.verdict);
  if (comparison) {
    step.against = reference_->place;
    describe_step(*comparison, step);
    if (const auto gain = gain_of(*comparison)) step.level = scaled(*gain, base);
    if (step.course == Course::same) return step;
    if (on_change) on_change(*comparison);
    std::string ignored;
    if (step.course == Course::worse && !open_) open_ = Open{place, *reference_};
    if (step.course == Course::better && open_) {
      const auto with_good = compare(open_->good, *newest_, ignored);
      if (!with_good || !has_regression(*with_good)) open_.reset();
      step.is_made_good = with_good && !has_regression(*with_good) && !has_better(*with_good);
    }
  } else {
    step.course = Course::apart;
    open_.reset();
  }
  reference_ = newest_;
  return step;
}

std::optional<Regression> RunHistory::regression(const OnComparison& on_change) const {
  if (!open_) return std::nullopt;
  std::string ignored;
  const auto comparison = compare(open_->good, *newest_, ignored);
  if (!comparison || !has_regression(*comparison)) return std::nullopt;
  Regression regression = {open_->since, open_->good.place, steps_[newest_->place]};
  describe_step(*comparison, regression.step);
  regression.step.against = open_->good.place;
  regression.step.level = gain_of(*comparison);
  if (on_change) on_change(*comparison);
  return regression;
}

}  // namespace sweep
