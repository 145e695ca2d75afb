#pragma once

#include <chrono>
#include <cstdint>

#include "engine/cuda/handles.h"

namespace sweep {

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
  void queue(std::uint32_t ticket, std::chrono::nanoseconds longest);

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

}  // namespace sweep
