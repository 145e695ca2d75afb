#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "engine/cuda/batch_plan.h"
#include "engine/cuda/workload_copies.h"

namespace sweep {

/// Times launches of a workload. Samples are queued in blocks while a gate holds the stream, so
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
