#include <algorithm>
#include <iostream>

#include "engine/cli/commands/check.h"
#include "engine/run/workload.h"

namespace sweep {
namespace {

/// Thread instructions for the configurations of a file, with what their buffers' elements take to
/// be filled and verified: half a minute of one core at most, for most kernels. --help says it too.
constexpr std::uint64_t check_budget = 6'000'000'000;

/// The line from its first letter to its last. Shows lines of what the pattern was read from alone:
/// #line can name any file.
Location location_of(const FaultPlace& place, const Pattern& pattern) {
  if (place.line == 0) return {pattern.source};
  SourcePtr source = pattern.source;
  if (!is_same_file(compiler_file_name(source->name), place.file)) {
    const auto& files = pattern.included.files;
    const auto found = std::ranges::find_if(
        files, [&](const IncludedFile& file) { return is_same_file(file.name, place.file); });
    // A program that is kept may have been compiled from the same file in another folder.
    using Path = std::filesystem::path;
    const bool is_copy = Path(place.file).filename() == Path(source->name).filename();
    if (found != files.end()) {
      source = std::make_shared<Source>(Source{found->name, found->text});
    } else if (!is_copy) {
      source = std::make_shared<Source>(Source{place.file, {}});
    }
  }
  const std::string_view text = line_of(source->text, place.line);
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {source, place.line, 1};
  return {source, place.line, begin + 1, text.find_last_not_of(" \t\r") + 1 - begin};
}

std::string_view rule_of(FaultKind kind) {
  if (kind == FaultKind::deadlock) return "deadlock";
  return kind == FaultKind::runaway ? "endless" : "access";
}

/// Executes configurations that compile on the emulator, with every check it has. Each mistake of
/// the kernels is given once. After a few kernels that do not end, those that follow are left out,
/// and all that follow once the user stops it. What the budget allows is the same on every machine.
class ExecutionChecker {
 public:
  ExecutionChecker(const ReadFile& file, CompileSettings compile, const CheckOptions& options)
      : file_(file),
        options_(options),
        compile_(std::move(compile)),
        settings_(options.run.value()) {
    // Warp instructions of a block, a few seconds at most.
    constexpr std::uint64_t instruction_limit = 50'000'000;
    const bool is_exact = options.given.has("exact");
    settings_.checks_kernel = true;
    settings_.cancelled = &stop_flag();
    settings_.instruction_limit = instruction_limit * (is_exact ? exact_patience : 1);
    // Thread instructions, far fewer than to measure: most mistakes show in the first blocks and
    // the last.
    settings_.whole_budget = 2'000'000;
    settings_.sample_budget = has_budget_ ? 2'000'000 : 200'000;
    if (has_budget_) {
      const std::size_t count = std::max<std::size_t>(file.emulated.configurations.size(), 1);
      settings_.whole_budget = std::max(settings_.whole_budget, check_budget / count);
    }
    compile_.compute_capability =
        code_capability(EmulatorBackend(settings_).device(), *compile_.nvrtc);
  }

  /// Says what it found; returns the exit code.
  int run() {
    execute_all(file_.emulated.configurations, "executing " + file_.name);
    const std::size_t examined = executed_;
    if (has_budget_) use_what_is_left();
    const bool has_errors = findings_.report(
        examined, left_out_, "executed, since too many kernels do not end", options_);
    if (stop_flag()) return complain(stopped_exit_code(), file_.name + ": stopped");
    if (has_errors) return exit_bad_input;
    const std::string rest = describe_rest(examined);
    if (options_.is_quiet && rest.empty()) return exit_done;
    *options_.verdicts << fmt::format("{}: {}{} execute{} without a mistake{}\n", file_.name,
                                      rest.empty() ? "good: " : "", file_.emulated.in_words(),
                                      file_.emulated.verb_ending(), rest)
                       << std::flush;
    return exit_done;
  }

 private:
  /// A configuration without a mistake of which not everything was executed or verified.
  struct Unfinished {
    const Configuration* configuration;
    double cost;  ///< of all of it
    double judged;
    double elements;
    double executed;  ///< blocks
    double blocks;
  };

  void execute_all(std::span<const Configuration> configurations, const std::string& job) {
    constexpr std::size_t most_runaways = 3;
    CompilePool pool(compile_, configurations);
    take_compiled(pool, configurations, job, options_.is_quiet,
                  [&](const auto& each, const auto& of) {
                    const auto* compiled = std::get_if<CompiledConfiguration>(&of);
                    if (compiled == nullptr) {
                      note_failure(each, std::get<CompileFailure>(of));
                      return true;
                    }
                    if (runaways_ >= most_runaways) {
                      ++left_out_;
                    } else {
                      execute(each, *compiled);
                      ++executed_;
                    }
                    return true;
                  });
  }

  /// It compiles for --arch, or with other sizes: what the emulator executes does not.
  void note_failure(const Configuration& configuration, const CompileFailure& failure) {
    const std::string capability = dotted(compile_.compute_capability);
    findings_.add({Severity::error,
                   {},
                   "nothing is executed: it does not compile for compute capability " + capability +
                       ", whose code the emulator executes",
                   "--model chooses another"},
                  configuration, "compile");
    findings_.add(failure.errors, configuration, "compile");
  }

  /// Executes all of as many as the rest of the budget allows, the cheapest first.
  void use_what_is_left() {
    std::ranges::stable_sort(unfinished_, {}, &Unfinished::cost);
    double left = static_cast<double>(check_budget) - static_cast<double>(spent_);
    std::erase_if(unfinished_, [&](const Unfinished& each) {
      left -= each.cost;
      if (left >= 0) affordable_.push_back(*each.configuration);
      return left >= 0;
    });
    if (affordable_.empty()) return;
    settings_.whole_budget = check_budget;
    execute_all(affordable_, "executing all blocks of " + file_.name);
  }

  void execute(const Configuration& configuration, const CompiledConfiguration& compiled) {
    const Pattern& pattern = *configuration.pattern;
    const auto note = [&](std::string_view rule, const Location& where,
                          const std::string& message) {
      findings_.add({Severity::error, where, message, {}}, configuration, rule);
    };
    try {
      const Workload workload = make_workload(configuration, compiled);
      EmulatorBackend backend(settings_, programs_);
      const auto execution = backend.prepare_emulated(workload);
      execution->initialise();
      execution->launch();
      spent_ += execution->counted().spent;
      const auto mismatch = execution->verify();
      const VerificationOutcome& outcome = execution->verification();
      if (mismatch)
        return note("result", pattern.verify[outcome.failed].condition.where, *mismatch);
      const CountedLaunch& counted = execution->counted();
      if (!counted.is_partial() && outcome.judged == outcome.elements) return;
      const auto blocks = static_cast<double>(workload.launches.front().grid.count());
      unfinished_.push_back({&configuration, counted.whole, static_cast<double>(outcome.judged),
                             static_cast<double>(outcome.elements), blocks * counted.executed_share,
                             blocks});
    } catch (const FaultyKernel& failure) {
      const KernelFault& fault = failure.fault();
      if (fault.kind == FaultKind::runaway) ++runaways_;
      note(rule_of(fault.kind), location_of(fault.place, pattern), fault.message);
    } catch (const ExecutionFailure& failure) {
      if (!stop_flag()) note("launch", {}, failure.what());
    } catch (const InputError& error) {
      // With the sweep's values for the emulator sizes may be wrong that were right before.
      findings_.add(error.diagnostics(), configuration, "launch");
    }
  }

  /// What was not executed or verified, what that leaves open, why, and the way out; empty when all
  /// was.
  std::string describe_rest(std::size_t examined) const {
    if (unfinished_.empty()) return {};
    Unfinished all = {};
    for (const Unfinished& each : unfinished_) {
      for (const auto figure : {&Unfinished::judged, &Unfinished::elements, &Unfinished::executed,
                                &Unfinished::blocks}) {
        all.*figure += each.*figure;
      }
    }
    std::string what = unfinished_.size() == examined ? ", but" : ", but of ";
    if (unfinished_.size() != examined) what += format_thousands(unfinished_.size());
    if (all.executed < all.blocks) {
      what += fmt::format(
          " only {} of the blocks were executed, so that mistakes of the others are "
          "not found{}",
          format_part(all.executed / all.blocks), all.judged < all.elements ? ", and" : "");
    }
    if (all.judged < all.elements) {
      what += fmt::format(" the result is verified for {} of the elements only",
                          format_part(all.judged / all.elements));
    }
    return fmt::format("{} ({}; --exact executes and verifies all)", what,
                       options_.given.has("quick") ? "--quick executes some blocks"
                                                   : "the budget is 6 billion thread instructions");
  }

  const ReadFile& file_;
  const CheckOptions& options_;
  /// Executes all of as many as check_budget allows, and some blocks of the others.
  const bool has_budget_ = !options_.given.has("exact") && !options_.given.has("quick");
  CompileSettings compile_;
  EmulatorSettings settings_;
  std::shared_ptr<LoadedPrograms> programs_ = std::make_shared<LoadedPrograms>();
  Findings findings_;
  std::vector<Unfinished> unfinished_;
  std::vector<Configuration> affordable_;
  std::uint64_t spent_ = 0;
  std::size_t executed_ = 0;
  std::size_t left_out_ = 0;
  std::size_t runaways_ = 0;
};

}  // namespace

int execute_file(const ReadFile& file, const CompileSettings& compile,
                 const CheckOptions& options) {
  return ExecutionChecker(file, compile, options).run();
}

}  // namespace sweep
