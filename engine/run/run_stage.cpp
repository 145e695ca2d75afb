#include "engine/run/run_stage.h"

#include <numeric>
#include <random>
#include <utility>

namespace sweep {

PointKey RunStage::key_of(const Configuration& configuration) const {
  const Device& device = measurer.device();
  return {configuration.pattern->name,
          configuration.pattern->source->text + configuration.pattern->included_text,
          configuration.parameters,
          to_string(request.sweep.measure),
          device.backend + " " + device.name + " " + device.uuid,
          (request.replay ? "replay" : request.compile.nvrtc->version()) + ", sweep " +
              request.provenance.engine_version};
}

void RunStage::note(const std::string& text) {
  store.add_note(summary.run, text);
  observer.on_note(text);
}

Measurement RunStage::measure(const Workload& workload, const MeasureRules& rules,
                              const UsefulTraffic& useful, Phase phase,
                              const std::function<void()>& meanwhile) {
  return watch.time(phase, [&] {
    Measurement measurement = measurer.measure(workload, rules, useful, meanwhile);
    summary.timing.busy_seconds += measurement.busy_seconds;
    if (phase == Phase::other) watch.move(measurement.times);
    return measurement;
  });
}

std::vector<Observation> RunStage::count(std::span<const Workload> workloads) {
  const CounterRequest wanted = {request.counters, request.sweep.measure.cache};
  CounterResults results =
      watch.time(Phase::count, [&] { return measurer.count(workloads, wanted); });
  for (const std::string& problem : results.problems) note(problem);
  return std::move(results.workloads);
}

std::int64_t RunStage::record(std::size_t point_index, PointRecord& point,
                              std::optional<PointKey> key) {
  const Configuration& of = configuration(point_index);
  point.key = key ? std::move(*key) : key_of(of);
  const std::int64_t id = watch.time(Phase::store, [&] {
    return store.add_point(summary.run, static_cast<std::int64_t>(point_index), point);
  });
  ++summary.measured;
  ++summary.timing.measured;
  if (point.status == PointStatus::failed) ++summary.failed;
  observer.on_point(of, point);
  return id;
}

std::vector<std::size_t> measuring_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  // Fisher and Yates' shuffle: the standard's own gives another order with another library.
  for (std::size_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[random() % left]);
  }
  return order;
}

}  // namespace sweep
