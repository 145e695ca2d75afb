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

void take_samples(Execution& execution, const MeasureRules& rules, const Clock& clock,
                  const StepListener& on_step, PointRecord& point) {
  for (int i = 0; i < warm_up_samples; ++i) {
    on_step("warm-up");
    execution.sample(rules.cache);
  }
  const double begin = clock();
  std::optional<StopReason> stop;
  while (!stop) {
    on_step("sample");
    point.samples.push_back(execution.sample(rules.cache));
    stop = should_stop(rules, point.samples, clock() - begin);
  }
  point.stopped_by = to_string(*stop);
}

}  // namespace

Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

std::vector<Metric> timing_metrics(const std::vector<double>& samples, const UsefulTraffic& useful,
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

PointRecord measure(Backend& backend, const Workload& workload, const MeasureRules& rules,
                    const UsefulTraffic& useful, const Clock& clock, const StepListener& on_step) {
  PointRecord point;
  try {
    on_step("allocation");
    const std::unique_ptr<Execution> execution = backend.prepare(workload, rules);
    on_step("init");
    execution->initialise();
    on_step("first launch");
    execution->launch();
    on_step("check");
    if (auto mismatch = execution->verify()) throw ExecutionFailure(*mismatch);
    on_step("count");
    Observation observation = execution->observe();
    if (backend.can_time()) {
      take_samples(*execution, rules, clock, on_step, point);
      point.metrics = timing_metrics(point.samples, useful, backend.device());
    }
    std::ranges::move(observation.metrics, std::back_inserter(point.metrics));
    point.notes = std::move(observation.notes);
  } catch (const ExecutionFailure& failure) {
    point.status = PointStatus::failed;
    point.reason = failure.what();
    point.samples.clear();
    point.metrics.clear();
    point.stopped_by.clear();
  }
  return point;
}

}  // namespace sweep
