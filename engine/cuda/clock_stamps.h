#pragma once

#include <cstdint>
#include <span>

#include "engine/cuda/handles.h"

namespace sweep {

/// What one multiprocessor read from its clocks at one moment; all 0 where it read nothing.
struct ClockStamp {
  std::uint64_t cycles = 0;
  std::uint64_t nanoseconds = 0;
};

/// The multiprocessors' mean clock in Hz between two moments: the median over those that have a
/// stamp of both. The stamps of a multiprocessor have the same place in both spans. 0 where the
/// time between is too short to know the clock to 1 % with a timer that moves in steps of
/// `timer_step` nanoseconds (0: unknown).
double mean_sm_clock(std::span<const ClockStamp> before, std::span<const ClockStamp> after,
                     std::uint64_t timer_step);

/// Stamps of every multiprocessor's clocks, taken on the device between pieces of queued work and
/// fetched together.
class ClockStamps {
 public:
  /// Room for `capacity` rounds of stamps. Waits for the stream.
  ClockStamps(std::size_t capacity, int multiprocessors, CUstream stream);

  /// Queues forgetting the first `count` rounds.
  void queue_reset(std::size_t count);
  /// Queues a round of stamps.
  void queue(std::size_t round);
  /// Queues copying the first `count` rounds to the host.
  void queue_fetch(std::size_t count);
  /// A fetched round, one place for each multiprocessor's number.
  std::span<const ClockStamp> round(std::size_t index) const;

  /// The step of the device's nanosecond timer; 0 when it was not seen to move.
  std::uint64_t timer_step() const { return timer_step_; }

 private:
  std::uint64_t find_timer_step();

  CUstream stream_;
  std::uint32_t blocks_;
  std::uint32_t slots_;  ///< the multiprocessors' numbers may have gaps
  DeviceMemory on_device_;
  PinnedMemory on_host_;
  Module module_;
  CUfunction stamp_;
  std::uint64_t timer_step_ = 0;
};

}  // namespace sweep
