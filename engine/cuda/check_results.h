#pragma once

#include <cstddef>

#include "engine/backend/mismatch.h"
#include "engine/cuda/handles.h"

namespace sweep {

/// What the generated checks write, on the device and on the host, for several checks at a time.
class CheckResults {
 public:
  explicit CheckResults(CUstream stream);

  /// Queues `count` results without a failure. Waits for the stream when it must grow.
  void queue_reset(std::size_t count);
  /// The place on the device that a check writes to.
  CUdeviceptr place(std::size_t index) const;
  /// Queues copying the results of the last reset to the host.
  void queue_fetch();
  /// A fetched result.
  const CheckResult& operator[](std::size_t index) const;
  /// Where anything may be written between checks.
  CUdeviceptr scratch() const { return on_device_.get(); }

 private:
  void grow(std::size_t capacity);

  CUstream stream_;
  std::size_t capacity_ = 0;
  std::size_t count_ = 0;
  DeviceMemory on_device_;
  PinnedMemory on_host_;
};

}  // namespace sweep
