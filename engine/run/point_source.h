#pragma once

#include <cstddef>
#include <deque>
#include <functional>

#include "engine/run/anchor_watch.h"
#include "engine/run/compile_pool.h"
#include "engine/run/point_execution.h"

namespace sweep {

/// Gives the points of configurations that become known one after the other.
class PointSource {
 public:
  /// After how many seconds of a launch to give up a configuration with this traffic.
  using GiveUp = std::function<double(const UsefulTraffic&)>;

  virtual ~PointSource() = default;

  /// One more configuration, by its place in the run's space.
  virtual void add(std::size_t index) = 0;
  /// The point of the next one, without its key.
  virtual PointRecord next(const GiveUp& give_up_seconds) = 0;
  virtual CompileStatistics statistics() const { return {}; }
};

/// Compiles and measures them.
class MeasuredPoints : public PointSource {
 public:
  /// With `waits_for_counts` each point has the emulator's counts, where there are any. With
  /// `reads_counters` each has the request's counters of the hardware read at once; that costs some
  /// ten milliseconds for each.
  MeasuredPoints(RunStage& stage, PointExecution& execution, AnchorWatch& anchor,
                 bool waits_for_counts, bool reads_counters);

  void add(std::size_t index) override;
  PointRecord next(const GiveUp& give_up_seconds) override;
  CompileStatistics statistics() const override { return compiled_.statistics(); }

 private:
  void read_counters(const Workload& workload, PointRecord& point);

  RunStage& stage_;
  PointExecution& execution_;
  AnchorWatch& anchor_;
  bool reads_counters_;
  CompilePool compiled_;
  PreparedPoints prepared_;
  std::deque<std::size_t> indices_;
};

/// Gives what the request's recording says of them.
class ReplayedPoints : public PointSource {
 public:
  explicit ReplayedPoints(const RunRequest& request) : request_(request) {}

  void add(std::size_t index) override { indices_.push_back(index); }
  PointRecord next(const GiveUp& give_up_seconds) override;

 private:
  const RunRequest& request_;
  std::deque<std::size_t> indices_;
};

}  // namespace sweep
