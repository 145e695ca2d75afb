#include "engine/run/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "engine/spec/counters.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// Of a run's time so far, that it may wait for counts.
constexpr double waiting_share = 0.05;

bool is_there(const std::future<PointRecord>& counts) {
  return counts.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

/// What the emulator's counting of a point came to: its metrics, or a note on why there are none.
Observation counts_of(PointRecord counted) {
  if (counted.status == PointStatus::failed) {
    return {{}, {std::string(not_counted) + counted.reason}};
  }
  return {std::move(counted.metrics), std::move(counted.notes)};
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
  const CounterThreads& emulate = stage.request.emulate;
  if (emulate.make_backend) emulators_.emplace(emulate.make_backend, emulate.threads);
}

void CountsBeside::add_to(PointRecord& point, std::size_t point_index,
                          std::future<PointRecord>& counts, bool waits) {
  if (!counts.valid()) {
    lacks_some_ = true;
    return;
  }
  if (!waits && !stage_.request.waits_for_counts && !is_there(counts)) {
    late_.push_back({0, point_index, std::move(counts)});
    return;
  }
  Observation counted = counts_of(stage_.watch.time(Phase::emulate, [&] { return counts.get(); }));
  std::ranges::move(counted.metrics, std::back_inserter(point.metrics));
  std::ranges::move(counted.notes, std::back_inserter(point.notes));
}

void CountsBeside::recorded(std::int64_t id) {
  if (!late_.empty() && late_.back().id == 0) late_.back().id = id;
  take_ready();
}

void CountsBeside::begin(std::size_t point_index, const Workload& workload) {
  if (!emulators_) return;
  const auto stored = stage_.watch.time(Phase::store, [&] { return stage_.stored(point_index); });
  if (!stored || !lacks_counts(stored->point)) return;
  late_.push_back(
      {stored->id, point_index, emulators_->count(workload, stage_.request.sweep.measure)});
}

void CountsBeside::record(Late& late) {
  const Observation counted = counts_of(late.counts.get());
  stage_.watch.time(Phase::store,
                    [&] { stage_.store.add_metrics(late.id, counted.metrics, counted.notes); });
  if (counted.metrics.empty()) return;
  stage_.observer.on_metrics(stage_.configuration(late.point_index), counted.metrics,
                             counted.notes);
}

void CountsBeside::take_ready() {
  for (auto late = late_.begin(); late != late_.end();) {
    if (!is_there(late->counts)) {
      ++late;
      continue;
    }
    record(*late);
    late = late_.erase(late);
  }
}

/// For so many seconds more the run may wait.
double CountsBeside::patience() const {
  const double allowed = waiting_share * stage_.watch.elapsed();
  return std::max(allowed - stage_.summary.timing.phases[Phase::emulate], 0.0);
}

void CountsBeside::finish() {
  wait();
  const bool is_late = lacks_some_ || !late_.empty();
  late_.clear();
  emulators_.reset();
  if (is_late && !stage_.request.waits_for_counts) stage_.note(std::string(too_late_to_count));
}

void CountsBeside::wait() {
  take_ready();
  const auto is_over = [&] {
    return late_.empty() || stage_.stop || (!stage_.request.waits_for_counts && patience() == 0);
  };
  while (!is_over()) {
    constexpr std::chrono::milliseconds pause(5);
    stage_.watch.time(Phase::emulate, [&] { late_.front().counts.wait_for(pause); });
    take_ready();
  }
}

namespace {

/// What the emulator gave, once it has; nothing once it is not wanted any more.
std::optional<Observation> wait_for(PreparedPoint& point, const std::atomic<bool>* stop) {
  constexpr std::chrono::milliseconds pause(50);
  if (!point.workload) return Observation{{}, {std::string(not_counted) + point.failure}};
  while (point.counts.wait_for(pause) != std::future_status::ready) {
    if (stop != nullptr && *stop) return std::nullopt;
  }
  return counts_of(point.counts.get());
}

}  // namespace

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
      const std::optional<Observation> counted = wait_for(next, compile.stop);
      if (!counted) return;
      store.add_metrics(point.id, counted->metrics, counted->notes);
      on_point(point, *counted);
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

namespace {

/// Reads and records; false when nothing can be counted.
bool read_counters_of(RunStage& stage, std::span<const UncountedPoint> points,
                      const std::string& wanted, PreparedPoints& prepared) {
  std::vector<Workload> workloads;
  std::vector<const UncountedPoint*> counted;
  for (const UncountedPoint& point : points) {
    PreparedPoint next = stage.watch.time(Phase::compile, [&] { return prepared.next(); });
    if (!next.workload) continue;
    workloads.push_back(std::move(*next.workload));
    counted.push_back(&point);
  }
  const std::vector<Observation> all_counts = stage.count(workloads);
  bool has_some = false;
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
  return has_some;
}

}  // namespace

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
  for (std::span rest(points); !rest.empty() && !stage.stop;) {
    const auto some = rest.first(std::min(points_at_once, rest.size()));
    if (!read_counters_of(stage, some, wanted, prepared)) return;
    rest = rest.subspan(some.size());
  }
}

}  // namespace sweep
