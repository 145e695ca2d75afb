#pragma once

#include <memory>

#include "engine/backend/backend.h"
#include "engine/cuda/buffer_pool.h"
#include "engine/cuda/handles.h"
#include "engine/cuda/l2_flush.h"

namespace sweep {

/// Keeps a device's primary context for its owner and makes it the thread's current one.
class PrimaryContext {
 public:
  explicit PrimaryContext(CUdevice device);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  CUcontext get() const { return context_; }

 private:
  CUdevice device_;
  CUcontext context_ = nullptr;
};

/// Everything a GPU keeps from one configuration to the next.
struct CudaContext {
  explicit CudaContext(const Device& device);

  /// Whether the context still works. After some errors every later call in it fails.
  bool responds() const;
  /// The module of a program; the one loaded last is kept.
  const Module& module_of(const std::shared_ptr<const Program>& program);

  Device device;
  PrimaryContext primary;
  // What follows lives in the context and goes before it.
  Stream stream;
  Event begin;
  Event end;
  BufferPool buffers;
  DeviceMemory check_result;
  L2Flush flush;
  bool poisoned = false;  ///< a kernel left the context unusable; CUDA offers no way back

 private:
  std::shared_ptr<const Program> loaded_;
  Module module_;
};

}  // namespace sweep
