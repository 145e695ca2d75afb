#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>

#include "engine/run/compile_pool.h"
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
  /// `compiled` is to have nothing else to compile; the configurations must outlive this.
  /// `emulators` may be null.
  PreparedPoints(CompilePool& compiled, std::span<const Configuration> configurations,
                 EmulateAhead* emulators, const MeasureRules& rules);

  /// Further configurations, which must outlive this too.
  void add(std::span<const Configuration> configurations);

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

  CompilePool& compiled_;
  std::deque<const Configuration*> remaining_;  ///< not yet taken from the compiler
  EmulateAhead* emulators_;
  const MeasureRules& rules_;
  std::deque<PreparedPoint> ahead_;
};

}  // namespace sweep
