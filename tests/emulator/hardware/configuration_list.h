#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/jit/nvrtc.h"
#include "engine/spec/pattern.h"

namespace sweep::testing {

/// A configuration of configurations.txt, compiled for compute capability 9.0.
struct ComparedConfiguration {
  std::string text;  ///< its line in the file
  Workload workload;
};

/// Reads and compiles the configurations in a folder: configurations.txt and patterns/*.cu. Throws
/// std::runtime_error with the messages for the first that has mistakes. Machine code, which a GPU
/// needs, costs as much again as the PTX.
std::vector<ComparedConfiguration> compile_configurations(const std::string& folder,
                                                          std::shared_ptr<Nvrtc> nvrtc,
                                                          bool with_machine_code);

}  // namespace sweep::testing
