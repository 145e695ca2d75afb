#include "engine/run/anchor_watch.h"

#include <algorithm>

namespace sweep {
namespace {

/// 0 for a metric that the point does not have.
double figure(const PointRecord& point, std::string_view name) {
  const auto found = std::ranges::find_if(point.metrics, [&](const Metric& metric) {
    return metric.name == name && metric.origin == Origin::measured;
  });
  return found != point.metrics.end() ? found->value : 0;
}

}  // namespace

void AnchorWatch::record(const PointRecord& point, double at) {
  constexpr double micro = 1e-6;
  constexpr double mega = 1e6;
  const AnchorRecord anchor = {.ordinal = static_cast<std::int64_t>(index_),
                               .at = at,
                               .seconds = figure(point, "time") * micro,
                               .seconds_low = figure(point, "time_low") * micro,
                               .seconds_high = figure(point, "time_high") * micro,
                               .sm_clock_hz = figure(point, "sm_clock") * mega,
                               .temperature_celsius = figure(point, "temperature")};
  stage_.watch.time(Phase::store, [&] { stage_.store.add_anchor(stage_.run, anchor); });
}

void AnchorWatch::on_point(std::size_t index, const PreparedPoint& prepared,
                           const PointRecord& point, double begin) {
  if (workload_) {
    schedule_.on_point();
  } else if (point.status == PointStatus::ok && !point.samples.empty()) {
    index_ = index;
    workload_ = prepared.workload;
    useful_ = prepared.useful;
    schedule_.on_anchor(begin, stage_.watch.elapsed());
    record(point, begin);
  }
}

void AnchorWatch::measure() {
  const double begin = stage_.watch.elapsed();
  const PointRecord point =
      stage_.measure(*workload_, stage_.request.sweep.measure, useful_, Phase::anchor).point;
  schedule_.on_anchor(begin, stage_.watch.elapsed());
  if (point.status == PointStatus::ok && !point.samples.empty()) record(point, begin);
}

void AnchorWatch::measure_if_due() {
  if (workload_ && schedule_.is_due(stage_.watch.elapsed())) measure();
}

void AnchorWatch::measure_at_end() {
  if (workload_ && schedule_.is_due_at_end(stage_.watch.elapsed())) measure();
}

}  // namespace sweep
