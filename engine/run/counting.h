#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <optional>
#include <span>

#include "engine/run/run_stage.h"

namespace sweep {

/// Counts a run's points on emulators while a device times them. A point gets its counts once they
/// are there; for those that are late the run waits a small share of its time, and the others stay
/// without.
class CountsBeside {
 public:
  /// On the request's emulators.
  explicit CountsBeside(RunStage& stage);

  EmulateAhead& emulators() { return *emulators_; }

  /// Gives a point its counts if they are there, or waits for them where the run or the caller
  /// does. Late ones are expected: `recorded` is to tell the point's id. `counts` has no state
  /// where there was no room to count the point.
  void add_to(PointRecord& point, std::size_t point_index, std::future<Observation>& counts,
              bool waits);
  /// The point that was added to last has been recorded. Records the late counts that have come.
  void recorded(std::int64_t id);
  /// Begins to count a point of the run unless it has counts.
  void begin(std::size_t point_index, const Workload& workload);
  /// Records those that have come.
  void take_ready();
  /// Waits for those that have not come, as long as the run may wait.
  void wait();
  /// The same, drops the rest, and notes that there was one.
  void finish();

 private:
  struct Late {
    std::int64_t id = 0;  ///< of the point; 0 until it is recorded
    std::size_t point_index = 0;
    std::future<Observation> counts;
  };

  bool may_wait() const;

  RunStage& stage_;
  std::optional<EmulateAhead> emulators_;  ///< until it finishes
  std::deque<Late> late_;
  bool lacks_some_ = false;  ///< counts that nobody began
};

/// A recorded point that the emulator is to count.
struct UncountedPoint {
  std::int64_t id = 0;
  Configuration configuration;
};

/// Compiles points and counts them on emulators, as many at a time as there are threads, and
/// records the counts, or why there are none. `on_point` is called after each. Ends early once the
/// compile settings' `stop` is set. Throws as CompilePool and Store do.
void count_points(std::span<const UncountedPoint> points, const CompileSettings& compile,
                  const MeasureRules& rules, const CounterThreads& emulate, Store& store,
                  const std::function<void(const UncountedPoint&, const Observation&)>& on_point);

/// The same for the points of a run whose counts an earlier run left out.
void count_the_rest(RunStage& stage);

/// Reads the hardware's counters that the run asks for, for those of its points that do not have
/// them yet, and records them. What cannot be counted becomes a note of the run.
void read_counters(RunStage& stage);

}  // namespace sweep
