#include "engine/cli/explain_configuration.h"

#include <variant>

#include "engine/run/code_capability.h"
#include "engine/run/workload.h"

namespace sweep {

CompiledConfiguration compile_for_emulator(const Configuration& configuration,
                                           CompileSettings compile,
                                           const EmulatorSettings& settings) {
  const EmulatorBackend backend(settings);
  compile.compute_capability = code_capability(backend.device(), *compile.nvrtc);
  CompileOutcome outcome = CompilePool(compile, {&configuration, 1}).next();
  if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
    throw InputError(failure->errors);
  }
  return std::get<CompiledConfiguration>(std::move(outcome));
}

Explanation explain_workload(const Configuration& configuration, const Workload& workload,
                             const EmulatorSettings& settings, bool verifies) {
  EmulatorBackend backend(settings);
  const auto execution = backend.prepare_emulated(workload, false);
  execution->initialise();
  execution->launch();
  if (verifies) {
    if (const auto mismatch = execution->verify()) throw ExecutionFailure(*mismatch);
  }
  return explain(configuration, backend.device().name, settings.model, *execution);
}

}  // namespace sweep
