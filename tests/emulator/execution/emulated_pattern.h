#pragma once

#include <map>
#include <string>

#include "engine/emulator/execution/emulator_backend.h"
#include "engine/jit/compiler.h"
#include "engine/run/workload.h"
#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"

namespace sweep {

/// What the emulator makes of a pattern's configuration.
struct Emulated {
  std::string outcome;  ///< "correct", the mismatch, or the failure
  std::map<std::string, double> metrics;
  std::vector<std::string> notes;
};

/// What the compiler makes of a configuration. The last one is remembered: tests execute one
/// pattern by several rules in a row, and compiling takes far longer than that.
inline CompileOutcome compiled_pattern(const Configuration& configuration, int capability) {
  static std::string last;
  static CompileOutcome outcome;
  const Pattern& pattern = *configuration.pattern;
  // Only then is it all that is compiled.
  const bool is_all = pattern.reference == nullptr && pattern.included.files.empty();
  const std::string text =
      std::to_string(capability) + '\n' + to_string(configuration) + '\n' + pattern.source->text;
  if (!is_all || text != last) {
    last.clear();
    outcome = Compiler(nvrtc(), capability).compile({&configuration, 1}).front();
    if (is_all) last = text;
  }
  return outcome;
}

inline Workload emulated_workload(const PatternPtr& pattern, const Bindings& given,
                                  int capability = 90) {
  const Configuration one = resolve(pattern, given);
  const CompileOutcome outcome = compiled_pattern(one, capability);
  if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
    BOOST_FAIL(render(failure->errors));
  }
  return make_workload(one, std::get<CompiledConfiguration>(outcome));
}

inline Workload emulated_workload(const std::string& text, const Bindings& given,
                                  int capability = 90) {
  return emulated_workload(pattern_from_text("kernel", text), given, capability);
}

inline Emulated emulate(const PatternPtr& pattern, const Bindings& given = {},
                        EmulatorSettings settings = emulator_settings(90, 2),
                        std::optional<CacheState> caches = {}) {
  Emulated result;
  EmulatorBackend backend(std::move(settings));
  try {
    const Workload workload = emulated_workload(pattern, given);
    const auto execution = backend.prepare_emulated(workload, caches);
    execution->initialise();
    execution->launch();
    result.outcome = execution->verify().value_or("correct");
    const Observation observation = execution->observe();
    for (const Metric& metric : observation.metrics) result.metrics[metric.name] = metric.value;
    result.notes = observation.notes;
  } catch (const ExecutionFailure& failure) {
    result.outcome = failure.what();
  }
  return result;
}

inline Emulated emulate(const std::string& text, const Bindings& given = {},
                        EmulatorSettings settings = emulator_settings(90, 2),
                        std::optional<CacheState> caches = {}) {
  return emulate(pattern_from_text("kernel", text), given, std::move(settings), caches);
}

}  // namespace sweep
