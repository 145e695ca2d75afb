#include "engine/cli/check_execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cli/findings.h"
#include "engine/cli/step_progress.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/emulator/execution/faulty_kernel.h"
#include "engine/explain/pattern_file.h"
#include "engine/run/code_capability.h"
#include "engine/run/compile_pool.h"
#include "engine/run/workload.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// Thread instructions, far fewer than to measure: mistakes show in the first blocks and the last.
constexpr std::uint64_t whole_budget = 2'000'000;
constexpr std::uint64_t sample_budget = 200'000;
/// Warp instructions of a block, a few seconds at most.
constexpr std::uint64_t instruction_limit = 50'000'000;
constexpr std::size_t most_runaways = 3;

/// A line from its first letter to its last.
Location whole_line(const SourcePtr& source, std::size_t line) {
  const std::string_view text = line_of(source->text, line);
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {source, line, 1};
  const std::size_t end = text.find_last_not_of(" \t\r") + 1;
  return {source, line, begin + 1, end - begin};
}

/// Shows lines of what the pattern was read from alone: #line can name any file.
Location location_of(const FaultPlace& place, const Pattern& pattern) {
  if (place.line == 0) return {pattern.source};
  if (is_file_of(pattern, place.file)) return whole_line(pattern.source, place.line);
  for (const IncludedFile& file : pattern.included.files) {
    if (!is_same_file(file.name, place.file)) continue;
    const auto included = std::make_shared<Source>(Source{file.name, file.text});
    return whole_line(included, place.line);
  }
  const auto unread = std::make_shared<Source>(Source{place.file, {}});
  return {unread, place.line, 1};
}

class ExecutionChecker {
 public:
  ExecutionChecker(CompileSettings compile, EmulatorSettings settings)
      : settings_(std::move(compile)), backend_(std::move(settings)) {}

  ExecutionCheck run(std::span<const Configuration> configurations, StepProgress& progress) {
    settings_.compute_capability = code_capability(backend_.device(), *settings_.nvrtc);
    CompilePool compiled_ahead(settings_, configurations);
    std::size_t left_out = 0;
    try {
      for (const Configuration& configuration : configurations) {
        if (settings_.stop != nullptr && *settings_.stop) break;
        const CompileOutcome outcome = compiled_ahead.next();
        progress.step();
        const auto* compiled = std::get_if<CompiledConfiguration>(&outcome);
        if (compiled == nullptr) continue;
        if (runaways_ >= most_runaways) {
          ++left_out;
          continue;
        }
        execute(configuration, *compiled);
        ++result_.executed;
      }
    } catch (const CompilingStopped&) {
      // What was found until then is said.
    }
    return conclude(left_out);
  }

 private:
  void execute(const Configuration& configuration, const CompiledConfiguration& compiled) {
    const Pattern& pattern = *configuration.pattern;
    try {
      const Workload workload = make_workload(configuration, compiled);
      const auto execution = backend_.prepare_emulated(workload, false);
      execution->initialise();
      execution->launch();
      if (execution->counted().executed_share < 1) ++result_.in_part;
      if (const auto mismatch = execution->verify()) {
        const std::size_t index = execution->verification().failed;
        note(pattern.verify[index].condition.where, *mismatch, configuration);
      }
    } catch (const FaultyKernel& failure) {
      const KernelFault& fault = failure.fault();
      if (fault.kind() == FaultKind::runaway) ++runaways_;
      note(location_of(fault.place(), pattern), fault.message(), configuration);
    } catch (const ExecutionFailure& failure) {
      note({pattern.source}, failure.what(), configuration);
    } catch (const InputError&) {
      // The sizes are checked with the compiler's messages.
    }
  }

  void note(const Location& where, const std::string& message, const Configuration& configuration) {
    findings_.add({Severity::error, where, message, {}}, configuration);
  }

  ExecutionCheck conclude(std::size_t left_out) {
    const std::string remark =
        left_out == 0
            ? ""
            : fmt::format("; {} more were not executed, since too many kernels do not end",
                          format_thousands(left_out));
    result_.mistakes = findings_.conclude(result_.executed, remark);
    return std::move(result_);
  }

  CompileSettings settings_;
  EmulatorBackend backend_;
  ExecutionCheck result_;
  Findings findings_;
  std::size_t runaways_ = 0;
};

}  // namespace

ExecutionCheck check_execution(const std::string& file,
                               std::span<const Configuration> configurations,
                               const CompileSettings& compile, EmulatorSettings settings,
                               bool is_quiet) {
  settings.checks_kernel = true;
  settings.whole_budget = whole_budget;
  settings.sample_budget = sample_budget;
  settings.instruction_limit = instruction_limit;
  StepProgress progress("executing " + file, configurations.size(), is_quiet);
  return ExecutionChecker(compile, std::move(settings)).run(configurations, progress);
}

}  // namespace sweep
