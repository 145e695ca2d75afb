#include "engine/run/drift_reference.h"

#include "engine/store/ranking.h"

namespace sweep {

void DriftReference::record(const PointRecord& point, double at) {
  constexpr double micro = 1e-6;
  constexpr double mega = 1e6;
  const auto figure = [&](std::string_view metric) {
    return measured_figure(point, metric).value_or(0);
  };
  const AnchorRecord anchor = {.ordinal = static_cast<std::int64_t>(point_index_),
                               .at = at,
                               .seconds = figure("time") * micro,
                               .seconds_low = figure("time_low") * micro,
                               .seconds_high = figure("time_high") * micro,
                               .sm_clock_hz = figure("sm_clock") * mega,
                               .temperature_celsius = figure("temperature")};
  stage_.watch.time(Phase::store, [&] { stage_.store.add_anchor(stage_.summary.run, anchor); });
}

void DriftReference::on_point(std::size_t point_index, const PreparedPoint& prepared,
                              const PointRecord& point, double begin) {
  if (workload_) {
    schedule_.on_point();
  } else if (point.status == PointStatus::ok && !point.samples.empty()) {
    point_index_ = point_index;
    workload_ = prepared.workload;
    useful_ = prepared.useful;
    schedule_.on_reference(begin, stage_.watch.elapsed());
    record(point, begin);
  }
}

void DriftReference::measure() {
  const double begin = stage_.watch.elapsed();
  const PointRecord point =
      stage_.measure(*workload_, stage_.request.sweep.measure, useful_, Phase::drift_reference)
          .point;
  schedule_.on_reference(begin, stage_.watch.elapsed());
  if (point.status == PointStatus::ok && !point.samples.empty()) record(point, begin);
}

void DriftReference::measure_if_due() {
  if (workload_ && schedule_.is_due(stage_.watch.elapsed())) measure();
}

void DriftReference::measure_at_end() {
  if (workload_ && schedule_.is_due_at_end(stage_.watch.elapsed())) measure();
}

}  // namespace sweep
