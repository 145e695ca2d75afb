#include "engine/run/point_source.h"

#include "engine/run/counts_beside.h"
#include "engine/spec/counters.h"

namespace sweep {

MeasuredPoints::MeasuredPoints(RunStage& stage, PointExecution& execution, AnchorWatch& anchor,
                               bool waits_for_counts, bool reads_counters)
    : stage_(stage),
      execution_(execution),
      anchor_(anchor),
      reads_counters_(reads_counters),
      compiled_(stage.compile),
      prepared_(compiled_, {},
                waits_for_counts && stage.counts != nullptr ? stage.counts->emulators() : nullptr,
                stage.request.sweep.measure) {}

void MeasuredPoints::add(std::size_t index) {
  prepared_.add({&stage_.request.space.configurations[index], 1});
  indices_.push_back(index);
}

PointRecord MeasuredPoints::next(const GiveUp& give_up_seconds) {
  anchor_.measure_if_due();
  const bool waits = !prepared_.is_ready();
  if (waits) stage_.observer.on_compiler_wait(true);
  PreparedPoint prepared = stage_.watch.time(Phase::compile, [&] { return prepared_.next(); });
  if (waits) stage_.observer.on_compiler_wait(false);
  MeasureRules rules = stage_.request.sweep.measure;
  rules.give_up_seconds = give_up_seconds(prepared.useful);
  const double begin = stage_.watch.elapsed();
  PointRecord point = execution_.execute(indices_.front(), prepared, prepared_, rules);
  if (point.status == PointStatus::ok && prepared.counts.valid()) {
    stage_.counts->wait_for(point, prepared.counts);
  }
  if (reads_counters_ && point.status == PointStatus::ok) {
    read_counters(*prepared.workload, point);
  }
  // The worker loads the next program while this point goes into the store.
  if (const PreparedPoint* next = prepared_.peek(); next != nullptr && next->workload) {
    stage_.measurer.load(*next->workload);
  }
  anchor_.on_point(indices_.front(), prepared, point, begin);
  indices_.pop_front();
  return point;
}

void MeasuredPoints::read_counters(const Workload& workload, PointRecord& point) {
  const RunRequest& request = stage_.request;
  const CounterRequest wanted = {request.counters, request.sweep.measure.cache};
  const CounterResults results = stage_.watch.time(
      Phase::count, [&] { return stage_.measurer.count(std::span(&workload, 1), wanted); });
  for (const std::string& problem : results.problems) stage_.note(problem);
  if (results.workloads.empty() || results.workloads.front().metrics.empty()) return;
  const Observation& counts = results.workloads.front();
  point.metrics.insert(point.metrics.end(), counts.metrics.begin(), counts.metrics.end());
  point.notes.insert(point.notes.end(), counts.notes.begin(), counts.notes.end());
  point.collected_counters = counters_text(request.counters);
  ++stage_.timing.counted;
}

PointRecord ReplayedPoints::next(const GiveUp& /*give_up_seconds*/) {
  const std::size_t index = indices_.front();
  indices_.pop_front();
  return request_.replay(request_.space.configurations[index]);
}

}  // namespace sweep
