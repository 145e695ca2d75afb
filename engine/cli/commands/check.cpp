
#include <algorithm>
#include <iostream>
#include <unordered_map>

#include "engine/cli/commands.h"
#include "engine/cli/commands/check_sample.h"
#include "engine/cli/commands/executor.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/progress.h"
#include "engine/run/workload.h"
#include "engine/spec/pattern_draft.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

/// Thread instructions for the configurations of a file, with what their buffers' elements take to
/// be filled and verified: half a minute of one core at most, for most kernels. --help says it too.
constexpr std::uint64_t check_budget = 6'000'000'000;

struct CheckOptions {
  const GivenOptions& given;
  std::vector<SourcePtr> set;
  SpaceLimits limits;
  bool is_quiet = false;                     ///< say nothing of what is good
  std::optional<EmulatorSettings> run = {};  ///< what to execute on; nothing: compile alone
};

/// The configurations of a file that are checked: all, or of a search a sample.
struct Chosen {
  std::vector<Configuration> configurations;
  std::size_t of = 0;  ///< so many there are

  bool is_sample() const { return configurations.size() < of; }
  const char* verb_ending() const { return configurations.size() == 1 ? "s" : ""; }
  /// "300 of 47,658 configurations"
  std::string in_words() const {
    return (is_sample() ? format_thousands(configurations.size()) + " of " : "") +
           count_of(is_sample() ? of : configurations.size(), "configuration");
  }
};

/// A file without mistakes of its own, not compiled yet.
struct ReadFile {
  std::string name;
  Chosen compiled;
  Chosen emulated;  ///< those that the emulator executes
};

Chosen choose(LoadedSweep& loaded, const CheckOptions& options) {
  // Some seconds for two compilers.
  constexpr std::size_t most = 200;
  std::vector<Configuration>& all = loaded.space.configurations;
  Chosen chosen = {{}, all.size()};
  std::vector<TuningGroup> groups;
  // Adds default configurations that are not in the space.
  if (loaded.sweep.tune) groups = tuning_groups(loaded.sweep, loaded.space);
  if (groups.empty() || options.given.has("all") || all.size() <= most) {
    chosen.configurations = std::move(all);
    return chosen;
  }
  for (const std::size_t place : check_sample(loaded.sweep, loaded.space, groups, most)) {
    chosen.configurations.push_back(all[place]);
  }
  return chosen;
}

/// The configurations of a file: a pattern's default one, or all of a sweep; to execute, with the
/// sweep's values for the emulator.
ReadFile read_file(const std::string& name, const CheckOptions& options) {
  check_operand("check", Operand::file_to_check, name);
  if (std::filesystem::path(name).extension() == ".cu") {
    const PatternPtr pattern = find_pattern(name, given_folders(options.given));
    const Chosen chosen = {
        {options.set.empty() ? resolve(pattern, {})
                             : configuration_of(pattern, options.set, "checked")},
        1};
    return {name, chosen, chosen};
  }
  LoadedSweep loaded =
      load_sweep(find_sweep_file(name), given_folders(options.given), options.set, options.limits);
  require_file_name(loaded.sweep.name);
  if (!options.is_quiet) std::cerr << describe_plan(loaded);
  require_configurations(loaded, name);
  ReadFile file = {name, choose(loaded, options), {}};
  if (file.compiled.is_sample() && !options.is_quiet) {
    std::cerr << fmt::format(
        "  checks {}: defaults, corners, each value of each axis, and a random sample\n",
        file.compiled.in_words());
  }
  if (options.run) {
    apply_emulator_set(loaded.sweep);
    enumerate_again(loaded);
    require_configurations(loaded, name, "with the sweep's values for the emulator ");
    file.emulated = choose(loaded, options);
  }
  return file;
}

/// What was found in configurations: each message once (two at one place that differ in their
/// figures alone are one), with how many configurations have it.
class Findings {
 public:
  /// A message without a source is about the configuration's pattern. The configuration must live
  /// as long as this.
  void add(Diagnostic message, const Configuration& configuration) {
    Location& where = message.where;
    if (where.source == nullptr) where.source = configuration.pattern->source;
    std::string words = message.message;
    std::erase_if(words, is_digit);
    words += fmt::format(":{}:{}:{}", where.source->name, where.line, where.column);
    const auto [known, is_new] = known_.try_emplace(words, findings_.size());
    if (is_new) findings_.push_back({std::move(message), &configuration});
    Finding& finding = findings_[known->second];
    if (finding.last != &configuration) ++finding.configurations;
    finding.last = &configuration;
  }
  void add(const Diagnostics& messages, const Configuration& configuration) {
    for (const Diagnostic& message : messages.list()) add(message, configuration);
  }

  /// Prints the messages in the order in which they came up; the errors say in which of the
  /// `examined` configurations, and how many more were not `done`, if any. Returns whether there
  /// are errors.
  bool report(std::size_t examined, std::size_t left_out, std::string_view done) const {
    Diagnostics result;
    const std::string all = format_thousands(examined);
    const std::string rest =
        left_out == 0 ? "" : fmt::format("; {} more were not {}", format_thousands(left_out), done);
    for (const Finding& finding : findings_) {
      Diagnostic message = finding.message;
      if (message.severity == Severity::error) {
        if (!message.help.empty()) message.help += "; ";
        message.help += "seen ";
        if (finding.configurations > 1) {
          const std::string count = format_thousands(finding.configurations);
          message.help += fmt::format("in {} of {} configurations, first ", count, all);
        }
        message.help += "with " + to_string(*finding.first) + rest;
      }
      result.add(std::move(message));
    }
    std::cerr << render(result, terminal_of(STDERR_FILENO).color);
    return result.has_errors();
  }

 private:
  struct Finding {
    Diagnostic message;
    const Configuration* first;
    const Configuration* last = nullptr;
    std::size_t configurations = 0;
  };

  std::vector<Finding> findings_;
  std::unordered_map<std::string, std::size_t> known_;  ///< by the message without its figures
};

/// Hands what the pool makes of configurations to `take`, one after the other, until this gives
/// false. Shows how far it is. Returns whether the user stopped it.
template <typename Take>
bool take_compiled(CompilePool& pool, std::span<const Configuration> configurations,
                   const std::string& job, bool is_quiet, Take take) {
  StepProgress progress(job, configurations.size(), is_quiet);
  try {
    for (const Configuration& configuration : configurations) {
      if (stop_flag()) return true;
      const CompileOutcome outcome = pool.next();
      progress.step();
      if (!take(configuration, outcome)) break;
    }
  } catch (const CompilingStopped&) {
    return true;
  }
  return false;
}

/// Compiles configurations and works out their sizes, as long as the compiler does not give up too
/// often. Says what it found; returns the exit code.
int compile_file(const ReadFile& file, const CompileSettings& compile,
                 const CheckOptions& options) {
  // Each configuration over which the compiler gives up may take it minutes.
  constexpr int most_failures = 3;
  constexpr double most_seconds = 30;
  const std::vector<Configuration>& configurations = file.compiled.configurations;
  const auto begin = std::chrono::steady_clock::now();
  int failures = 0;
  std::size_t done = 0;
  Findings findings;
  for (const Configuration& each : configurations) {
    if (!options.is_quiet) findings.add(notes_on(*each.pattern), each);
  }
  CompilePool pool(compile, configurations);
  const auto note = [&](const Configuration& configuration, const CompileOutcome& outcome) {
    ++done;
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
      findings.add(failure->errors, configuration);
      if (!failure->gave_up) return true;
      return ++failures < most_failures && seconds_since(begin) <= most_seconds;
    }
    const auto& compiled = std::get<CompiledConfiguration>(outcome);
    findings.add(compiled.warnings, configuration);
    try {
      // Its grid, block, buffers, arguments and useful bytes may be wrong.
      make_workload(configuration, compiled);
      useful_traffic_of(configuration);
    } catch (const InputError& error) {
      findings.add(error.diagnostics(), configuration);
    } catch (const ExecutionFailure& failure) {
      findings.add({Severity::error, {}, failure.what(), {}}, configuration);
    }
    return true;
  };
  const bool is_stopped =
      take_compiled(pool, configurations, "compiling " + file.name, options.is_quiet, note);
  const bool has_errors = findings.report(done, is_stopped ? 0 : configurations.size() - done,
                                          "compiled, since the compiler gives up");
  if (options.given.has("timing")) {
    const CompileStatistics statistics = pool.statistics();
    std::cout << fmt::format("{}: {}; {:.3f} s of compilers' work\n", file.name,
                             describe(statistics), statistics.compiler_seconds)
              << describe_alone(statistics);
  }
  if (is_stopped) {
    return complain(stopped_exit_code(),
                    fmt::format("{}: stopped when {} of {} configurations were compiled", file.name,
                                format_thousands(done), format_thousands(configurations.size())));
  }
  if (has_errors) return exit_bad_input;
  if (options.is_quiet) return exit_done;
  std::cout << fmt::format("{}: good: {} compile{} for compute capability {}{}\n", file.name,
                           file.compiled.in_words(), file.compiled.verb_ending(),
                           dotted(compile.compute_capability),
                           file.compiled.is_sample() ? " (--all compiles every one)" : "")
            << std::flush;
  return exit_done;
}

/// The line from its first letter to its last. Shows lines of what the pattern was read from alone:
/// #line can name any file.
Location location_of(const FaultPlace& place, const Pattern& pattern) {
  if (place.line == 0) return {pattern.source};
  SourcePtr source = pattern.source;
  if (!is_same_file(compiler_file_name(source->name), place.file)) {
    const auto& files = pattern.included.files;
    const auto found = std::ranges::find_if(
        files, [&](const IncludedFile& file) { return is_same_file(file.name, place.file); });
    source = std::make_shared<Source>(found != files.end() ? Source{found->name, found->text}
                                                           : Source{place.file, {}});
  }
  const std::string_view text = line_of(source->text, place.line);
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {source, place.line, 1};
  return {source, place.line, begin + 1, text.find_last_not_of(" \t\r") + 1 - begin};
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
    const bool has_errors =
        findings_.report(examined, left_out_, "executed, since too many kernels do not end");
    if (stop_flag()) return complain(stopped_exit_code(), file_.name + ": stopped");
    if (has_errors) return exit_bad_input;
    const std::string rest = describe_rest(examined);
    if (options_.is_quiet && rest.empty()) return exit_done;
    std::cout << fmt::format("{}: {}{} execute{} without a mistake{}\n", file_.name,
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
                    if (compiled == nullptr) return true;
                    if (runaways_ >= most_runaways) {
                      ++left_out_;
                    } else {
                      execute(each, *compiled);
                      ++executed_;
                    }
                    return true;
                  });
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
    const auto note = [&](const Location& where, const std::string& message) {
      findings_.add({Severity::error, where, message, {}}, configuration);
    };
    try {
      const Workload workload = make_workload(configuration, compiled);
      EmulatorBackend backend(settings_, programs_);
      const auto execution = backend.prepare_emulated(workload, false);
      execution->initialise();
      execution->launch();
      spent_ += execution->counted().spent;
      const auto mismatch = execution->verify();
      const VerificationOutcome& outcome = execution->verification();
      if (mismatch) return note(pattern.verify[outcome.failed].condition.where, *mismatch);
      const CountedLaunch& counted = execution->counted();
      if (!counted.is_partial() && outcome.judged == outcome.elements) return;
      const auto blocks = static_cast<double>(workload.launches.front().grid.count());
      unfinished_.push_back({&configuration, counted.whole, static_cast<double>(outcome.judged),
                             static_cast<double>(outcome.elements), blocks * counted.executed_share,
                             blocks});
    } catch (const FaultyKernel& failure) {
      const KernelFault& fault = failure.fault();
      if (fault.kind == FaultKind::runaway) ++runaways_;
      note(location_of(fault.place, pattern), fault.message);
    } catch (const ExecutionFailure& failure) {
      if (!stop_flag()) note({}, failure.what());
    } catch (const InputError&) {
      // The sizes are checked with the compiler's messages.
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

CommandLine check_line() {
  CommandLine line(
      "sweep check [OPTIONS] FILE...",
      "Parses and compiles sweeps (.yaml) and patterns (.cu) and reports every mistake.\n"
      "Needs no GPU. A sweep is checked with all its configurations, or if it is tuned\n"
      "with some hundreds of them: the defaults, the corners, each value, and a random\n"
      "sample. A pattern is checked with its defaults, or what --set gives. With --run\n"
      "the emulator too, which finds accesses out of bounds, misaligned accesses,\n"
      "reads of memory that nothing wrote, races in shared memory and between blocks,\n"
      "deadlocks, kernels that do not end, and wrong results. The configurations of a\n"
      "file share 6 billion thread instructions; where these do not suffice, some\n"
      "blocks are executed, and the verdict says how much of the results is verified.");
  add_set_option(line);
  add_space_option(line);
  add_patterns_option(line);
  line.option("arch", "CC", "the compute capability to compile for", "9.0");
  line.flag("run", "execute every configuration on the emulator with all its checks");
  line.flag("exact", "with --run: execute everything, however long it takes");
  line.flag("quick", "with --run: execute some blocks of each configuration");
  line.flag("all", "check every configuration of a tuned sweep");
  line.flag("timing", "say how long compiling took");
  line.flag("quiet,q", "say nothing of what is good: print mistakes alone");
  add_cache_option(line);
  add_emulator_options(line);
  line.operands({"SOURCE..."}, 1, "check what? for example: sweep check sweeps/stride.yaml");
  return line;
}

int check_main(const GivenOptions& given) {
  const std::unique_ptr<ProgramCache> cache = given_program_cache(given);
  const int capability = given_compute_capability(given, "arch");
  CheckOptions options = {given, given_set(given), given_space_limits(given), given.has("quiet")};
  if (given.has("exact") && given.has("quick")) {
    throw UsageError("--exact and --quick exclude each other");
  }
  if (given.has("run")) options.run = given_emulator_settings(given);
  for (const char* name : {"exact", "quick", "model", "l1", "banks", "profile"}) {
    if (options.run || !given.has(name)) continue;
    throw UsageError("--{} is for what the emulator executes: add --run", name);
  }
  // A folder that is not there is no file's mistake.
  pattern_library({given.all("patterns"), {}});
  // Exit codes rise with how little could be checked: usage, mistakes, no such file.
  int worst = exit_done;
  std::vector<ReadFile> files;
  for (const std::string& name : given.operands()) {
    try {
      files.push_back(read_file(name, options));
    } catch (const std::exception&) {
      worst = std::max(worst, report_error());
    }
  }
  if (files.empty()) return worst;
  const auto nvrtc = std::make_shared<Nvrtc>();
  std::vector<std::string> known;
  for (const int architecture : nvrtc->architectures()) known.push_back(dotted(architecture));
  if (!is_among(known, dotted(capability))) {
    throw UsageError("--arch: {} does not know the compute capability {}; it knows {}",
                     nvrtc->version(), dotted(capability), in_words(known));
  }
  const CompileSettings compile = {.nvrtc = nvrtc,
                                   .compute_capability = capability,
                                   .cache = cache.get(),
                                   .processes = compiler_processes(),
                                   .stop = &stop_flag()};
  for (const ReadFile& file : files) {
    if (stop_flag()) break;
    int code = compile_file(file, compile, options);
    if (options.run && code == exit_done) code = ExecutionChecker(file, compile, options).run();
    worst = std::max(worst, code);
  }
  std::cerr << describe_problem(cache.get());
  return worst;
}

}  // namespace

const Command check_command = {"check", "find the mistakes in sweeps and patterns; needs no GPU",
                               check_line, check_main};

}  // namespace sweep
