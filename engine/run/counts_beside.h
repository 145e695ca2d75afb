#pragma once

#include <cstdint>
#include <deque>
#include <future>
#include <optional>

#include "engine/run/emulate_ahead.h"
#include "engine/run/run_stage.h"

namespace sweep {

/// What the emulator's counting of a point came to: its metrics, or a note on why there are none.
Observation counts_of(PointRecord counted);

/// Counts a run's points on emulators while a device times them. A point gets its counts once they
/// are there; for those that are late the run waits a small share of its time, and the others stay
/// without.
class CountsBeside {
 public:
  /// Where the request has no emulators nothing is counted.
  explicit CountsBeside(RunStage& stage);

  /// Null where nothing is counted.
  EmulateAhead* emulators() { return emulators_ ? &*emulators_ : nullptr; }

  /// Gives the point its counts if they are there, or waits for them where the run does. Those that
  /// are late stay in `counts`, which has no state where there was no room to count the point.
  void add_to(PointRecord& point, std::future<PointRecord>& counts);
  /// The same without a choice.
  void wait_for(PointRecord& point, std::future<PointRecord>& counts);
  /// Late counts of a point that is recorded, by its id and its place in the space.
  void expect(std::int64_t point, std::size_t index, std::future<PointRecord> counts);
  /// Begins to count a point of the run unless it has counts.
  void begin(std::size_t index, const Workload& workload, const UsefulTraffic& useful);
  /// Records those that have come.
  void take_ready();
  /// Waits for those that have not, as long as the run may wait.
  void wait();
  /// The same, drops the rest, and notes that there was one.
  void finish();

 private:
  struct Late {
    std::int64_t point = 0;
    std::size_t index = 0;
    std::future<PointRecord> counts;
  };

  void record(Late& late);
  double patience() const;

  RunStage& stage_;
  std::optional<EmulateAhead> emulators_;
  std::deque<Late> late_;
  bool lacks_some_ = false;  ///< counts that nobody began
};

}  // namespace sweep
