#pragma once

#include <span>
#include <string>

#include "engine/jit/nvrtc.h"

namespace sweep {

/// Everything besides a configuration that decides what compiling it gives, in one line: NVRTC's
/// version and build, the options, and the texts that the engine adds to a pattern's.
std::string compiler_identity(const Nvrtc& nvrtc, std::span<const std::string> options);

}  // namespace sweep
