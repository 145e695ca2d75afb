#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "engine/run/phase_stopwatch.h"
#include "engine/run/recent_workloads.h"
#include "engine/run/runner.h"

namespace sweep {

class CountsBeside;

/// What the stages of one run work with.
struct RunStage {
  const RunRequest& request;
  CompileSettings compile;
  Measurer& measurer;
  Store& store;
  RunObserver& observer;
  const std::atomic<bool>& stop;
  std::int64_t run = 0;
  RunTiming timing = {};
  PhaseStopwatch watch{timing.phases, request.clock};
  RecentWorkloads recent = {};
  CountsBeside* counts = nullptr;  ///< null: nothing counts beside the device

  /// Whether there is a device that measures, and can do so again.
  bool can_time() const { return !request.replay && !measurer.device().is_emulated(); }
  /// Records a sentence about the run and shows it.
  void note(const std::string& text) {
    store.add_note(run, text);
    observer.on_note(text);
  }
  /// Measures; the time goes to the measurement's own phases, or to `phase` if that is given.
  Measurement measure(const Workload& workload, const MeasureRules& rules,
                      const UsefulTraffic& useful, Phase phase = Phase::other,
                      const std::function<void()>& meanwhile = nullptr) {
    return watch.time(phase, [&] {
      Measurement measurement = measurer.measure(workload, rules, useful, meanwhile);
      timing.busy_seconds += measurement.busy_seconds;
      if (phase == Phase::other) watch.move(measurement.times);
      return measurement;
    });
  }
};

}  // namespace sweep
