#pragma once

#include <memory>
#include <span>

#include "engine/jit/nvrtc.h"
#include "engine/spec/configuration.h"
#include "engine/text/diagnostic.h"

namespace sweep {

/// Compiles configurations and works out their sizes. Gives the errors and warnings, each once (two
/// that differ in their figures alone are one), the errors with the configuration they first show
/// up in.
Diagnostics compile_check(std::span<const Configuration> configurations,
                          const std::shared_ptr<const Nvrtc>& nvrtc, int compute_capability);

}  // namespace sweep
