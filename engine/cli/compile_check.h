#pragma once

#include <span>

#include "engine/spec/configuration.h"
#include "engine/text/diagnostic.h"

namespace sweep {

/// Compiles configurations and gives the compiler's errors and warnings, each once, the errors
/// with the configuration they first show up in. Throws LibraryError without a compiler.
Diagnostics compile_check(std::span<const Configuration> configurations, int compute_capability);

}  // namespace sweep
