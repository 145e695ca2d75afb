#include "engine/run/point_execution.h"

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

PointRecord PointExecution::execute(std::size_t index, const PreparedPoint& prepared,
                                    PreparedPoints& further, const MeasureRules& rules) {
  warn(prepared.warnings);
  if (!prepared.workload) {
    PointRecord failure;
    failure.status = PointStatus::failed;
    failure.reason = prepared.failure;
    return failure;
  }
  stage_.recent.add(index, *prepared.workload);
  return stage_
      .measure(*prepared.workload, rules, prepared.useful, Phase::other,
               [&] { further.take_ready(); })
      .point;
}

std::int64_t PointExecution::record(std::size_t index, PointRecord& point) {
  return record(index, point, key_of(stage_.request.space.configurations[index]));
}

std::int64_t PointExecution::record(std::size_t index, PointRecord& point, PointKey key) {
  point.key = std::move(key);
  const std::int64_t id = stage_.watch.time(Phase::store, [&] {
    return stage_.store.add_point(stage_.run, static_cast<std::int64_t>(index), point);
  });
  ++summary_.measured;
  ++stage_.timing.measured;
  if (point.status == PointStatus::failed) ++summary_.failed;
  stage_.observer.on_point(stage_.request.space.configurations[index], point);
  return id;
}

/// Each of the compiler's warnings once, though every configuration repeats it.
void PointExecution::warn(const Diagnostics& warnings) {
  for (const Diagnostic& warning : warnings.list()) {
    if (warned_.insert(render(warning)).second) stage_.observer.on_warning(warning);
  }
}

}  // namespace sweep
