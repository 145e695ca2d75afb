#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

#include "engine/run/compile_pool.h"
#include "engine/run/measurer.h"
#include "engine/space/enumerate.h"

namespace sweep {

/// What a configuration's `useful` comes to. Throws InputError when an expression fails,
/// ExecutionFailure when a figure is negative.
UsefulTraffic useful_traffic_of(const Configuration& configuration);

/// Leaves out the configurations of which a buffer cannot lie in its place on the device; why, with
/// how many each reason took. Throws InputError when an expression fails.
std::vector<Removed> leave_out_unplaced(Space& space, const Device& device);
/// Whether a buffer of the pattern may lie elsewhere than on the device.
bool places_buffers(const Pattern& pattern);
/// Whether a configuration has a buffer on another GPU.
bool uses_peers(const Space& space);

/// Works out every size of a compiled configuration. Throws InputError when an expression fails,
/// ExecutionFailure when a size makes no sense: a negative length, an empty grid, a scalar that
/// does not fit its type.
Workload make_workload(const Configuration& configuration, const CompiledConfiguration& compiled);

/// The workloads that were executed last, so that what is executed again need not be compiled
/// again.
class RecentWorkloads {
 public:
  void add(std::size_t point_index, const Workload& workload);
  /// Those of another device.
  void add(const RecentWorkloads& others);
  /// Null where it is not among the last ones.
  const Workload* find(std::size_t point_index) const;

 private:
  std::deque<std::pair<std::size_t, Workload>> entries_;  ///< the newest first
};

/// Makes a backend that ends what it executes, by a failure, soon after `cancelled` is set; the
/// flag outlives it.
using MakeBackend = std::function<std::unique_ptr<Backend>(const std::atomic<bool>& cancelled)>;

/// Executes workloads on backends of its own, one a thread, before their results are asked for.
class EmulateAhead {
 public:
  /// What becomes of points that are compiled.
  enum class Use {
    count,    ///< they are timed elsewhere
    measure,  ///< here is the device
  };

  /// So many threads at most. `make_backend` is called by each, when it is first needed there, and
  /// again if it threw.
  EmulateAhead(MakeBackend make_backend, unsigned threads, Use use = Use::count)
      : make_backend_(std::move(make_backend)), use_(use), most_threads_(std::max(threads, 1U)) {}
  /// Drops what has not begun and cancels what has.
  ~EmulateAhead();
  EmulateAhead(const EmulateAhead&) = delete;
  EmulateAhead& operator=(const EmulateAhead&) = delete;

  Use use() const { return use_; }
  /// Whether there is a thread, and so little waits that more may: what waits takes memory.
  bool has_room();
  // Both throw std::system_error where not even one thread can be started.
  /// What executing the workload comes to, or a note on why nothing does, once a thread has come to
  /// it; its results are not verified. Exceptions that are no failure of the workload reach the
  /// future, those of `make_backend` too.
  std::future<Observation> count(const Workload& workload, const MeasureRules& rules);
  /// The same as a measurer's on such a backend, which verifies results.
  std::future<Measurement> measure(const Workload& workload, const MeasureRules& rules);

 private:
  /// Is given the thread's backend, null at first.
  using Job = std::packaged_task<void(std::unique_ptr<Backend>&)>;

  template <class Result>
  std::future<Result> give(Workload workload, const MeasureRules& rules,
                           Result (*result_of)(Measurement));
  void start_thread();
  void work();

  const MakeBackend make_backend_;
  const Use use_;
  std::mutex mutex_;  ///< over what follows
  std::size_t most_threads_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::atomic<bool> cancelled_ = false;  ///< ends the threads too; set under the mutex
  std::vector<std::thread> threads_;
};

/// A configuration that is compiled.
struct PreparedPoint {
  std::optional<Workload> workload;
  std::string failure;  ///< why there is no workload
  Diagnostics warnings;
  // Without state where no emulator has it:
  std::future<Observation> counts;    ///< beside the measuring
  std::future<Measurement> measured;  ///< in the place of the measuring
};

/// Takes configurations from the compiler as they become ready, some ahead of the caller, and gives
/// those ahead to the emulators.
class PreparedPoints {
 public:
  /// `emulators` may be null.
  PreparedPoints(const CompileSettings& settings, const MeasureRules& rules,
                 EmulateAhead* emulators = nullptr)
      : compiled_(settings), rules_(rules), emulators_(emulators) {}

  /// Further configurations, which must outlive this.
  void add(std::span<const Configuration* const> configurations);

  /// The next configuration's; waits for the compiler if need be.
  PreparedPoint next();
  /// Waits until `next` need not, if there is one.
  void wait() {
    if (!is_ready() && !remaining_.empty()) take_one();
  }
  /// Whether `next` would wait, and not end by an exception.
  bool must_wait() const { return !is_ready() && !compiled_.has_failed(); }
  /// Whether `next` need not wait.
  bool is_ready() const { return !ahead_.empty() || compiled_.is_ready(); }
  /// Takes what is ready, which `next` then need not do.
  void take_ready();
  CompileStatistics statistics() const { return compiled_.statistics(); }

 private:
  void take_one();

  CompilePool compiled_;
  const MeasureRules& rules_;
  EmulateAhead* emulators_;
  std::deque<const Configuration*> remaining_;  ///< not yet taken from the compiler
  std::deque<PreparedPoint> ahead_;
};

}  // namespace sweep
