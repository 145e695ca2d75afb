#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "engine/cuda/driver.h"

// What measuring launches on the device beside the measured kernel. The functions are PTX, since
// this room has no compiler; every device since 5.0 runs them.
namespace sweep {

/// Empties the L2 cache by reading a buffer of twice its size. Reading leaves clean lines, unlike
/// a memset, whose dirty lines the timed kernel would have to write back.
class L2Flush {
 public:
  L2Flush(std::uint64_t l2_bytes, int multiprocessors, CUstream stream);
  /// That of another GPU, `owner`, by reading its memory from here: with the functions of this one.
  L2Flush(const L2Flush& own, std::uint64_t l2_bytes, CUcontext owner);
  /// Queues the flush.
  void run(CUstream stream) const;

 private:
  std::uint64_t bytes_;
  unsigned blocks_;
  DeviceMemory buffer_;
  Module module_;  ///< null where it has another's function
  CUfunction function_;
};

/// Keeps a stream waiting while the host queues work into it, so that the work then runs without
/// the device waiting for the host: one thread on the device that waits for a word in mapped host
/// memory. It gives up by itself after some time, since a driver call that waits for the stream
/// would otherwise never return; what was measured behind it then does not count.
///
/// While a hold lasts, only launches of functions that have run before and event records may be
/// queued, and not more than a few hundred: the driver's queue has about a thousand places, and
/// the first launch of a function may wait for the device.
class BlockingKernel {
 public:
  explicit BlockingKernel(CUstream stream);

  /// Whether the last hold ended before its release. Ask after everything queued is done.
  bool gave_up() const;

  /// How long the device waits for the host.
  std::chrono::nanoseconds patience = std::chrono::milliseconds(300);

 private:
  friend class StreamHold;
  void queue(std::chrono::nanoseconds longest) const;

  CUstream stream_;
  PinnedMemory words_;
  Module module_;
  CUfunction function_;
  std::uint32_t ticket_ = 0;  ///< of the last hold
};

/// Holds the stream until release or destruction, so that an error while queueing lets it go.
class StreamHold {
 public:
  /// The device waits for `longest` at most.
  StreamHold(BlockingKernel& kernel, std::chrono::nanoseconds longest);
  ~StreamHold() { release(); }
  StreamHold(const StreamHold&) = delete;
  StreamHold& operator=(const StreamHold&) = delete;

  void release() noexcept;

 private:
  BlockingKernel& kernel_;
};

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
  void queue_reset(std::size_t count) const;
  /// Queues a round of stamps.
  void queue(std::size_t round) const;
  /// Queues copying the first `count` rounds to the host.
  void queue_fetch(std::size_t count) const;
  /// A fetched round, one place for each multiprocessor's number.
  std::span<const ClockStamp> round(std::size_t index) const;

  /// The step of the device's nanosecond timer; 0 when it was not seen to move.
  std::uint64_t timer_step() const { return timer_step_; }

 private:
  std::uint64_t find_timer_step() const;
  std::size_t bytes_of(std::size_t rounds) const { return rounds * slots_ * sizeof(ClockStamp); }

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
