#pragma once

#include <string>
#include <vector>

#include "tests/emulator/hardware/configuration_list.h"
#include "tests/emulator/hardware/outcome.h"

namespace sweep::testing {

/// What the GPU was, and what it did.
struct GpuOutcomes {
  std::string device;
  std::vector<Outcome> outcomes;
  std::vector<std::string> metrics;         ///< by NVIDIA's names
  std::vector<std::vector<double>> values;  ///< of each configuration, by metric
};

/// Runs every configuration on the first GPU: once for the contents of its buffers, and again for
/// the counters. Throws DeviceError and CudaError.
GpuOutcomes run_on_gpu(const std::vector<ComparedConfiguration>& configurations);

}  // namespace sweep::testing
