#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "engine/cuda/batch_plan.h"
#include "engine/cuda/cuda_context.h"
#include "engine/cuda/loaded_workload.h"

namespace sweep {

/// Adds up the time that the device works on what is queued between begin and end, one piece at a
/// time.
class BusyTime {
 public:
  explicit BusyTime(CudaContext& context) : context_(context) {}

  void queue_begin() const { record(context_.begin, context_.stream.get()); }
  void queue_end() const { record(context_.end, context_.stream.get()); }
  /// Waits for everything queued and counts the time between the two.
  void wait_and_add() {
    synchronize(context_.stream.get());
    seconds_ += seconds_between(context_.begin, context_.end);
    if (std::exchange(has_work_ahead_, false)) {
      seconds_ += seconds_between(context_.begin_ahead, context_.end_ahead);
    }
  }

  /// Queues work ahead of the next piece without waiting for it; it is counted with that piece.
  template <class Work>
  void queue_ahead(Work queue_work) {
    record(context_.begin_ahead, context_.stream.get());
    queue_work();
    record(context_.end_ahead, context_.stream.get());
    has_work_ahead_ = true;
  }

  /// Counts what `queue_work` queues, and waits for it.
  template <class Work>
  void run(Work queue_work) {
    queue_begin();
    queue_work();
    queue_end();
    wait_and_add();
  }

  double seconds() const { return seconds_; }

 private:
  CudaContext& context_;
  double seconds_ = 0;
  bool has_work_ahead_ = false;
};

/// A workload's buffers and further copies of them, for launches that must not find in the cache
/// what another one left there. A copy is initialised and launched once before use.
class WorkloadCopies {
 public:
  WorkloadCopies(CudaContext& context, LoadedWorkload& loaded, LoadedWorkload::Addresses original);

  /// Makes copies until there are `wanted`, the original included, as far as their share of the
  /// device's memory goes; returns how many there are.
  std::size_t provide(std::size_t wanted, BusyTime& busy);
  /// How many there may be.
  std::size_t allowed() const { return allowed_; }
  LoadedWorkload::Addresses& operator[](std::size_t index) { return copies_.at(index); }
  LoadedWorkload::Addresses& original() { return copies_.front(); }

 private:
  CudaContext& context_;
  LoadedWorkload& loaded_;
  CopyLayout layout_;
  std::size_t allowed_;
  std::vector<LoadedWorkload::Addresses> copies_;
};

/// Times launches of a workload. Samples are queued in blocks while a kernel holds the stream, so
/// that the device finds all of a block's work ready and is never idle within it. How many
/// launches make a sample is worked out for each state of the cache from launches that are not
/// kept; neither state's samples depend on the other. A sample's clock is the mean over its timed
/// launches and what comes before them, the flush or an untimed launch.
class Sampler {
 public:
  Sampler(CudaContext& context, LoadedWorkload& loaded, LoadedWorkload::Addresses addresses,
          BusyTime& busy);

  /// Throws CudaError, and ExecutionFailure when the host cannot queue a block in time.
  std::vector<Sample> take(CacheState cache, int count);
  /// Queues samples that are not kept and does not wait for them: while the device is at them, the
  /// host queues the next block. Throws as `take`.
  void warm_up(CacheState cache, int count);
  /// How many launches one of the samples taken last is the mean of.
  int launches_per_sample() const { return launches_per_sample_; }

 private:
  using Nanoseconds = std::chrono::nanoseconds;

  const BatchPlan& plan_of(CacheState cache);
  BatchPlan calibrate(CacheState cache);
  BatchPlan with_copies(CacheState cache, double seconds_per_launch);
  std::vector<Sample> held_block(CacheState cache, const BatchPlan& plan, int count);
  bool run_block(CacheState cache, const BatchPlan& plan, int count,
                 std::optional<Nanoseconds> patience);
  void queue_block(CacheState cache, const BatchPlan& plan, int count);
  void queue_round(CacheState cache, const BatchPlan& plan, std::size_t pair);
  void bring_cache_into(CacheState cache);
  void queue_launches(CacheState cache, const BatchPlan& plan);
  std::vector<Sample> read_block(const BatchPlan& plan, int count) const;

  CudaContext& context_;
  LoadedWorkload& loaded_;
  WorkloadCopies copies_;
  BusyTime& busy_;
  double target_;
  std::optional<BatchPlan> cold_;
  std::optional<BatchPlan> warm_;
  double first_sample_seconds_ = 0;  ///< of the one that each calibration begins with
  int launches_per_sample_ = 1;
};

}  // namespace sweep
