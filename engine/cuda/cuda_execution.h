#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
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

/// Times launches of a workload. Samples are queued in blocks while a kernel holds the stream, so
/// that the device finds all of a block's work ready and is never idle within it. How many
/// launches make a sample is worked out for each state of the cache from launches that are not
/// kept; neither state's samples depend on the other. A sample's clock is the mean over its timed
/// launches and what comes before them, the flush or an untimed launch.
class Sampler {
 public:
  Sampler(CudaContext& context, const LoadedWorkload& loaded, LoadedWorkload::Addresses addresses,
          BusyTime& busy);

  /// Throws CudaError, and ExecutionFailure when the host cannot queue a block in time.
  std::vector<Sample> take(CacheState cache, int count);
  /// Queues samples that are not kept and does not wait for them: while the device is at them, the
  /// host queues the next block. Throws as `take`.
  void warm_up(CacheState cache, int count);
  /// How many launches one of the samples taken last is the mean of.
  int launches_per_sample() const { return launches_per_sample_; }
  /// The workload's own buffers.
  LoadedWorkload::Addresses& original() { return copies_.front(); }

 private:
  using Nanoseconds = std::chrono::nanoseconds;

  std::optional<BatchPlan>& known_plan(CacheState cache) {
    return plans_[cache == CacheState::cold ? 0 : 1];
  }
  BatchPlan plan_of(CacheState cache);
  BatchPlan calibrate(CacheState cache);
  BatchPlan with_copies(CacheState cache, double seconds_per_launch);
  std::size_t provide_copies(std::size_t wanted);
  std::vector<Sample> held_block(CacheState cache, const BatchPlan& plan, int count);
  bool run_block(CacheState cache, const BatchPlan& plan, int count,
                 std::optional<Nanoseconds> patience);
  void queue_block(CacheState cache, const BatchPlan& plan, int count);
  void bring_cache_into(CacheState cache);
  void queue_launches(CacheState cache, const BatchPlan& plan);
  std::vector<Sample> read_block(const BatchPlan& plan, int count) const;

  CudaContext& context_;
  const LoadedWorkload& loaded_;
  BusyTime& busy_;
  CopyLayout layout_;
  std::size_t copies_allowed_;
  /// The workload's buffers and further copies of them, for launches that must not find in the
  /// cache what another one left there. A copy is initialised and launched once before use.
  std::vector<LoadedWorkload::Addresses> copies_;
  double target_;
  std::array<std::optional<BatchPlan>, 2> plans_;
  double first_sample_seconds_ = 0;  ///< of the one that each calibration begins with
  int launches_per_sample_ = 1;
};

/// One workload on a GPU. Driver errors become ExecutionFailure.
class CudaExecution : public Execution {
 public:
  CudaExecution(CudaContext& context, const Workload& workload);

  void initialise() override;
  void launch() override;
  std::optional<std::string> verify() override;
  std::vector<Sample> sample(CacheState cache, int count) override;
  void warm_up(CacheState cache, int count) override;
  int launches_per_sample() const override { return sampler_.launches_per_sample(); }
  double busy_seconds() const override { return busy_.seconds(); }

 private:
  std::optional<std::string> run_checks();

  CudaContext& context_;
  BusyTime busy_;
  LoadedWorkload loaded_;
  Sampler sampler_;
};

}  // namespace sweep
