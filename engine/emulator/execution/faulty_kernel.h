#pragma once

#include "engine/backend/backend.h"
#include "engine/emulator/machine/fault.h"

namespace sweep {

/// An execution that ended because of what the kernel did, or that never began because of what it
/// holds, with the place.
class FaultyKernel : public ExecutionFailure {
 public:
  explicit FaultyKernel(const KernelFault& fault) : ExecutionFailure(fault.what()), fault_(fault) {}
  const KernelFault& fault() const { return fault_; }

 private:
  KernelFault fault_;
};

}  // namespace sweep
