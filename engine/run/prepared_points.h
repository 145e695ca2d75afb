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
  /// What `next` gives, if it need not wait for that; null otherwise.
  const PreparedPoint* peek();

 private:
  void take_one();
  void take_ready();

  CompileAhead& compiled_;
  std::span<const Configuration> remaining_;  ///< not yet taken from the compiler
  EmulateAhead* emulators_;
  const MeasureRules& rules_;
  std::deque<PreparedPoint> ahead_;
};

}  // namespace sweep
