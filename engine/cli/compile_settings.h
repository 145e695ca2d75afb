#pragma once

#include "engine/run/compile_pool.h"

namespace sweep {

/// Processes of this program to compile in, so many of them started at once: a command that is sure
/// to compile asks for some before it reads its files.
std::shared_ptr<CompilerProcesses> compiler_processes(unsigned ahead = 0);

/// Compiling on all cores. `cache` may be null.
CompileSettings compile_settings(
    std::shared_ptr<const Nvrtc> nvrtc, int compute_capability, ProgramCache* cache,
    std::shared_ptr<CompilerProcesses> processes = compiler_processes());

/// The operand of 'sweep worker' that makes it a compiler process.
constexpr const char* compiler_worker = "compiler";

}  // namespace sweep
