#include "engine/run/measure.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "engine/run/statistics.h"
#include "engine/run/stopping_rule.h"

namespace sweep {
namespace {

/// The first launches after a pause find low clocks and cold instruction caches.
constexpr int warm_up_samples = 2;

/// Reads the wall time that a phase takes.
class PhaseClock {
 public:
  PhaseClock(const Clock& clock, PhaseTimes& times) : clock_(clock), times_(times) {
    last_ = clock_();
  }
  /// The time since the last call belongs to this phase.
  void end(Phase phase) {
    const double now = clock_();
    times_[phase] += now - last_;
    last_ = now;
  }

 private:
  const Clock& clock_;
  PhaseTimes& times_;
  double last_ = 0;
};

void take_samples(Execution& execution, const MeasureRules& rules, const Clock& clock,
                  const StepListener& on_step, PointRecord& point) {
  const double begin = clock();
  std::vector<double> seconds;
  std::optional<StopReason> stop;
  while (!stop) {
    on_step("sample");
    for (const Sample& sample : execution.sample(rules.cache, 1)) {
      point.samples.push_back({sample.seconds, sample.sm_clock_hz});
      seconds.push_back(sample.seconds);
    }
    stop = should_stop(rules, seconds, clock() - begin);
  }
  point.stopped_by = to_string(*stop);
}

/// The samples' seconds that the figures are made of.
std::vector<double> figures_of(const std::vector<SampleRecord>& samples) {
  std::vector<double> seconds;
  for (const SampleRecord& sample : samples) {
    if (sample.mark != SampleMark::low_clock) seconds.push_back(sample.seconds);
  }
  return seconds;
}

}  // namespace

Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

std::vector<Metric> timing_metrics(std::span<const double> samples, const UsefulTraffic& useful,
                                   const Device& device) {
  constexpr double micro = 1e6;
  constexpr double giga = 1e9;
  constexpr double percent = 100;
  const double middle = median(samples);
  const Interval interval = median_interval(samples);
  std::vector<Metric> metrics = {
      {"time", Origin::measured, middle * micro},
      {"time_low", Origin::measured, interval.low * micro},
      {"time_high", Origin::measured, interval.high * micro},
      {"time_min", Origin::measured, std::ranges::min(samples) * micro},
      {"noise", Origin::measured, noise_of(samples) * percent},
      {"samples", Origin::measured, static_cast<double>(samples.size())},
  };
  if (useful.device > 0 && middle > 0) {
    const double bandwidth = static_cast<double>(useful.device) / middle;
    metrics.push_back({"bandwidth", Origin::measured, bandwidth / giga});
    if (device.peak_bandwidth() > 0) {
      metrics.push_back(
          {"percent_of_peak", Origin::measured, bandwidth / device.peak_bandwidth() * percent});
    }
    metrics.push_back({"useful_bytes", Origin::measured, static_cast<double>(useful.device)});
  }
  if (useful.shared > 0 && middle > 0) {
    metrics.push_back(
        {"shared_bandwidth", Origin::measured, static_cast<double>(useful.shared) / middle / giga});
  }
  return metrics;
}

Measurement measure(Backend& backend, const Workload& workload, const MeasureRules& rules,
                    const UsefulTraffic& useful, const Clock& clock, const StepListener& on_step) {
  Measurement measurement;
  PointRecord& point = measurement.point;
  PhaseClock phases(clock, measurement.times);
  try {
    on_step("allocation");
    const std::unique_ptr<Execution> execution = backend.prepare(workload, rules);
    phases.end(Phase::allocate);
    on_step("init");
    execution->initialise();
    phases.end(Phase::initialise);
    on_step("first launch");
    execution->launch();
    phases.end(Phase::first_launch);
    on_step("check");
    if (auto mismatch = execution->verify()) throw ExecutionFailure(*mismatch);
    phases.end(Phase::verify);
    on_step("count");
    Observation observation = execution->observe();
    phases.end(Phase::emulate);
    if (backend.can_time()) {
      on_step("warm-up");
      execution->sample(rules.cache, warm_up_samples);
      phases.end(Phase::warm_up);
      take_samples(*execution, rules, clock, on_step, point);
      point.metrics = timing_metrics(figures_of(point.samples), useful, backend.device());
      phases.end(Phase::sample);
    }
    measurement.busy_seconds = execution->busy_seconds();
    std::ranges::move(observation.metrics, std::back_inserter(point.metrics));
    point.notes = std::move(observation.notes);
  } catch (const ExecutionFailure& failure) {
    point.status = PointStatus::failed;
    point.reason = failure.what();
    point.samples.clear();
    point.metrics.clear();
    point.stopped_by.clear();
  }
  return measurement;
}

}  // namespace sweep
