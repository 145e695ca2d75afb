#include "engine/run/measurer.h"

#include <algorithm>
#include <iterator>

#include "engine/run/sampling.h"

namespace sweep {
namespace {

/// Warms up and gives the wall time that a sample takes, as far as can be seen.
double warm_up(Execution& execution, CacheState cache, const Clock& clock) {
  // The first launches after a pause find low clocks and cold instruction caches.
  constexpr int samples = 2;
  const double begin = clock();
  execution.warm_up(cache, samples);
  return (clock() - begin) / samples;
}

/// `seconds_per_sample` is a first estimate.
void take_samples(Execution& execution, const MeasureRules& rules, double seconds_per_sample,
                  const Clock& clock, const StepListener& on_step, PointRecord& point) {
  const double begin = clock();
  double elapsed = 0;
  std::vector<double> figures;
  MarkSummary marks;
  std::optional<StopReason> stop;
  while (!stop) {
    on_step("sample");
    const std::vector<Sample> chunk = execution.sample(
        rules.cache, next_chunk_size(rules, figures.size(), elapsed, seconds_per_sample));
    if (chunk.empty()) throw ExecutionFailure("the device gave no samples");
    point.samples.insert(point.samples.end(), chunk.begin(), chunk.end());
    marks = mark_samples(point.samples);
    figures = figures_of(point.samples);
    elapsed = clock() - begin;
    seconds_per_sample = elapsed / static_cast<double>(point.samples.size());
    stop = should_stop(rules, figures, elapsed);
  }
  point.stopped_by = to_string(*stop);
  if (auto note = note_on_stop(*stop, rules, figures, elapsed)) {
    point.notes.push_back(std::move(*note));
  }
  std::ranges::move(notes_on_marks(point.samples, marks), std::back_inserter(point.notes));
}

}  // namespace

Measurement failed_measurement(const std::string& reason) {
  Measurement measurement;
  measurement.point.status = PointStatus::failed;
  measurement.point.reason = reason;
  return measurement;
}

CounterResults failed_counts(std::size_t workloads, const std::string& reason) {
  return {std::vector<Observation>(workloads),
          {"the hardware's counters were not read: " + reason}};
}

Measurement measure(Backend& backend, const Workload& workload, const MeasureRules& rules,
                    const Clock& clock, const StepListener& on_step) {
  Measurement measurement;
  PointRecord& point = measurement.point;
  PhaseStopwatch watch(measurement.times, clock);
  const auto step = [&](Phase phase, std::string_view name, const auto& work) {
    return watch.time(phase, [&] {
      on_step(name);
      return work();
    });
  };
  try {
    const std::unique_ptr<Execution> execution =
        step(Phase::allocate, "allocation", [&] { return backend.prepare(workload, rules); });
    step(Phase::initialise, "init", [&] { execution->initialise(); });
    step(Phase::first_launch, "first launch", [&] { execution->launch(); });
    step(Phase::verify, "check", [&] {
      if (auto mismatch = execution->verify()) throw ExecutionFailure(*mismatch);
    });
    Observation observation = step(Phase::emulate, "count", [&] { return execution->observe(); });
    if (backend.can_time()) {
      const double each =
          step(Phase::warm_up, "warm-up", [&] { return warm_up(*execution, rules.cache, clock); });
      watch.time(Phase::sample, [&] {
        take_samples(*execution, rules, each, clock, on_step, point);
        const DeviceState state = backend.state();
        point.metrics = timing_metrics(point.samples, execution->launches_per_sample(),
                                       workload.useful, backend.device());
        std::ranges::move(state_metrics(point.samples, state), std::back_inserter(point.metrics));
        if (auto note = note_on_throttling(state)) point.notes.push_back(std::move(*note));
      });
      // What can time executes all of the grid, and checks every element.
      if (!workload.verify.empty()) {
        point.metrics.push_back({"verified_share", Origin::measured, 100});
      }
    }
    measurement.busy_seconds = execution->busy_seconds();
    std::ranges::move(observation.metrics, std::back_inserter(point.metrics));
    std::ranges::move(observation.notes, std::back_inserter(point.notes));
  } catch (const ExecutionFailure& failure) {
    point.status = PointStatus::failed;
    point.reason = failure.what();
    point.samples.clear();
    point.metrics.clear();
    point.notes.clear();
    point.stopped_by.clear();
  }
  return measurement;
}

}  // namespace sweep
