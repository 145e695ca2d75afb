#include "report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/text/units.h"
#include "report/factor_words.h"
#include "report/parameter_values.h"
#include "report/point_records.h"

namespace sweep {
namespace {

bool is_of_speed(const RankedBy& ranked_by) {
  const std::string& metric = ranked_by.metric;
  return ranked_by.origin == Origin::measured &&
         (metric.starts_with("time") || metric.ends_with("bandwidth") ||
          metric == "percent_of_peak");
}

/// With the figure, which a ranked point has.
PointVerdict unjudged(const PointRecord& point, const RankedBy& ranked_by) {
  PointVerdict verdict;
  verdict.is_of_speed = is_of_speed(ranked_by);
  verdict.figure = figure_of(point, ranked_by).value();
  verdict.interval = interval_of(point, ranked_by);
  return verdict;
}

class GroupJudge {
 public:
  GroupJudge(const RunResults& results, const RankedGroup& ranked,
             std::vector<std::optional<PointVerdict>>& verdicts)
      : results_(results), ranked_(ranked), verdicts_(verdicts) {
    group_.pattern = ranked.pattern;
    group_.metric = {ranked.ranked_by.metric, ranked.ranked_by.origin};
    group_.group = ranked.group;
    group_.tuned = ranked.tuned;
  }

  VerdictGroup judge() {
    for (const std::size_t i : ranked_.places) {
      verdicts_[i] = unjudged(results_.points[i].point, ranked_.ranked_by);
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

  /// What the search that has ended says is the best.
  std::optional<std::size_t> winner_searched() const {
    if (!ranked_.tuned) return std::nullopt;
    const auto& winner = results_.run.tuning->groups[*ranked_.tuned].winner;
    const auto found = std::ranges::find_if(ranked_.places, [&](std::size_t i) {
      return winner && results_.points[i].ordinal == *winner;
    });
    return found != ranked_.places.end() ? std::optional(*found) : std::nullopt;
  }

  /// The point that the others were compared with; nothing when it is not one of this group.
  std::optional<std::size_t> best_compared() const {
    for (const std::size_t i : ranked_.places) {
      const ComparisonRecord* comparison = comparison_of(i);
      if (comparison != nullptr && comparison->slowdown_low == 1 && comparison->slowdown == 1 &&
          comparison->slowdown_high == 1) {
        return i;
      }
    }
    return std::nullopt;
  }

  /// Of points in their order; the first when none has an interval. What was cut off is not the
  /// best unless all was.
  std::size_t best_with_interval(const std::vector<std::size_t>& ranked) const {
    const auto whole = [&](std::size_t i) { return !is_cut_off(results_.points[i].point); };
    const auto found = std::ranges::find_if(
        ranked, [&](std::size_t i) { return whole(i) && verdicts_[i]->interval.has_value(); });
    if (found != ranked.end()) return *found;
    const auto first = std::ranges::find_if(ranked, whole);
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

/// "12 % slower", "3.4 times slower"
std::string describe_distance(const PointVerdict& verdict) {
  const std::string_view word = verdict.is_of_speed ? "slower" : "worse";
  if (!std::isfinite(verdict.slower)) return std::string(word);
  return describe_factor(1 + verdict.slower, word);
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

Verdicts judge(const RunResults& results) {
  Verdicts verdicts;
  verdicts.of_points.resize(results.points.size());
  const TuningRecord* tuning = results.run.tuning ? &*results.run.tuning : nullptr;
  for (const RankedGroup& group : ranked_groups(results.points, tuning)) {
    if (group.places.size() < 2 && tuning == nullptr) continue;
    verdicts.groups.push_back(GroupJudge(results, group, verdicts.of_points).judge());
  }
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

bool is_won(const RunResults& results, const VerdictGroup& group) {
  return group.tuned &&
         results.run.tuning->groups[*group.tuned].winner == results.points[group.best].ordinal;
}

std::vector<std::string> describe_best(const RunResults& results) {
  const std::vector<const PointRecord*> points = records_of(results.points);
  const std::vector<ParameterValues> parameters = parameters_of(points);
  const auto& tuning = results.run.tuning;
  const std::vector<ParameterValues> told =
      tuning ? chosen_parameters(parameters, tuning->for_each) : telling_parameters(parameters);
  const Verdicts verdicts = judge(results);
  std::vector<std::string> lines;
  for (const VerdictGroup& group : verdicts.groups) {
    if (is_won(results, group)) continue;
    std::string line = tuning && !group.tuned ? "best so far" : "best";
    if (!group.group.empty()) {
      line += " of " + describe_group(group.group, tuning->for_each, parameters);
    }
    line += fmt::format(": {}: {}", describe(environment_of(*points[group.best]), told),
                        describe_figure(group.metric, verdicts.of_points[group.best]->figure));
    line += describe_same(group.same.size());
    if (group.not_compared > 0) {
      line +=
          fmt::format("; {} {} not compared, for want of an interval",
                      format_thousands(group.not_compared), group.not_compared == 1 ? "is" : "are");
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sweep
