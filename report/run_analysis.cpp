#include "report/run_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/text/units.h"
#include "report/metric_column.h"

namespace sweep {
namespace {

RunRecord find_run(const Store& store, std::optional<std::int64_t> id) {
  const std::vector<RunRecord> runs = store.runs();
  const auto fail = [&](const std::string& what) {
    throw StoreError(fmt::format("the file '{}' {}", store.path().string(), what),
                     StoreFault::missing);
  };
  if (runs.empty()) fail("holds no runs");
  if (!id) return runs.back();
  const auto found = std::ranges::find(runs, *id, &RunRecord::id);
  if (found == runs.end()) {
    fail(fmt::format("has no run {}; its newest is run {}", *id, runs.back().id));
  }
  return *found;
}

}  // namespace

std::size_t RunResults::count_failed() const {
  return static_cast<std::size_t>(std::ranges::count_if(points, [](const StoredPoint& stored) {
    return stored.point.status == PointStatus::failed;
  }));
}

std::string RunResults::describe_state() const {
  if (run.state == RunState::finished) return {};
  return run.state == RunState::interrupted
             ? "The run was interrupted: not all of its points are here."
             : "The run has not finished: it is still going on, or it was killed.";
}

RunResults load_results(const Store& store, std::optional<std::int64_t> run_id) {
  RunResults results;
  results.run = find_run(store, run_id);
  results.points = store.points(results.run.id);
  const auto& derived = results.run.provenance.derived;
  for (StoredPoint& stored : results.points) {
    const auto found = derived.find(stored.point.key.pattern_name);
    if (found != derived.end()) stored.point.derived = found->second;
  }
  StoredSweep stored = read_stored_sweep(results.run.provenance.sweep_text);
  results.layout = std::move(stored.report);
  results.expectations = std::move(stored.expect);
  results.summary = std::move(stored.summary);
  return results;
}

std::vector<const PointRecord*> records_of(std::span<const StoredPoint> points) {
  std::vector<const PointRecord*> records;
  records.reserve(points.size());
  for (const StoredPoint& stored : points) records.push_back(&stored.point);
  return records;
}

namespace {

class GroupJudge {
 public:
  GroupJudge(const RunResults& results, const RankedGroup& ranked, std::string label,
             std::vector<std::optional<PointVerdict>>& verdicts)
      : results_(results), ranked_(ranked), verdicts_(verdicts) {
    group_.pattern = ranked.pattern;
    group_.label = std::move(label);
    group_.metric = {ranked.ranked_by.metric, ranked.ranked_by.origin};
    group_.group = ranked.group;
    group_.tuned = ranked.tuned;
  }

  VerdictGroup judge() {
    for (const std::size_t i : ranked_.places) {
      PointVerdict& verdict = verdicts_[i].emplace();
      verdict.metric = group_.metric;
      verdict.group = group_.label;
      verdict.figure = figure_of(results_.points[i].point, ranked_.ranked_by).value();
      verdict.interval = interval_of(results_.points[i].point, ranked_.ranked_by);
    }
    std::vector<std::size_t> ranked = ranked_.places;
    std::ranges::stable_sort(ranked, [&](std::size_t a, std::size_t b) { return better(a, b); });
    const auto winner = winner_searched();
    const auto compared_best = winner ? winner : best_compared();
    group_.best = compared_best.value_or(best_with_interval(ranked));
    for (const std::size_t i : ranked) judge_point(i, compared_best.has_value());
    return std::move(group_);
  }

 private:
  bool lower_is_better() const { return ranked_.ranked_by.better == Better::lower; }

  bool better(std::size_t a, std::size_t b) const {
    const double left = verdicts_[a]->figure;
    const double right = verdicts_[b]->figure;
    return lower_is_better() ? left < right : left > right;
  }

  const ComparisonRecord* comparison_of(std::size_t i) const {
    const auto& comparisons = results_.run.comparisons;
    const auto found =
        std::ranges::find(comparisons, results_.points[i].ordinal, &ComparisonRecord::ordinal);
    return found != comparisons.end() ? &*found : nullptr;
  }

  /// The first of the group's points for which it holds.
  template <typename Holds>
  std::optional<std::size_t> find_point(Holds holds) const {
    const auto found = std::ranges::find_if(ranked_.places, holds);
    return found != ranked_.places.end() ? std::optional(*found) : std::nullopt;
  }

  /// What the search that has ended says is the best.
  std::optional<std::size_t> winner_searched() const {
    if (!ranked_.tuned) return std::nullopt;
    const auto& winner = results_.run.tuning->groups[*ranked_.tuned].winner;
    return find_point([&](std::size_t i) { return winner == results_.points[i].ordinal; });
  }

  /// The point that the others were compared with; nothing when it is not one of this group.
  std::optional<std::size_t> best_compared() const {
    return find_point([&](std::size_t i) {
      const ComparisonRecord* comparison = comparison_of(i);
      return comparison != nullptr && comparison->slowdown_low == 1 && comparison->slowdown == 1 &&
             comparison->slowdown_high == 1;
    });
  }

  /// Of points in their order; the first when none has an interval. What was cut off is not the
  /// best unless all was.
  std::size_t best_with_interval(const std::vector<std::size_t>& ranked) const {
    const auto is_whole = [&](std::size_t i) { return !is_cut_off(results_.points[i].point); };
    const auto found = std::ranges::find_if(
        ranked, [&](std::size_t i) { return is_whole(i) && verdicts_[i]->interval.has_value(); });
    if (found != ranked.end()) return *found;
    const auto first = std::ranges::find_if(ranked, is_whole);
    return first != ranked.end() ? *first : ranked.front();
  }

  /// By the intervals alone.
  PointVerdict::Kind kind_of(const PointVerdict& verdict, const PointVerdict& best) const {
    if (!verdict.interval || !best.interval) return PointVerdict::Kind::not_compared;
    const bool slower = lower_is_better() ? verdict.interval->low > best.interval->high
                                          : verdict.interval->high < best.interval->low;
    return slower ? PointVerdict::Kind::slower : PointVerdict::Kind::same;
  }

  /// Points are judged in their order: the last one that is slower is the slowest.
  void judge_point(std::size_t i, bool with_comparisons) {
    PointVerdict& verdict = *verdicts_[i];
    const ComparisonRecord* comparison = with_comparisons ? comparison_of(i) : nullptr;
    if (comparison != nullptr) verdict.rounds = comparison->rounds;
    if (i == group_.best) return;
    const PointVerdict& best = *verdicts_[group_.best];
    double slowdown = 1;
    if (comparison != nullptr) {
      verdict.kind =
          comparison->slowdown_low > 1 ? PointVerdict::Kind::slower : PointVerdict::Kind::same;
      slowdown = comparison->slowdown;
    } else {
      verdict.kind = is_cut_off(results_.points[i].point) ? PointVerdict::Kind::cut_off
                                                          : kind_of(verdict, best);
      slowdown = lower_is_better() ? verdict.figure / best.figure : best.figure / verdict.figure;
      if (std::isnan(slowdown)) slowdown = 1;  // Both are 0.
    }
    verdict.slower = slowdown - 1;
    verdict.ratio = lower_is_better() ? slowdown : 1 / slowdown;
    if (verdict.kind == PointVerdict::Kind::slower || verdict.kind == PointVerdict::Kind::cut_off) {
      if (slowdown > 1) group_.slowest = i;
    } else if (verdict.kind == PointVerdict::Kind::same) {
      group_.same.push_back(i);
    } else {
      ++group_.not_compared;
    }
  }

  const RunResults& results_;
  const RankedGroup& ranked_;
  std::vector<std::optional<PointVerdict>>& verdicts_;
  VerdictGroup group_;
};

/// Beside a best of 0 there is no ratio.
std::string describe_distance(const PointVerdict& verdict) {
  return std::isfinite(verdict.slower) ? describe_difference(verdict.ratio, verdict.metric)
                                       : "worse";
}

/// The best and the slowest of all groups; `judged` has null for a pattern's only point.
std::optional<RunExtremes> find_extremes(const RunResults& results,
                                         const std::vector<RankedGroup>& ranked,
                                         const std::vector<const VerdictGroup*>& judged) {
  const RankedBy& by = ranked.front().ranked_by;
  if (!std::ranges::all_of(ranked, [&](const RankedGroup& each) { return each.ranked_by == by; })) {
    return std::nullopt;
  }
  const auto figure = [&](std::size_t i) { return figure_of(results.points[i].point, by).value(); };
  const auto is_better = [&](std::size_t a, std::size_t b) {
    return by.better == Better::lower ? figure(a) < figure(b) : figure(a) > figure(b);
  };
  std::vector<std::size_t> bests;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    bests.push_back(judged[i] != nullptr ? judged[i]->best : ranked[i].places.front());
  }
  const auto first = std::ranges::min_element(bests, is_better);
  RunExtremes extremes = {{by.metric, by.origin}, *first, figure(*first)};
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    std::optional<std::size_t> slow;
    if (bests.begin() + static_cast<std::ptrdiff_t>(i) != first) {
      slow = *std::ranges::max_element(ranked[i].places, is_better);
    } else if (judged[i] != nullptr) {
      slow = judged[i]->slowest;  // of its own group only what the verdict knows to be slower
    }
    if (!slow || !is_better(extremes.best, *slow)) continue;
    if (!extremes.slowest || is_better(*extremes.slowest, *slow)) extremes.slowest = slow;
  }
  if (!extremes.slowest) return extremes;
  const double ratio = figure(*extremes.slowest) / extremes.figure;
  const bool is_rough = is_cut_off(results.points[*extremes.slowest].point);
  extremes.distance =
      fmt::format("{}{} than the best", is_rough ? "cut off, about " : "",
                  std::isfinite(ratio) ? describe_difference(ratio, extremes.metric) : "worse");
  return extremes;
}

}  // namespace

std::string to_string(const PointVerdict& verdict) {
  switch (verdict.kind) {
    case PointVerdict::Kind::best:
      return "best";
    case PointVerdict::Kind::same:
      return "same as best";
    case PointVerdict::Kind::not_compared:
      return "not compared";
    case PointVerdict::Kind::cut_off:
      return verdict.slower > 0 ? "cut off, about " + describe_distance(verdict) : "cut off";
    case PointVerdict::Kind::slower:
      break;
  }
  return describe_distance(verdict);
}

std::string describe_among_groups(const PointVerdict& verdict) {
  const std::string text = to_string(verdict);
  const bool names_best =
      verdict.kind == PointVerdict::Kind::best || verdict.kind == PointVerdict::Kind::same;
  return names_best && !verdict.group.empty() ? text + " of " + verdict.group : text;
}

std::string_view word_for_slowest(const MetricColumn& metric) {
  const bool is_of_speed = metric.origin == Origin::measured &&
                           definition_of(metric.name).relation != TimeRelation::unrelated;
  return is_of_speed ? "slowest" : "worst";
}

Verdicts judge(const RunResults& results, const std::vector<ParameterValues>& parameters) {
  Verdicts verdicts;
  verdicts.of_points.resize(results.points.size());
  const TuningRecord* tuning = results.run.tuning ? &*results.run.tuning : nullptr;
  const std::vector<RankedGroup> ranked = ranked_groups(results.points, tuning);
  verdicts.groups.reserve(ranked.size());
  std::vector<const VerdictGroup*> judged;
  for (const RankedGroup& group : ranked) {
    const bool is_judged = group.places.size() > 1 || tuning != nullptr;
    if (is_judged) {
      std::string label;  // what sets the group apart from the others
      if (ranked.size() > 1) {
        label = tuning == nullptr ? group.pattern
                                  : describe_group(group.group, tuning->for_each, parameters);
      }
      verdicts.groups.push_back(
          GroupJudge(results, group, std::move(label), verdicts.of_points).judge());
    }
    judged.push_back(is_judged ? &verdicts.groups.back() : nullptr);
  }
  if (!verdicts.groups.empty()) verdicts.overall = find_extremes(results, ranked, judged);
  return verdicts;
}

std::string describe_figure(const MetricColumn& metric, double figure) {
  const std::string unit = unit_of(metric.name);
  return format_figure(figure) + (unit.empty() ? unit : ' ' + unit);
}

std::string describe_same(std::size_t count) {
  if (count == 0) return {};
  return fmt::format("; {} {} the same", count_of(count, "configuration"),
                     count == 1 ? "is" : "are");
}

std::string describe_not_compared(const VerdictGroup& group) {
  if (group.not_compared == 0) return {};
  return fmt::format("{} {} not compared, for want of an interval",
                     format_thousands(group.not_compared), group.not_compared == 1 ? "is" : "are");
}

bool is_won(const RunResults& results, const VerdictGroup& group) {
  return group.tuned &&
         results.run.tuning->groups[*group.tuned].winner == results.points[group.best].ordinal;
}

RunAnalysis::RunAnalysis(const RunResults& run_results)
    : results(run_results),
      points(records_of(results.points)),
      parameters(parameters_of(points)),
      told(telling_parameters(parameters)),
      verdicts(judge(results, parameters)),
      told_in_group(told) {
  if (const auto& tuning = results.run.tuning) {
    told_in_group = telling_parameters(parameters, tuning->for_each);
  } else if (verdicts.groups.size() > 1) {
    std::erase_if(told_in_group,
                  [](const ParameterValues& each) { return each.name == "pattern"; });
  }
}

std::vector<std::size_t> best_of_patterns(const RunAnalysis& run) {
  // Groups of different metrics cannot be compared: the first stays.
  const auto is_better = [&](const VerdictGroup& group, const VerdictGroup& other) {
    const auto& a = run.verdicts.of_points[group.best];
    const auto& b = run.verdicts.of_points[other.best];
    if (!a || !b || group.metric != other.metric) return false;
    const bool is_lower = better_for(group.metric, run.results.run.tuning) == Better::lower;
    return is_lower ? a->figure < b->figure : a->figure > b->figure;
  };
  std::map<std::string, const VerdictGroup*> best;
  for (const VerdictGroup& group : run.verdicts.groups) {
    const VerdictGroup*& known = best[group.pattern];
    if (known == nullptr || is_better(group, *known)) known = &group;
  }
  std::vector<std::size_t> places;
  std::set<std::string> met;
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    const std::string& pattern = run.points[i]->key.pattern_name;
    if (run.points[i]->status != PointStatus::ok || !met.insert(pattern).second) continue;
    const auto found = best.find(pattern);
    places.push_back(found != best.end() ? found->second->best : i);
  }
  return places;
}

std::vector<Failure> failures_of(std::span<const PointRecord* const> points) {
  std::vector<Failure> failures;
  std::map<std::string_view, std::size_t> place_of;
  for (const PointRecord* point : points) {
    if (point->status != PointStatus::failed) continue;
    const auto [place, is_new] = place_of.emplace(point->reason, failures.size());
    if (is_new) {
      failures.push_back({point->reason.empty() ? "no reason is known" : point->reason, {}});
    }
    failures[place->second].points.push_back(point);
  }
  return failures;
}

}  // namespace sweep
