#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
/// are powers of two, so that a small change of the estimate rarely changes them.
BatchPlan plan_batch(double seconds_per_launch, double target, std::size_t copies);

/// How many samples are queued before the device starts on them: so many that the queue, which has
/// about a thousand places, holds a few hundred pieces.
int samples_per_block(const BatchPlan& plan, CacheState cache);

/// Where further copies of buffers of these sizes lie in one allocation.
struct CopyLayout {
  std::vector<std::uint64_t> offsets;  ///< of the buffers within a copy
  std::uint64_t bytes_per_copy = 0;
};
CopyLayout lay_out_copy(std::span<const std::uint64_t> sizes);

/// How many copies of a layout may exist on a device with so much memory, the original included:
/// further ones take at most 4 GiB and an eighth of the memory.
std::size_t copies_allowed(const CopyLayout& layout, std::uint64_t memory_bytes);

}  // namespace sweep
