#pragma once

#include <string>

#include "engine/cuda/cuda_context.h"

namespace sweep {

/// What `culprit` ("the kernel") did wrong, in words; for other errors the driver's own.
std::string explain(const CudaError& error, const std::string& culprit);

/// Runs `work`; driver errors become failures of this configuration, and those that the context
/// does not survive are remembered in it.
template <class Work>
auto guarded(CudaContext& context, const std::string& culprit, Work work) {
  try {
    return work();
  } catch (const CudaError& error) {
    context.poisoned = context.poisoned || !context.responds();
    throw ExecutionFailure(explain(error, culprit));
  }
}

}  // namespace sweep
