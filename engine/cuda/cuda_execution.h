#pragma once

#include <optional>

#include "engine/cuda/cuda_context.h"
#include "engine/cuda/loaded_workload.h"
#include "engine/spec/sweep.h"

namespace sweep {

/// How a sample is taken: `rounds` times, the cache is brought into its state and then
/// `launches_per_round` launches are timed together. A warm sample has one round. In a round of a
/// cold sample every launch works on a copy of the buffers of its own, so that each finds a cold
/// cache.
struct BatchPlan {
  int launches_per_round = 1;
  int rounds = 1;

  int launches() const { return launches_per_round * rounds; }
  friend bool operator==(const BatchPlan&, const BatchPlan&) = default;
};

constexpr int most_launches_per_sample = 128;
constexpr int most_rounds_per_sample = 32;
constexpr int most_samples_per_block = 64;

/// The step in seconds of the clock behind times that were read from it: the smallest difference
/// between any two, at most 1 us; 0.5 us, which CUDA documents for its events, where all are equal.
double smallest_step(std::span<const double> seconds);

/// How long a sample is to last on an event clock with this step: 200 steps, and at least 20 us,
/// beside which the events' own time is small.
double sample_target(double event_step);

/// The plan with which a sample of launches of about `seconds_per_launch` lasts `target` seconds,
/// with at most `copies` copies of the buffers (at least 1, the original included). The numbers
/// are powers of two, so that a small change of the estimate rarely changes them. A launch may be
/// of several kernels.
BatchPlan plan_batch(double seconds_per_launch, double target, std::size_t copies,
                     std::size_t kernels = 1);

/// How many samples are queued before the device starts on them: so many that the queue, which has
/// about a thousand places, holds a few hundred pieces.
int samples_per_block(const BatchPlan& plan, CacheState cache, std::size_t kernels = 1);

/// Where further copies of buffers of these sizes lie in one allocation.
struct CopyLayout {
  std::vector<std::uint64_t> offsets;  ///< of the buffers within a copy
  std::uint64_t bytes_per_copy = 0;
};
CopyLayout lay_out_copy(std::span<const std::uint64_t> sizes);

/// How many copies of a layout may exist on a device with so much memory, the original included:
/// further ones take at most 4 GiB and an eighth of the memory.
std::size_t copies_allowed(const CopyLayout& layout, std::uint64_t memory_bytes);

/// One workload on a GPU. Driver errors become ExecutionFailure.
///
/// Samples are queued in blocks while a kernel holds the stream, so that the device finds all of a
/// block's work ready and is never idle within it. How many launches make a sample is worked out
/// for each state of the cache from launches that are not kept; neither state's samples depend on
/// the other. A sample's clock is the mean over its timed launches and what comes before them, the
/// flush or an untimed launch.
///
/// Cold samples of what persists in L2 are of one launch and queued one by one: before each the
/// persisting lines are reset, which a stream cannot queue. So are those of managed memory whose
/// pages move: before each they go to where they lie at first.
class CudaExecution : public Execution {
 public:
  CudaExecution(CudaContext& context, const Workload& workload);

  void initialise() override;
  void launch() override;
  std::optional<std::string> verify() override;
  /// Throws ExecutionFailure when the host cannot queue a block in time.
  std::vector<Sample> sample(CacheState cache, int count) override;
  void repeat(int launches) override;
  /// What the kernel takes of a multiprocessor.
  Observation observe() override;
  /// While the device is at them, the host queues the next block.
  void warm_up(CacheState cache, int count) override;
  std::vector<double> launch_seconds(CacheState cache) override;
  int launches_per_sample() const override { return launches_per_sample_; }
  double busy_seconds() const override { return busy_seconds_; }

 private:
  using Nanoseconds = std::chrono::nanoseconds;

  /// Counts the time that the device works on what `queue_work` queues, and waits for it.
  template <class Work>
  void run(Work queue_work) {
    record(context_.begin, context_.stream.get());
    queue_work();
    record(context_.end, context_.stream.get());
    wait_and_count();
  }
  void wait_and_count();
  std::optional<std::string> run_checks();
  CheckResult check_one(std::size_t index, std::uint64_t element);
  std::optional<BatchPlan>& known_plan(CacheState cache) {
    return plans_[cache == CacheState::cold ? 0 : 1];
  }
  std::size_t kernels() const { return loaded_.workload().launches.size(); }
  bool resets_before(CacheState cache) const {
    return cache == CacheState::cold && (loaded_.persists() || loaded_.has_moving_pages());
  }
  void reset(CacheState cache);
  BatchPlan plan_of(CacheState cache);
  BatchPlan calibrate(CacheState cache);
  BatchPlan with_copies(CacheState cache, double seconds_per_launch);
  std::size_t provide_copies(std::size_t wanted);
  std::vector<Sample> held_block(CacheState cache, const BatchPlan& plan, int count);
  bool run_block(CacheState cache, const BatchPlan& plan, int count,
                 std::optional<Nanoseconds> patience);
  void bring_cache_into(CacheState cache);
  void queue_launches(CacheState cache, const BatchPlan& plan);
  std::vector<Sample> read_block(const BatchPlan& plan, int count) const;

  CudaContext& context_;
  LoadedWorkload loaded_;
  /// The workload's buffers and further copies of them, for launches that must not find in the
  /// cache what another one left there. A copy is initialised and launched once before use.
  std::vector<LoadedWorkload::Addresses> copies_;
  CopyLayout layout_;
  std::size_t copies_allowed_;
  double target_;
  std::array<std::optional<BatchPlan>, 2> plans_;
  double first_sample_seconds_ = 0;  ///< of the one that each calibration begins with
  int launches_per_sample_ = 1;
  double busy_seconds_ = 0;
  bool has_work_ahead_ = false;  ///< between begin_ahead and end_ahead
};

}  // namespace sweep
