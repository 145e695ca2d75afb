#pragma once

#include <list>
#include <map>
#include <string>

#include "engine/backend/backend.h"
#include "engine/cuda/driver.h"

namespace sweep {

struct CudaContext;

/// What references left in the buffers that results are compared with, on the device: that of the
/// last one and, as far as an eighth of the device's memory goes, of those before it.
class DeviceReferences {
 public:
  /// Executes the workload's reference if it has checks that need it, unless what it left is still
  /// there. Buffers that the context handed out are invalid then. Throws ExecutionFailure.
  void provide(CudaContext& context, const Workload& workload);
  /// Where the reference's buffer lies, once it is provided; else 0.
  CUdeviceptr address(const ReferencePlan& plan, const std::string& buffer) const;
  /// Frees all but what this workload needs; whether there was any.
  bool free_others(const Workload& workload);

 private:
  struct Kept {
    std::string key;
    std::map<std::string, DeviceMemory> values = {};  ///< by their buffers
    std::uint64_t bytes = 0;
  };
  static Kept execute(CudaContext& context, const Workload& workload);

  std::list<Kept> kept_;  ///< the one used last first
};

}  // namespace sweep
