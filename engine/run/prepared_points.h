#pragma once

#include <deque>
#include <optional>
#include <string>

#include "engine/run/compile_ahead.h"
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
  /// `compiled` gives the outcomes of `configurations` in their order; `emulators` may be null.
  PreparedPoints(CompileAhead& compiled, std::span<const Configuration> configurations,
                 EmulateAhead* emulators, const MeasureRules& rules);

  /// The next configuration's; waits for the compiler if need be.
  PreparedPoint next();
  /// What `next` gives, if that was ready when some were last taken; null otherwise.
  const PreparedPoint* peek() const { return ahead_.empty() ? nullptr : &ahead_.front(); }
  /// Takes what is ready, which `next` then need not do.
  void take_ready();

 private:
  void take_one();

  CompileAhead& compiled_;
  std::span<const Configuration> remaining_;  ///< not yet taken from the compiler
  EmulateAhead* emulators_;
  const MeasureRules& rules_;
  std::deque<PreparedPoint> ahead_;
};

}  // namespace sweep
