#pragma once

#include <span>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/cuda/driver.h"

namespace sweep {

using TextureObject = CudaHandle<CUtexObject, &Driver::texture_destroy>;

/// The tensor maps and textures of a launch on one set of buffers.
class KernelObjects {
 public:
  /// `addresses` are the buffers'. Queues copies that read from this object. Throws CudaError, and
  /// ExecutionFailure for what the device or its driver does not have.
  KernelObjects(const std::vector<ObjectPlan>& plans, std::span<const CUdeviceptr> addresses,
                CUstream stream);

  /// What the packing function takes for each: a tensor map's address or a texture's handle.
  const std::vector<std::uint64_t>& values() const { return values_; }

 private:
  CUdeviceptr place(const TensorMap& map, CUdeviceptr address, CUstream stream);
  CUtexObject make(const Texture& texture, CUdeviceptr address);

  std::vector<CUtensorMap> encoded_;
  std::vector<DeviceMemory> maps_;
  std::vector<TextureObject> textures_;
  std::vector<std::uint64_t> values_;
};

}  // namespace sweep
