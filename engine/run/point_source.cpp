#include "engine/run/point_source.h"

#include <algorithm>
#include <iterator>

#include "engine/run/counting.h"
#include "engine/spec/counters.h"

namespace sweep {

PointSource::PointSource(RunStage& stage, DriftReference& drift, Counts counts)
    : stage_(stage), drift_(drift), counts_(counts) {
  counts_.emulated = counts.emulated && stage.counts != nullptr;
  if (stage.request.replay) return;
  prepared_.emplace(stage.compile, stage.request.sweep.measure,
                    counts_.emulated ? stage.counts->emulators() : nullptr);
}

void PointSource::add(const std::vector<std::size_t>& point_indices) {
  std::vector<const Configuration*> configurations;
  for (const std::size_t index : point_indices) {
    configurations.push_back(&stage_.configuration(index));
    point_indices_.push_back(index);
  }
  if (prepared_) prepared_->add(configurations);
}

PointRecord PointSource::next(const GiveUp& give_up_seconds) {
  const std::size_t index = point_indices_.front();
  point_indices_.pop_front();
  if (!prepared_) return stage_.request.replay(stage_.configuration(index));
  drift_.measure_if_due();
  const bool waits = !prepared_->is_ready();
  if (waits) stage_.observer.on_compiler_wait(true);
  PreparedPoint prepared = stage_.watch.time(Phase::compile, [&] { return prepared_->next(); });
  if (waits) stage_.observer.on_compiler_wait(false);
  MeasureRules rules = stage_.request.sweep.measure;
  if (give_up_seconds) rules.give_up_seconds = give_up_seconds(prepared.useful);
  const double begin = stage_.watch.elapsed();
  PointRecord point = execute(index, prepared, rules);
  if (point.status == PointStatus::ok) {
    if (counts_.emulated) stage_.counts->add_to(point, index, prepared.counts, counts_.waits);
    if (counts_.hardware) read_counters(*prepared.workload, point);
  }
  // The worker loads the next program while this point goes into the store.
  if (const PreparedPoint* next = prepared_->peek(); next != nullptr && next->workload) {
    stage_.measurer.load(*next->workload);
  }
  drift_.on_point(index, prepared, point, begin);
  return point;
}

/// Takes further points from the compiler while the device is at it.
PointRecord PointSource::execute(std::size_t point_index, const PreparedPoint& prepared,
                                 const MeasureRules& rules) {
  for (const Diagnostic& warning : prepared.warnings.list()) {
    if (stage_.warnings.is_new(render(warning))) stage_.observer.on_warning(warning);
  }
  if (!prepared.workload) {
    PointRecord failure;
    failure.status = PointStatus::failed;
    failure.reason = prepared.failure;
    return failure;
  }
  stage_.summary.recent.add(point_index, *prepared.workload);
  return stage_
      .measure(*prepared.workload, rules, prepared.useful, Phase::other,
               [&] { prepared_->take_ready(); })
      .point;
}

void PointSource::read_counters(const Workload& workload, PointRecord& point) {
  std::vector<Observation> counts = stage_.count(std::span(&workload, 1));
  if (counts.empty() || counts.front().metrics.empty()) return;
  std::ranges::move(counts.front().metrics, std::back_inserter(point.metrics));
  std::ranges::move(counts.front().notes, std::back_inserter(point.notes));
  point.collected_counters = counters_text(stage_.request.counters);
  ++stage_.summary.timing.counted;
}

CompileStatistics PointSource::statistics() const {
  return prepared_ ? prepared_->statistics() : CompileStatistics{};
}

}  // namespace sweep
