#include "engine/run/best_comparison.h"

#include <fmt/format.h>

#include "engine/run/contest.h"
#include "engine/store/ranking.h"

namespace sweep {
namespace {

/// The run's points with what ranks them, and nothing else.
std::vector<StoredPoint> figures_of_points(const RunStage& stage) {
  std::vector<StoredPoint> points;
  stage.store.visit_points(stage.run, [&](StoredPoint&& stored) {
    PointRecord& point = stored.point;
    point.key.pattern_text = {};
    point.samples = {};
    point.notes = {};
    std::erase_if(point.metrics,
                  [](const Metric& metric) { return metric.origin != Origin::measured; });
    point.metrics.shrink_to_fit();
    points.push_back(std::move(stored));
  });
  return points;
}

/// Those of a group's points that may be the best, the likeliest first.
std::vector<std::int64_t> contenders_of(const std::vector<StoredPoint>& points,
                                        const RankedGroup& group) {
  std::vector<RankedFigure> figures;
  for (const std::size_t i : group.places) {
    const double figure = figure_of(points[i].point, group.ranked_by).value_or(0);
    const auto interval = interval_of(points[i].point, group.ranked_by);
    // Without an interval, what is near the best may be the best.
    figures.push_back(interval ? RankedFigure{figure, {interval->low, interval->high}}
                               : RankedFigure{figure, {figure, figure}});
  }
  std::vector<std::int64_t> contenders;
  for (const std::size_t i : worth_comparing(figures, group.ranked_by.better)) {
    contenders.push_back(points[group.places[i]].ordinal);
  }
  return contenders;
}

}  // namespace

void compare_best(RunStage& stage) {
  if (!stage.can_time()) return;
  if (stage.timing.measured == 0 && stage.store.take_over_comparisons(stage.run)) return;
  const std::vector<StoredPoint> points = figures_of_points(stage);
  std::vector<ComparisonRecord> records;
  for (const RankedGroup& group : ranked_groups(points)) {
    const std::vector<std::int64_t> contenders = contenders_of(points, group);
    if (contenders.size() < 2) continue;
    stage.observer.on_stage(fmt::format("comparing the best {} configurations of {}",
                                        contenders.size(), group.pattern));
    Contest contest(stage, contenders, group.ranked_by);
    if (contest.hold()) {
      const std::vector<ComparisonRecord> found = contest.records();
      records.insert(records.end(), found.begin(), found.end());
    }
    if (stage.stop) break;
  }
  stage.watch.time(Phase::store, [&] { stage.store.set_comparisons(stage.run, records); });
}

}  // namespace sweep
