#pragma once

#include "engine/run/compile_ahead.h"

namespace sweep {

/// Compiling on all cores, in processes of this program too. `cache` may be null.
CompileSettings compile_settings(std::shared_ptr<const Nvrtc> nvrtc, int compute_capability,
                                 ProgramCache* cache);

/// The operand of 'sweep worker' that makes it a compiler process.
constexpr const char* compiler_worker = "compiler";

}  // namespace sweep
