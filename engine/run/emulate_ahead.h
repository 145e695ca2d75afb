#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/run/measure.h"

namespace sweep {

/// Makes a backend that ends what it executes, by a failure, soon after `cancelled` is set; the
/// flag outlives it.
using MakeBackend = std::function<std::unique_ptr<Backend>(const std::atomic<bool>& cancelled)>;

/// Counts workloads on backends of its own, one a thread, while others are timed elsewhere.
class EmulateAhead {
 public:
  /// `make_backend` is called by each thread, when it is first needed there, and again if it threw.
  EmulateAhead(const MakeBackend& make_backend, unsigned threads);
  /// Drops what has not begun and cancels what has.
  ~EmulateAhead();
  EmulateAhead(const EmulateAhead&) = delete;
  EmulateAhead& operator=(const EmulateAhead&) = delete;

  /// Whether so little waits that more may: what waits takes memory.
  bool has_room();
  /// The workload's point, without its key, once a thread has come to it; its results are not
  /// verified. Exceptions that are no failure of the workload reach the future, those of
  /// `make_backend` too.
  std::future<PointRecord> count(const Workload& workload, const MeasureRules& rules,
                                 const UsefulTraffic& useful);

 private:
  /// Gives the thread's backend.
  using OwnBackend = std::function<Backend&()>;
  using Job = std::packaged_task<PointRecord(const OwnBackend&)>;

  void work(const MakeBackend& make_backend);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::atomic<bool> cancelled_ = false;  ///< ends the threads too; set under the mutex
  std::vector<std::thread> threads_;
};

}  // namespace sweep
