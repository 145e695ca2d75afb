#pragma once

#include <atomic>
#include <memory>

#include "engine/jit/compiler.h"
#include "engine/run/measurer.h"
#include "engine/space/enumerate.h"
#include "engine/store/store.h"

namespace sweep {

/// Hears how a run goes on.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Before the first point: how many there are, and how many of them a former run measured.
  virtual void on_start(std::size_t points, std::size_t reused) = 0;
  virtual void on_point(const Configuration& configuration, const PointRecord& point) = 0;
  virtual void on_warning(const Diagnostic& warning) = 0;
};

struct RunRequest {
  const Sweep& sweep;
  const Space& space;
  Provenance provenance;  ///< everything but what the runner knows itself: device and compiler
  bool fresh = false;     ///< measure points anew that the store has already
  /// Counts what the measurer times, beside it; null where the measurer counts itself.
  Backend* counter = nullptr;
};

struct RunSummary {
  std::int64_t run = 0;
  std::size_t measured = 0;
  std::size_t reused = 0;
  std::size_t failed = 0;
  bool interrupted = false;
};

/// Measures every configuration of a space that the store does not have yet and records each
/// point before the next begins. Ends early, after the point under way, once `stop` is set.
/// Throws StoreError, DeviceError and LibraryError; what was recorded stays.
RunSummary run_sweep(const RunRequest& request, Measurer& measurer,
                     const std::shared_ptr<const Nvrtc>& nvrtc, Store& store, RunObserver& observer,
                     const std::atomic<bool>& stop);

}  // namespace sweep
