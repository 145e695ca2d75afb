#include "engine/cuda/driver_failure.h"

#include <fmt/format.h>

namespace sweep {

std::string explain(const CudaError& error, const std::string& culprit) {
  switch (error.result()) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return fmt::format("illegal address: {} accessed memory outside the buffers", culprit);
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return fmt::format("misaligned address: {} made an access not aligned to its size", culprit);
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
      return fmt::format("illegal instruction in {}", culprit);
    case CUDA_ERROR_ASSERT:
      return fmt::format("an assert() in {} failed", culprit);
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return fmt::format("{} ran longer than the driver allows", culprit);
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return "too many resources: the block's threads need more registers than a multiprocessor "
             "has";
    case CUDA_ERROR_LAUNCH_FAILED:
      return fmt::format("{} stopped with a fault or a trap ({})", culprit, error.what());
    default:
      return error.what();
  }
}

}  // namespace sweep
