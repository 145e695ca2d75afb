#include "engine/cli/commands/check_configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/cli/options/device_options.h"
#include "engine/cli/terminal/progress.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/run/compile_pool.h"
#include "engine/run/measurer.h"
#include "engine/run/workload.h"
#include "engine/text/characters.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// A message's place and words without their figures.
std::string without_numbers(const Diagnostic& message) {
  std::string words = message.message;
  std::erase_if(words, is_digit);
  const Location& where = message.where;
  return fmt::format("{}:{}:{}: {}", where.source->name, where.line, where.column, words);
}

/// What was found in configurations: each message once (two at one place that differ in their
/// figures alone are one), with how many configurations have it.
class Findings {
 public:
  /// A message without a source is about the configuration's pattern. The configuration must live
  /// as long as this.
  void add(Diagnostic message, const Configuration& configuration) {
    if (message.where.source == nullptr) message.where.source = configuration.pattern->source;
    const auto [known, is_new] = known_.try_emplace(without_numbers(message), findings_.size());
    if (is_new) findings_.push_back({std::move(message), &configuration, nullptr, 0});
    Finding& finding = findings_[known->second];
    if (finding.last != &configuration) ++finding.configurations;
    finding.last = &configuration;
  }

  /// The messages in the order in which they came up; the errors say in which of the `examined`
  /// configurations. `remark` ends those words.
  Diagnostics conclude(std::size_t examined, std::string_view remark) const {
    Diagnostics result;
    for (const Finding& finding : findings_) {
      Diagnostic message = finding.message;
      if (message.severity == Severity::error) {
        if (!message.help.empty()) message.help += "; ";
        const std::string first = to_string(*finding.first);
        message.help += finding.configurations == 1
                            ? fmt::format("seen with {}", first)
                            : fmt::format("seen in {} of {} configurations, first with {}",
                                          format_thousands(finding.configurations),
                                          format_thousands(examined), first);
        message.help += remark;
      }
      result.add(std::move(message));
    }
    return result;
  }

 private:
  struct Finding {
    Diagnostic message;
    const Configuration* first = nullptr;
    const Configuration* last = nullptr;
    std::size_t configurations = 0;
  };

  std::vector<Finding> findings_;
  std::unordered_map<std::string, std::size_t> known_;  ///< by the message without its figures
};

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
  // Each configuration over which the compiler gives up may take it minutes.
  constexpr int most_failures = 3;
  constexpr double most_seconds = 30;
  const Clock clock = steady_clock();
  const double begin = clock();
  int failures = 0;
  bool is_patience_over = false;
  CompilePool compiled_ahead(settings, configurations);
  StepProgress progress("compiling " + file, configurations.size(), is_quiet);
  CompileCheck check;
  Findings findings;
  const auto add = [&](const Diagnostics& messages, const Configuration& configuration) {
    for (const Diagnostic& message : messages.list()) findings.add(message, configuration);
  };
  try {
    for (const Configuration& configuration : configurations) {
      if (is_patience_over) break;
      const CompileOutcome outcome = compiled_ahead.next();
      if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        add(failure->errors, configuration);
        if (failure->gave_up) {
          is_patience_over = ++failures == most_failures || clock() - begin > most_seconds;
        }
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
      check.compiled, is_patience_over && left > 0
                          ? fmt::format("; {} more were not compiled, since the compiler gives up",
                                        format_thousands(left))
                          : "");
  check.statistics = compiled_ahead.statistics();
  return check;
}

namespace {

/// Warp instructions of a block, a few seconds at most.
constexpr std::uint64_t instruction_limit = 50'000'000;
constexpr std::size_t most_runaways = 3;

/// What of one configuration is executed, for all of `configurations`.
EmulatorSettings settings_for(EmulatorSettings settings, CheckDepth depth,
                              std::size_t configurations) {
  settings.checks_kernel = true;
  settings.instruction_limit = instruction_limit;
  // Thread instructions, far fewer than to measure: most mistakes show in the first blocks and the
  // last.
  settings.whole_budget = 2'000'000;
  settings.sample_budget = 200'000;
  if (depth == CheckDepth::exact) make_exact(settings);
  if (depth != CheckDepth::budgeted) return settings;
  settings.whole_budget =
      std::max(settings.whole_budget, check_budget / std::max<std::size_t>(configurations, 1));
  settings.sample_budget = 2'000'000;
  return settings;
}

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
  if (is_same_file(compiler_file_name(pattern.source->name), place.file)) {
    return whole_line(pattern.source, place.line);
  }
  for (const IncludedFile& file : pattern.included.files) {
    if (!is_same_file(file.name, place.file)) continue;
    const auto included = std::make_shared<Source>(Source{file.name, file.text});
    return whole_line(included, place.line);
  }
  const auto unread = std::make_shared<Source>(Source{place.file, {}});
  return {unread, place.line, 1};
}

/// A configuration without a mistake of which not everything was executed or verified.
struct Unfinished {
  const Configuration* configuration = nullptr;
  double cost = 0;  ///< of all of it
  bool lacks_blocks = false;
  std::uint64_t judged = 0;
  std::uint64_t elements = 0;
};

class ExecutionChecker {
 public:
  ExecutionChecker(std::string file, CompileSettings compile, EmulatorSettings settings,
                   bool is_quiet)
      : file_(std::move(file)),
        compile_(std::move(compile)),
        settings_(std::move(settings)),
        is_quiet_(is_quiet) {
    settings_.cancelled = compile_.stop;
    compile_.compute_capability =
        code_capability(EmulatorBackend(settings_).device(), *compile_.nvrtc);
  }

  ExecutionCheck run(std::span<const Configuration> configurations, CheckDepth depth) {
    execute_all(configurations, "executing " + file_);
    result_.executed = executed_;
    if (depth == CheckDepth::budgeted) use_what_is_left();
    return conclude();
  }

 private:
  void execute_all(std::span<const Configuration> configurations, const std::string& job) {
    CompilePool compiled_ahead(compile_, configurations);
    StepProgress progress(job, configurations.size(), is_quiet_);
    try {
      for (const Configuration& configuration : configurations) {
        if (is_stopped()) break;
        const CompileOutcome outcome = compiled_ahead.next();
        progress.step();
        const auto* compiled = std::get_if<CompiledConfiguration>(&outcome);
        if (compiled == nullptr) continue;
        if (runaways_ >= most_runaways) {
          ++left_out_;
          continue;
        }
        execute(configuration, *compiled);
        ++executed_;
      }
    } catch (const CompilingStopped&) {
      // What was found until then is said.
    }
  }

  /// Executes all of as many as the rest of the budget allows, the cheapest first.
  void use_what_is_left() {
    std::ranges::stable_sort(unfinished_, {}, &Unfinished::cost);
    double left = static_cast<double>(check_budget) - static_cast<double>(spent_);
    for (const Unfinished& unfinished : unfinished_) {
      if (unfinished.cost > left) break;
      left -= unfinished.cost;
      affordable_.push_back(*unfinished.configuration);
    }
    if (affordable_.empty()) return;
    const auto count = static_cast<std::ptrdiff_t>(affordable_.size());
    unfinished_.erase(unfinished_.begin(), unfinished_.begin() + count);
    settings_.whole_budget = check_budget;
    execute_all(affordable_, "executing all blocks of " + file_);
  }

  void execute(const Configuration& configuration, const CompiledConfiguration& compiled) {
    const Pattern& pattern = *configuration.pattern;
    try {
      const Workload workload = make_workload(configuration, compiled);
      EmulatorBackend backend(settings_, programs_);
      const auto execution = backend.prepare_emulated(workload, false);
      execution->initialise();
      execution->launch();
      spent_ += execution->cost().spent;
      const auto mismatch = execution->verify();
      const VerificationOutcome& outcome = execution->verification();
      if (mismatch) {
        return note(pattern.verify[outcome.failed].condition.where, *mismatch, configuration);
      }
      const bool lacks_blocks = execution->counted().executed_share < 1;
      if (!lacks_blocks && outcome.judged == outcome.elements) return;
      unfinished_.push_back({&configuration, execution->cost().whole, lacks_blocks, outcome.judged,
                             outcome.elements});
    } catch (const FaultyKernel& failure) {
      const KernelFault& fault = failure.fault();
      if (fault.kind() == FaultKind::runaway) ++runaways_;
      note(location_of(fault.place(), pattern), fault.message(), configuration);
    } catch (const ExecutionFailure& failure) {
      if (!is_stopped()) note({pattern.source}, failure.what(), configuration);
    } catch (const InputError&) {
      // The sizes are checked with the compiler's messages.
    }
  }

  void note(const Location& where, const std::string& message, const Configuration& configuration) {
    findings_.add({Severity::error, where, message, {}}, configuration);
  }

  bool is_stopped() const { return compile_.stop != nullptr && *compile_.stop; }

  ExecutionCheck conclude() {
    const std::string remark =
        left_out_ == 0
            ? ""
            : fmt::format("; {} more were not executed, since too many kernels do not end",
                          format_thousands(left_out_));
    result_.mistakes = findings_.conclude(result_.executed, remark);
    std::uint64_t judged = 0;
    std::uint64_t elements = 0;
    for (const Unfinished& unfinished : unfinished_) {
      if (unfinished.lacks_blocks) ++result_.in_part;
      if (unfinished.judged == unfinished.elements) continue;
      ++result_.unverified;
      judged += unfinished.judged;
      elements += unfinished.elements;
    }
    if (elements != 0) {
      result_.verified_share = static_cast<double>(judged) / static_cast<double>(elements);
    }
    return std::move(result_);
  }

  const std::string file_;
  CompileSettings compile_;
  EmulatorSettings settings_;
  const bool is_quiet_;
  std::shared_ptr<LoadedPrograms> programs_ = std::make_shared<LoadedPrograms>();
  ExecutionCheck result_;
  Findings findings_;
  std::vector<Unfinished> unfinished_;
  std::vector<Configuration> affordable_;
  std::uint64_t spent_ = 0;
  std::size_t executed_ = 0;
  std::size_t left_out_ = 0;
  std::size_t runaways_ = 0;
};

}  // namespace

ExecutionCheck check_execution(const std::string& file,
                               std::span<const Configuration> configurations,
                               const CompileSettings& compile, EmulatorSettings settings,
                               CheckDepth depth, bool is_quiet) {
  settings = settings_for(std::move(settings), depth, configurations.size());
  return ExecutionChecker(file, compile, std::move(settings), is_quiet).run(configurations, depth);
}

}  // namespace sweep
