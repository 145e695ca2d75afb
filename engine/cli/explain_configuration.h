#pragma once

#include <memory>

#include "engine/emulator/execution/emulator_backend.h"
#include "engine/explain/explanation.h"
#include "engine/run/compile_pool.h"

namespace sweep {

/// Compiles one configuration so that the emulator can execute it: for another compute capability
/// than `compile` may say. Throws InputError with the compiler's messages, and what CompilePool
/// does.
CompiledConfiguration compile_for_emulator(const Configuration& configuration,
                                           CompileSettings compile,
                                           const EmulatorSettings& settings);

/// Executes it and says what its accesses cost; `verifies`: after checking its result. The settings
/// are to have `notes_shapes`. Throws InputError and ExecutionFailure.
Explanation explain_workload(const Configuration& configuration, const Workload& workload,
                             const EmulatorSettings& settings, bool verifies);

}  // namespace sweep
