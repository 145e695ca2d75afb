#include "engine/cli/compile_check.h"

#include "engine/cli/findings.h"
#include "engine/cli/step_progress.h"
#include "engine/run/workload.h"

namespace sweep {
namespace {

/// The mistakes in a configuration's sizes: its grid, block, buffers, arguments and useful bytes.
Diagnostics size_mistakes(const Configuration& configuration,
                          const CompiledConfiguration& compiled) {
  Diagnostics mistakes;
  try {
    make_workload(configuration, compiled);
    useful_traffic_of(configuration);
  } catch (const InputError& error) {
    mistakes = error.diagnostics();
  } catch (const ExecutionFailure& failure) {
    mistakes.error({configuration.pattern->source}, failure.what());
  }
  return mistakes;
}

}  // namespace

CompileCheck compile_check(const std::string& file, std::span<const Configuration> configurations,
                           const CompileSettings& settings, bool is_quiet) {
  CompilePool compiled_ahead(settings, configurations);
  StepProgress progress("compiling " + file, configurations.size(), is_quiet);
  CompileCheck check;
  Findings findings;
  const auto add = [&](const Diagnostics& messages, const Configuration& configuration) {
    for (const Diagnostic& message : messages.list()) findings.add(message, configuration);
  };
  try {
    for (const Configuration& configuration : configurations) {
      const CompileOutcome outcome = compiled_ahead.next();
      if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        add(failure->errors, configuration);
      } else {
        const auto& compiled = std::get<CompiledConfiguration>(outcome);
        add(compiled.warnings, configuration);
        add(size_mistakes(configuration, compiled), configuration);
      }
      ++check.compiled;
      progress.step();
    }
  } catch (const CompilingStopped&) {
    // What was found until then is said.
  }
  check.messages = findings.conclude(check.compiled);
  check.statistics = compiled_ahead.statistics();
  return check;
}

}  // namespace sweep
