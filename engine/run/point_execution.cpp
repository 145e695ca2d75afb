#include "engine/run/point_execution.h"

#include <algorithm>
#include <iterator>

namespace sweep {

PointKey PointExecution::key_of(const Configuration& configuration) const {
  const Device& device = stage_.measurer.device();
  return {configuration.pattern->name,
          configuration.pattern->source->text + configuration.pattern->included_text,
          configuration.parameters,
          to_string(stage_.request.sweep.measure),
          device.backend + " " + device.name + " " + device.uuid,
          (stage_.request.replay ? "replay" : stage_.request.compile.nvrtc->version()) +
              ", sweep " + stage_.request.provenance.engine_version};
}

PointRecord PointExecution::execute(PreparedPoint& prepared, PreparedPoints& further,
                                    const MeasureRules& rules) {
  warn(prepared.warnings);
  if (!prepared.workload) {
    PointRecord failure;
    failure.status = PointStatus::failed;
    failure.reason = prepared.failure;
    return failure;
  }
  PointRecord point = stage_
                          .measure(*prepared.workload, rules, prepared.useful, Phase::other,
                                   [&] { further.take_ready(); })
                          .point;
  if (prepared.counts.valid() && point.status == PointStatus::ok) add_counts(prepared, point);
  return point;
}

void PointExecution::add_counts(PreparedPoint& prepared, PointRecord& point) {
  PointRecord counted = stage_.watch.time(Phase::emulate, [&] { return prepared.counts.get(); });
  if (counted.status == PointStatus::failed) {
    point.notes.push_back("the emulator does not count it: " + counted.reason);
    return;
  }
  std::ranges::move(counted.metrics, std::back_inserter(point.metrics));
  std::ranges::move(counted.notes, std::back_inserter(point.notes));
}

void PointExecution::record(std::size_t index, PointRecord& point) {
  record(index, point, key_of(stage_.request.space.configurations[index]));
}

void PointExecution::record(std::size_t index, PointRecord& point, PointKey key) {
  point.key = std::move(key);
  stage_.watch.time(Phase::store, [&] {
    stage_.store.add_point(stage_.run, static_cast<std::int64_t>(index), point);
  });
  ++summary_.measured;
  ++stage_.timing.measured;
  if (point.status == PointStatus::failed) ++summary_.failed;
  stage_.observer.on_point(stage_.request.space.configurations[index], point);
}

/// Each of the compiler's warnings once, though every configuration repeats it.
void PointExecution::warn(const Diagnostics& warnings) {
  for (const Diagnostic& warning : warnings.list()) {
    if (warned_.insert(render(warning)).second) stage_.observer.on_warning(warning);
  }
}

}  // namespace sweep
