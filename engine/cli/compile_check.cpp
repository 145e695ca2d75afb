#include "engine/cli/compile_check.h"

#include <fmt/format.h>

#include "engine/cli/findings.h"
#include "engine/cli/step_progress.h"
#include "engine/run/clock.h"
#include "engine/run/workload.h"
#include "engine/text/units.h"

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

/// Each configuration over which the compiler gives up may take it minutes.
class PatienceWithCompiler {
 public:
  void note_failure() {
    is_over_ = ++failures_ == most_failures || clock_() - begin_ > most_seconds;
  }
  bool is_over() const { return is_over_; }

 private:
  static constexpr int most_failures = 3;
  static constexpr double most_seconds = 30;
  Clock clock_ = steady_clock();
  double begin_ = clock_();
  int failures_ = 0;
  bool is_over_ = false;
};

}  // namespace

CompileCheck compile_check(const std::string& file, std::span<const Configuration> configurations,
                           const CompileSettings& settings, bool is_quiet) {
  PatienceWithCompiler patience;
  CompilePool compiled_ahead(settings, configurations);
  StepProgress progress("compiling " + file, configurations.size(), is_quiet);
  CompileCheck check;
  Findings findings;
  const auto add = [&](const Diagnostics& messages, const Configuration& configuration) {
    for (const Diagnostic& message : messages.list()) findings.add(message, configuration);
  };
  try {
    for (const Configuration& configuration : configurations) {
      if (patience.is_over()) break;
      const CompileOutcome outcome = compiled_ahead.next();
      if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        add(failure->errors, configuration);
        if (failure->gave_up) patience.note_failure();
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
    check.stopped = true;
  }
  const std::size_t left = configurations.size() - check.compiled;
  check.messages = findings.conclude(
      check.compiled, patience.is_over() && left > 0
                          ? fmt::format("; {} more were not compiled, since the compiler gives up",
                                        format_thousands(left))
                          : "");
  check.statistics = compiled_ahead.statistics();
  return check;
}

}  // namespace sweep
