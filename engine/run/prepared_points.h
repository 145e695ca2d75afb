#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>

#include "engine/run/compiled_outcomes.h"
#include "engine/run/emulate_ahead.h"

namespace sweep {

/// A configuration that is compiled and, where something counts beside the measuring, counted or
/// on its way to be.
struct PreparedPoint {
  std::optional<Workload> workload;
  UsefulTraffic useful;
  std::string failure;  ///< why there is no workload
  Diagnostics warnings;
  std::future<PointRecord> counts;  ///< without state when nothing counts
};

/// Takes configurations from the compiler as they become ready, some ahead of the caller, and gives
/// those ahead to the emulators.
class PreparedPoints {
 public:
  /// `compiled` gives the outcomes of the configurations in their order; they must outlive this.
  /// `emulators` may be null.
  PreparedPoints(CompiledOutcomes& compiled, std::span<const Configuration> configurations,
                 EmulateAhead* emulators, const MeasureRules& rules);

  /// One more configuration, which `compiled` has been given too.
  void add(const Configuration& configuration) { remaining_.push_back(&configuration); }

  /// The next configuration's; waits for the compiler if need be.
  PreparedPoint next();
  /// Whether `next` need not wait.
  bool is_ready() const { return !ahead_.empty() || compiled_.is_ready(); }
  /// What `next` gives, if that was ready when some were last taken; null otherwise.
  const PreparedPoint* peek() const { return ahead_.empty() ? nullptr : &ahead_.front(); }
  /// Takes what is ready, which `next` then need not do.
  void take_ready();

 private:
  void take_one();

  CompiledOutcomes& compiled_;
  std::deque<const Configuration*> remaining_;  ///< not yet taken from the compiler
  EmulateAhead* emulators_;
  const MeasureRules& rules_;
  std::deque<PreparedPoint> ahead_;
};

}  // namespace sweep
