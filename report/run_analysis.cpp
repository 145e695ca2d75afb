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

#include "engine/spec/value_words.h"
#include "engine/text/units.h"

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

/// What the rounds in turn with the best say of the point; null where there were none.
const ComparisonRecord* comparison_of(const RunResults& results, std::size_t place) {
  const auto& comparisons = results.run.comparisons;
  const auto found =
      std::ranges::find(comparisons, results.points[place].ordinal, &ComparisonRecord::ordinal);
  return found != comparisons.end() ? &*found : nullptr;
}

bool is_better_figure(const RankedBy& by, double figure, double other) {
  return by.better == Better::lower ? figure < other : figure > other;
}

template <typename Holds>
std::optional<std::size_t> first_place(const std::vector<std::size_t>& places, Holds holds) {
  const auto found = std::ranges::find_if(places, holds);
  return found != places.end() ? std::optional(*found) : std::nullopt;
}

/// The point that the others of the group are judged by, and whether rounds in turn have found it:
/// the search's winner, else the one that others were compared with, else the best that has an
/// interval, else the best. What was cut off is not the best unless all was. `ranked` has the
/// places from the best.
std::pair<std::size_t, bool> best_of(const RunResults& results, const VerdictGroup& group,
                                     const std::vector<std::size_t>& ranked,
                                     const std::vector<std::optional<PointVerdict>>& verdicts) {
  const auto is_winner = [&](std::size_t i) {
    return group.tuned &&
           results.run.tuning->groups[*group.tuned].winner == results.points[i].ordinal;
  };
  const auto is_compared_with = [&](std::size_t i) {
    const ComparisonRecord* comparison = comparison_of(results, i);
    return comparison != nullptr && comparison->slowdown_low == 1 && comparison->slowdown == 1 &&
           comparison->slowdown_high == 1;
  };
  const auto is_whole = [&](std::size_t i) { return !is_cut_off(results.points[i].point); };
  std::optional<std::size_t> best = first_place(group.places, is_winner);
  if (!best) best = first_place(group.places, is_compared_with);
  if (best) return {*best, true};
  best = first_place(ranked, [&](std::size_t i) { return is_whole(i) && verdicts[i]->interval; });
  if (!best) best = first_place(ranked, is_whole);
  return {best.value_or(ranked.front()), false};
}

VerdictGroup judge_group(const RunResults& results, const RankedGroup& members,
                         std::vector<std::optional<PointVerdict>>& verdicts) {
  VerdictGroup group = {members};
  group.metric = {members.ranked_by.metric, members.ranked_by.origin};
  const bool lower_is_better = members.ranked_by.better == Better::lower;
  for (const std::size_t i : group.places) {
    PointVerdict& verdict = verdicts[i].emplace();
    verdict.metric = group.metric;
    verdict.figure = figure_of(results.points[i].point, members.ranked_by).value();
    verdict.interval = interval_of(results.points[i].point, members.ranked_by);
  }
  std::vector<std::size_t> ranked = group.places;
  std::ranges::stable_sort(ranked, [&](std::size_t a, std::size_t b) {
    return is_better_figure(members.ranked_by, verdicts[a]->figure, verdicts[b]->figure);
  });
  const auto [best_place, is_from_rounds] = best_of(results, group, ranked, verdicts);
  group.best = best_place;
  const PointVerdict& best = *verdicts[best_place];
  const auto device_of_best = results.run.device_of(results.points[best_place].point);
  const double spread = device_spread(results.run.devices);
  // In the order of the figures: the last one that is slower is the slowest.
  for (const std::size_t i : ranked) {
    using Kind = PointVerdict::Kind;
    PointVerdict& verdict = *verdicts[i];
    const ComparisonRecord* comparison = is_from_rounds ? comparison_of(results, i) : nullptr;
    if (comparison != nullptr) verdict.rounds = comparison->rounds;
    if (i == best_place) continue;
    double slowdown = 1;
    if (comparison != nullptr) {
      verdict.kind = comparison->slowdown_low > 1 ? Kind::slower : Kind::same;
      slowdown = comparison->slowdown;
    } else {
      if (is_cut_off(results.points[i].point)) {
        verdict.kind = Kind::cut_off;
      } else if (!verdict.interval || !best.interval) {
        verdict.kind = Kind::not_compared;
      } else {
        // Two devices take a configuration by so much apart.
        const bool is_elsewhere = results.run.device_of(results.points[i].point) != device_of_best;
        const double apart = is_elsewhere ? 1 + spread : 1;
        const bool is_slower = lower_is_better
                                   ? verdict.interval->low > best.interval->high * apart
                                   : verdict.interval->high * apart < best.interval->low;
        verdict.kind = is_slower ? Kind::slower : Kind::same;
      }
      slowdown = lower_is_better ? verdict.figure / best.figure : best.figure / verdict.figure;
      if (std::isnan(slowdown)) slowdown = 1;  // Both are 0.
    }
    verdict.slower = slowdown - 1;
    verdict.ratio = lower_is_better ? slowdown : 1 / slowdown;
    if (verdict.kind == Kind::same) {
      group.same.push_back(i);
    } else if (verdict.kind == Kind::not_compared) {
      ++group.not_compared;
    } else if (slowdown > 1) {
      group.slowest = i;
    }
  }
  return group;
}

/// Beside a best of 0 there is no ratio.
std::string describe_distance(const PointVerdict& verdict) {
  return std::isfinite(verdict.slower) ? describe_difference(verdict.ratio, verdict.metric)
                                       : "worse";
}

/// The best and the slowest of all groups.
std::optional<RunExtremes> find_extremes(const RunResults& results,
                                         const std::vector<VerdictGroup>& groups) {
  const RankedBy& by = groups.front().ranked_by;
  if (!std::ranges::all_of(groups, [&](const auto& each) { return each.ranked_by == by; })) {
    return std::nullopt;
  }
  const auto figure = [&](std::size_t i) { return figure_of(results.points[i].point, by).value(); };
  const auto before = [&](std::size_t a, std::size_t b) {
    return is_better_figure(by, figure(a), figure(b));
  };
  const auto first = std::ranges::min_element(groups, before, &VerdictGroup::best);
  RunExtremes extremes = {first->metric, first->best};
  for (const VerdictGroup& group : groups) {
    // Of its own group only what the verdict knows to be slower.
    const auto slow =
        &group == &*first ? group.slowest : *std::ranges::max_element(group.places, before);
    if (!slow || !before(extremes.best, *slow)) continue;
    if (!extremes.slowest || before(*extremes.slowest, *slow)) extremes.slowest = slow;
  }
  if (!extremes.slowest) return extremes;
  const double ratio = figure(*extremes.slowest) / figure(extremes.best);
  const bool is_rough = is_cut_off(results.points[*extremes.slowest].point);
  extremes.distance =
      (is_rough ? "cut off, about " : "") +
      beside_the_best(std::isfinite(ratio) ? describe_difference(ratio, extremes.metric) : "worse");
  return extremes;
}

Verdicts judge(const RunResults& results, const std::vector<ParameterValues>& parameters) {
  Verdicts verdicts;
  verdicts.of_points.resize(results.points.size());
  const TuningRecord* tuning = results.run.tuning ? &*results.run.tuning : nullptr;
  std::vector<VerdictGroup>& groups = verdicts.groups;
  std::vector<std::string> telling = tuning != nullptr ? tuning->for_each : results.apart;
  const ParameterValues* patterns = find_parameter(parameters, "pattern");
  if (tuning == nullptr && patterns != nullptr && patterns->varies()) {
    telling.insert(telling.begin(), "pattern");
  }
  for (const RankedGroup& members : ranked_groups(results.points, tuning, results.apart)) {
    groups.push_back(judge_group(results, members, verdicts.of_points));
  }
  for (VerdictGroup& group : groups) {
    if (groups.size() > 1) {
      group.label = group.group.entries().empty()
                        ? group.pattern
                        : describe_group(group.group, telling, parameters);
    }
    for (const std::size_t i : group.places) verdicts.of_points[i]->group = group.label;
  }
  // A pattern's only point is compared with those of other patterns alone.
  const auto is_alone = [&](const VerdictGroup& group) {
    return tuning == nullptr && group.places.size() == 1;
  };
  if (!std::ranges::all_of(groups, is_alone)) verdicts.overall = find_extremes(results, groups);
  for (const VerdictGroup& group : groups) {
    if (is_alone(group)) verdicts.of_points[group.best].reset();
  }
  std::erase_if(groups, is_alone);
  return verdicts;
}

}  // namespace

std::size_t RunResults::count_failed() const {
  const auto status = [](const StoredPoint& stored) { return stored.point.status; };
  return static_cast<std::size_t>(std::ranges::count(points, PointStatus::failed, status));
}

RunResults load_results(const Store& store, std::optional<std::int64_t> run_id) {
  return load_results(store, find_run(store, run_id));
}

RunResults load_results(const Store& store, RunRecord run) {
  RunResults results;
  results.run = std::move(run);
  results.points = store.points(results.run.id);
  const auto& derived = results.run.provenance.derived;
  for (StoredPoint& stored : results.points) {
    const auto found = derived.find(stored.point.key.pattern_name);
    if (found != derived.end()) stored.point.derived = found->second;
  }
  std::set<std::string> patterns;
  for (const StoredPoint& point : results.points) {
    const PointKey& key = point.point.key;
    if (!patterns.insert(key.pattern_name).second) continue;
    define_metrics_of_pattern(key.pattern_text);
    define_words_of_pattern(key.pattern_text);
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
  const bool is_of_speed =
      has_times(metric.origin) && definition_of(metric.name).relation != TimeRelation::unrelated;
  return is_of_speed ? "slowest" : "worst";
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
    std::erase_if(told_in_group, [&](const ParameterValues& each) {
      return each.name == "pattern" ||
             std::ranges::find(results.apart, each.name) != results.apart.end();
    });
  }
}

std::vector<std::size_t> best_of_patterns(const RunAnalysis& run) {
  const auto figure = [&](const VerdictGroup& of) {
    return run.verdicts.of_points[of.best]->figure;
  };
  std::map<std::string, const VerdictGroup*> best;
  for (const VerdictGroup& group : run.verdicts.groups) {
    const VerdictGroup*& known = best[group.pattern];
    // Groups of different metrics cannot be compared: the first stays.
    if (known == nullptr || (group.ranked_by == known->ranked_by &&
                             is_better_figure(group.ranked_by, figure(group), figure(*known)))) {
      known = &group;
    }
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

std::string describe_share(const Failure& failure, std::size_t points) {
  return fmt::format("{} of {}:", format_thousands(failure.points.size()),
                     count_of(points, "configuration"));
}

std::vector<Failure> failures_of(std::span<const PointRecord* const> points) {
  std::vector<Failure> failures;
  std::map<std::string, std::size_t> place_of;
  for (const PointRecord* point : points) {
    if (point->status != PointStatus::failed) continue;
    const auto [place, is_new] = place_of.emplace(mistake_of(point->reason), failures.size());
    if (is_new) {
      failures.push_back({point->reason.empty() ? "no reason is known" : point->reason, {}});
    }
    failures[place->second].points.push_back(point);
  }
  return failures;
}

}  // namespace sweep
