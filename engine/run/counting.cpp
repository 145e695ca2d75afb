#include "engine/run/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "engine/spec/counters.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

bool is_there(const std::future<Observation>& counts) {
  return counts.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

std::vector<const Configuration*> configurations_of(std::span<const UncountedPoint> points) {
  std::vector<const Configuration*> configurations;
  for (const UncountedPoint& point : points) configurations.push_back(&point.configuration);
  return configurations;
}

/// Those of a run's points that lack something.
template <class Lacks>
std::vector<UncountedPoint> uncounted_points(const RunStage& stage, const Lacks& lacks) {
  std::vector<UncountedPoint> points;
  stage.store.visit_points(stage.summary.run, [&](const StoredPoint& stored) {
    if (!lacks(stored.point)) return;
    points.push_back({stored.id, stage.configuration(static_cast<std::size_t>(stored.ordinal))});
  });
  return points;
}

}  // namespace

CountsBeside::CountsBeside(RunStage& stage) : stage_(stage) {
  emulators_.emplace(stage.request.emulate.make_backend, stage.request.emulate.threads);
}

void CountsBeside::add_to(PointRecord& point, std::size_t point_index,
                          std::future<Observation>& counts, bool waits) {
  if (!counts.valid()) {
    lacks_some_ = true;
  } else if (!waits && !stage_.request.waits_for_counts && !is_there(counts)) {
    late_.push_back({0, point_index, std::move(counts)});
  } else {
    Observation counted = stage_.watch.time(Phase::emulate, [&] { return counts.get(); });
    std::ranges::move(counted.metrics, std::back_inserter(point.metrics));
    std::ranges::move(counted.notes, std::back_inserter(point.notes));
  }
}

void CountsBeside::recorded(std::int64_t id) {
  if (!late_.empty() && late_.back().id == 0) late_.back().id = id;
  take_ready();
}

void CountsBeside::begin(std::size_t point_index, const Workload& workload) {
  const auto stored = stage_.watch.time(Phase::store, [&] { return stage_.stored(point_index); });
  if (!stored || !lacks_counts(stored->point)) return;
  late_.push_back(
      {stored->id, point_index, emulators_->count(workload, stage_.request.sweep.measure)});
}

void CountsBeside::take_ready() {
  for (auto late = late_.begin(); late != late_.end();) {
    if (!is_there(late->counts)) {
      ++late;
      continue;
    }
    const Observation counted = late->counts.get();
    stage_.watch.time(Phase::store,
                      [&] { stage_.store.add_metrics(late->id, counted.metrics, counted.notes); });
    if (!counted.metrics.empty()) {
      stage_.observer.on_metrics(stage_.configuration(late->point_index), counted.metrics,
                                 counted.notes);
    }
    late = late_.erase(late);
  }
}

/// For a share of the run's time so far.
bool CountsBeside::may_wait() const {
  constexpr double share = 0.05;
  return stage_.request.waits_for_counts ||
         stage_.summary.timing.phases[Phase::emulate] < share * stage_.watch.elapsed();
}

void CountsBeside::wait() {
  take_ready();
  while (!late_.empty() && !stage_.stop && may_wait()) {
    constexpr std::chrono::milliseconds pause(5);
    stage_.watch.time(Phase::emulate, [&] { late_.front().counts.wait_for(pause); });
    take_ready();
  }
}

void CountsBeside::finish() {
  wait();
  const bool is_late = lacks_some_ || !late_.empty();
  late_.clear();
  emulators_.reset();
  if (is_late && !stage_.request.waits_for_counts) stage_.note(std::string(too_late_to_count));
}

void count_points(std::span<const UncountedPoint> points, const CompileSettings& compile,
                  const MeasureRules& rules, const CounterThreads& emulate, Store& store,
                  const std::function<void(const UncountedPoint&, const Observation&)>& on_point) {
  EmulateAhead emulators(emulate.make_backend, emulate.threads);
  PreparedPoints prepared(compile, rules, &emulators);
  prepared.add(configurations_of(points));
  try {
    for (const UncountedPoint& point : points) {
      PreparedPoint next = prepared.next();
      prepared.take_ready();
      Observation counted{{}, {std::string(not_counted) + next.failure}};
      if (next.workload) {
        constexpr std::chrono::milliseconds pause(50);
        while (next.counts.wait_for(pause) != std::future_status::ready) {
          if (compile.stop != nullptr && *compile.stop) return;
        }
        counted = next.counts.get();
      }
      store.add_metrics(point.id, counted.metrics, counted.notes);
      on_point(point, counted);
    }
  } catch (const CompilingStopped&) {
    // What was counted until then is recorded.
  }
}

void count_the_rest(RunStage& stage) {
  const std::vector<UncountedPoint> uncounted = uncounted_points(stage, lacks_counts);
  if (uncounted.empty()) return;
  stage.observer.on_stage("counting " + count_of(uncounted.size(), "point"));
  const RunRequest& request = stage.request;
  stage.watch.time(Phase::emulate, [&] {
    count_points(uncounted, stage.compile, request.sweep.measure, request.emulate, stage.store,
                 [&](const UncountedPoint& point, const Observation& counted) {
                   stage.observer.on_metrics(point.configuration, counted.metrics, counted.notes);
                 });
  });
}

void read_counters(RunStage& stage) {
  // The emulator's own counts are all there is to know of it.
  if (stage.request.counters.empty() || !stage.can_time()) return;
  const std::string wanted = counters_text(stage.request.counters);
  const std::vector<UncountedPoint> uncounted =
      uncounted_points(stage, [&](const PointRecord& point) {
        return point.status == PointStatus::ok && point.collected_counters != wanted;
      });
  if (uncounted.empty()) return;
  // In the order that their programs were compiled in.
  std::vector<UncountedPoint> points;
  for (const std::size_t i : measuring_order(uncounted.size(), stage.request.provenance.seed)) {
    points.push_back(uncounted[i]);
  }
  stage.observer.on_stage(fmt::format("reading the hardware's counters of {} point{}",
                                      points.size(), points.size() == 1 ? "" : "s"));
  PreparedPoints prepared(stage.compile, stage.request.sweep.measure);
  prepared.add(configurations_of(points));
  // As many points are counted at once, since the profiler's sessions cost much by themselves. A
  // run that is killed loses so many counts.
  constexpr std::size_t points_at_once = 256;
  bool has_some = true;  // else nothing can be counted
  for (std::span rest(points); has_some && !rest.empty() && !stage.stop;) {
    std::vector<Workload> workloads;
    std::vector<const UncountedPoint*> counted;
    const auto some = rest.first(std::min(points_at_once, rest.size()));
    rest = rest.subspan(some.size());
    for (const UncountedPoint& point : some) {
      PreparedPoint next = stage.watch.time(Phase::compile, [&] { return prepared.next(); });
      if (!next.workload) continue;
      workloads.push_back(std::move(*next.workload));
      counted.push_back(&point);
    }
    const std::vector<Observation> all_counts = stage.count(workloads);
    has_some = false;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      const Observation& counts = all_counts.at(i);
      if (counts.metrics.empty()) continue;
      has_some = true;
      ++stage.summary.timing.counted;
      stage.watch.time(Phase::store, [&] {
        stage.store.add_counts(counted[i]->id, wanted, counts.metrics, counts.notes);
      });
      stage.observer.on_metrics(counted[i]->configuration, counts.metrics, counts.notes);
    }
  }
}

}  // namespace sweep
