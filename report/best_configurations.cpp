#include "report/best_configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/run_analysis.h"

namespace sweep {
namespace {

/// The interval, where it is one around a positive figure.
std::optional<Interval> interval_around(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || low <= 0 || high < low) return std::nullopt;
  return Interval{low, high};
}

std::string name_of(const Bindings& group) {
  return group.empty() ? "the run" : to_string(group);
}

std::optional<std::size_t> place_of(const RunResults& results, std::int64_t ordinal) {
  const auto found = std::ranges::find(results.points, ordinal, &StoredPoint::ordinal);
  if (found == results.points.end()) return std::nullopt;
  return static_cast<std::size_t>(found - results.points.begin());
}

void find_tuned(ExportedRun& run) {
  const TuningRecord& tuning = *run.results.run.tuning;
  for (const TunedGroup& group : tuning.groups) {
    const auto place =
        group.winner ? place_of(run.results, *group.winner) : std::optional<std::size_t>();
    if (!place || !std::isfinite(group.figure)) {
      run.without_best.push_back(fmt::format("{}: none of the {} configurations tried succeeded",
                                             name_of(group.group), group.tried));
      continue;
    }
    BestConfiguration best;
    best.group = group.group;
    best.place = *place;
    best.metric = {tuning.metric, tuning.origin};
    best.figure = group.figure;
    best.interval = interval_around(group.figure_low, group.figure_high);
    best.rounds = group.rounds;
    best.configurations = group.configurations;
    best.tried = group.tried;
    if (std::isfinite(group.gain) && group.gain > 0) {
      best.gain = group.gain;
      if (group.rounds > 0) best.gain_interval = interval_around(group.gain_low, group.gain_high);
    }
    run.best.push_back(std::move(best));
  }
}

std::int64_t count_points(const RunResults& results, const std::string& pattern) {
  return std::ranges::count_if(results.points, [&](const StoredPoint& stored) {
    return stored.point.key.pattern_name == pattern;
  });
}

/// The best of a group: the verdict's, but a pattern's only point has none.
BestConfiguration judged_best(const RunResults& results, const RankedGroup& ranked,
                              const Verdicts& verdicts) {
  BestConfiguration best;
  best.group.set("pattern", ranked.pattern);
  best.metric = {ranked.ranked_by.metric, Origin::measured};
  best.place = ranked.places.front();
  const auto judged = std::ranges::find(verdicts.groups, ranked.pattern, &VerdictGroup::pattern);
  if (judged != verdicts.groups.end()) {
    best.place = judged->best;
    best.rounds = verdicts.of_points[best.place]->rounds;
  }
  const PointRecord& point = results.points[best.place].point;
  best.figure = figure_of(point, ranked.ranked_by).value();
  best.interval = interval_of(point, ranked.ranked_by);
  best.configurations = count_points(results, ranked.pattern);
  best.tried = best.configurations;
  return best;
}

std::vector<std::string> patterns_of(const RunResults& results) {
  std::vector<std::string> patterns;
  for (const StoredPoint& stored : results.points) {
    const std::string& name = stored.point.key.pattern_name;
    if (std::ranges::find(patterns, name) == patterns.end()) patterns.push_back(name);
  }
  return patterns;
}

void find_judged(ExportedRun& run) {
  const Verdicts verdicts = RunAnalysis(run.results).verdicts;
  const std::vector<RankedGroup> groups = ranked_groups(run.results.points);
  for (const std::string& pattern : patterns_of(run.results)) {
    const auto ranked = std::ranges::find(groups, pattern, &RankedGroup::pattern);
    if (ranked == groups.end()) {
      run.without_best.push_back(fmt::format("pattern={}: none of its points has a time", pattern));
    } else {
      run.best.push_back(judged_best(run.results, *ranked, verdicts));
    }
  }
}

bool same_device(const RunRecord& a, const RunRecord& b) {
  const Device& left = a.provenance.device;
  const Device& right = b.provenance.device;
  return left.backend == right.backend && left.name == right.name && left.uuid == right.uuid &&
         left.compute_capability == right.compute_capability;
}

}  // namespace

bool ExportedRun::is_ranked_by_counts() const {
  const auto& tuning = results.run.tuning;
  return tuning && tuning->origin == Origin::emulated;
}

ExportedRun find_best(RunResults results) {
  ExportedRun run;
  run.results = std::move(results);
  if (run.results.run.tuning) {
    find_tuned(run);
  } else {
    find_judged(run);
  }
  return run;
}

const PointRecord& point_of(const ExportedRun& run, const BestConfiguration& best) {
  return run.results.points[best.place].point;
}

std::vector<RunRecord> newest_runs(const std::vector<RunRecord>& runs) {
  std::vector<RunRecord> newest;
  for (const RunRecord& run : runs) {
    const auto known = std::ranges::find_if(
        newest, [&](const RunRecord& other) { return same_device(run, other); });
    if (known == newest.end()) {
      newest.push_back(run);
    } else if (run.state == RunState::finished || known->state != RunState::finished) {
      *known = run;
    }
  }
  return newest;
}

}  // namespace sweep
