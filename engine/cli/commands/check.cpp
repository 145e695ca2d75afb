#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <unordered_map>

#include "engine/cli/commands.h"
#include "engine/cli/commands/check_sample.h"
#include "engine/cli/options/execution_options.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/progress.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/run/workload.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

constexpr std::uint64_t billion = 1'000'000'000;

/// Thread instructions for the configurations of a file, with what their buffers' elements take to
/// be filled and verified: half a minute of one core at most, for most kernels.
constexpr std::uint64_t check_budget = 6 * billion;

/// How much of the configurations' work is executed.
enum class CheckDepth {
  quick,     ///< some blocks of each
  budgeted,  ///< all of as many as check_budget allows, some blocks of the others
  exact,     ///< everything
};

struct CheckOptions {
  const GivenOptions& given;
  std::vector<std::string> set;
  SpaceLimits limits;
  GivenFolders folders;
  std::unique_ptr<ProgramCache> cache;  ///< null: everything is compiled
  int compute_capability = 0;
  CheckDepth depth = CheckDepth::budgeted;
  std::optional<EmulatorSettings> run = {};  ///< what to execute on; nothing: compile alone
  bool quiet = false;                        ///< say nothing of what is good
};

CheckOptions read_check_options(const GivenOptions& given) {
  CheckOptions options = {.given = given,
                          .set = given_set(given),
                          .limits = given_space_limits(given),
                          .folders = given_folders(given),
                          .cache = given_program_cache(given),
                          .compute_capability = given_compute_capability(given, "arch"),
                          .quiet = given.has("quiet")};
  if (given.has("exact")) options.depth = CheckDepth::exact;
  if (given.has("quick")) {
    if (given.has("exact")) throw UsageError("--exact and --quick exclude each other");
    options.depth = CheckDepth::quick;
  }
  if (given.has("run")) {
    options.run = given_emulator_settings(given);
    return options;
  }
  for (const char* name : {"exact", "quick", "model", "l1", "banks", "profile"}) {
    if (!given.has(name)) continue;
    throw UsageError("--{} is for what the emulator executes: add --run", name);
  }
  return options;
}

/// The configurations of a file that are checked: all, or of a search a sample.
struct Chosen {
  std::vector<Configuration> configurations;
  std::size_t of = 0;  ///< so many there are

  bool is_sample() const { return configurations.size() < of; }
  const char* verb_ending() const { return configurations.size() == 1 ? "s" : ""; }
  /// "300 of 47,658 configurations"
  std::string in_words() const {
    if (!is_sample()) return count_of(configurations.size(), "configuration");
    return format_thousands(configurations.size()) + " of " + count_of(of, "configuration");
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
  if (!loaded.sweep.tune) return {all, all.size()};
  Chosen chosen = {{}, all.size()};
  // Adds default configurations that are not in the space.
  const std::vector<TuningGroup> groups = tuning_groups(loaded.sweep, loaded.space);
  if (options.given.has("all") || all.size() <= most) {
    chosen.configurations = std::move(all);
    return chosen;
  }
  for (const std::size_t place : check_sample(loaded.sweep, loaded.space, groups, most)) {
    chosen.configurations.push_back(all[place]);
  }
  return chosen;
}

/// All of a sweep; to execute, with the sweep's values for the emulator.
ReadFile read_sweep(const std::string& name, const CheckOptions& options) {
  LoadedSweep loaded =
      load_sweep(find_sweep_file(name), options.folders, options.set, options.limits);
  require_file_name(loaded.sweep.name);
  if (!options.quiet) std::cerr << describe_plan(loaded);
  const auto require_some = [&](std::string_view when) {
    if (!loaded.space.configurations.empty()) return;
    throw CommandError(exit_bad_input, "{}: {}the constraints leave no configuration", name, when);
  };
  require_some("");
  ReadFile file = {name, choose(loaded, options), {}};
  if (file.compiled.is_sample() && !options.quiet) {
    std::cerr << fmt::format(
        "  checks {}: defaults, corners, each value of each axis, and a random sample\n",
        file.compiled.in_words());
  }
  if (!options.run) return file;
  apply_emulator_set(loaded.sweep);
  enumerate_again(loaded);
  require_some("with the sweep's values for the emulator ");
  file.emulated = choose(loaded, options);
  return file;
}

/// The configurations of a file: a pattern's default one, or all of a sweep.
ReadFile read_file(const std::string& name, const CheckOptions& options) {
  check_operand("check", Operand::file_to_check, name);
  if (std::filesystem::path(name).extension() != ".cu") return read_sweep(name, options);
  if (!options.set.empty()) {
    throw UsageError("{}: --set changes a sweep; a pattern is checked with its defaults", name);
  }
  const Chosen chosen = {{resolve(find_pattern(name, options.folders), {})}, 1};
  return {name, chosen, options.run ? chosen : Chosen()};
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
    const auto [known, is_new] = known_.try_emplace(
        fmt::format("{}:{}:{}: {}", where.source->name, where.line, where.column, words),
        findings_.size());
    if (is_new) findings_.push_back({std::move(message), &configuration, nullptr, 0});
    Finding& finding = findings_[known->second];
    if (finding.last != &configuration) ++finding.configurations;
    finding.last = &configuration;
  }
  void add(const Diagnostics& messages, const Configuration& configuration) {
    for (const Diagnostic& message : messages.list()) add(message, configuration);
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

/// Compiles configurations and works out their sizes, as long as the compiler does not give up too
/// often. Shows how far it is and says what it found; returns the exit code.
int compile_file(const ReadFile& file, const CompileSettings& compile,
                 const CheckOptions& options) {
  // Each configuration over which the compiler gives up may take it minutes.
  constexpr int most_failures = 3;
  constexpr double most_seconds = 30;
  const std::vector<Configuration>& configurations = file.compiled.configurations;
  const Clock clock = steady_clock();
  const double begin = clock();
  int failures = 0;
  bool is_patience_over = false;
  bool is_stopped = false;
  std::size_t done = 0;
  Findings findings;
  CompilePool compiled_ahead(compile, configurations);
  try {
    StepProgress progress("compiling " + file.name, configurations.size(), options.quiet);
    for (const Configuration& configuration : configurations) {
      if (is_patience_over) break;
      const CompileOutcome outcome = compiled_ahead.next();
      if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        findings.add(failure->errors, configuration);
        if (failure->gave_up) {
          is_patience_over = ++failures == most_failures || clock() - begin > most_seconds;
        }
      } else {
        const auto& compiled = std::get<CompiledConfiguration>(outcome);
        findings.add(compiled.warnings, configuration);
        findings.add(size_mistakes(configuration, compiled), configuration);
      }
      ++done;
      progress.step();
    }
  } catch (const CompilingStopped&) {
    // What was found until then is said.
    is_stopped = true;
  }
  const std::size_t left = configurations.size() - done;
  const Diagnostics messages = findings.conclude(
      done, is_patience_over && left > 0
                ? fmt::format("; {} more were not compiled, since the compiler gives up",
                              format_thousands(left))
                : "");
  std::cerr << render(messages, terminal_of(STDERR_FILENO).color);
  if (options.given.has("timing")) {
    const CompileStatistics statistics = compiled_ahead.statistics();
    std::cout << fmt::format("{}: {}; {:.3f} s of compilers' work\n", file.name,
                             describe(statistics), statistics.compiler_seconds);
  }
  if (is_stopped) {
    return complain(stopped_exit_code(),
                    fmt::format("{}: stopped when {} of {} configurations were compiled", file.name,
                                format_thousands(done), format_thousands(configurations.size())));
  }
  if (messages.has_errors()) return exit_bad_input;
  if (options.quiet) return exit_done;
  std::cout << fmt::format("{}: good: {} compile{} for compute capability {}{}\n", file.name,
                           file.compiled.in_words(), file.compiled.verb_ending(),
                           dotted(compile.compute_capability),
                           file.compiled.is_sample() ? " (--all compiles every one)" : "")
            << std::flush;
  return exit_done;
}

/// What of one configuration is executed, for all of `configurations`.
EmulatorSettings settings_for(EmulatorSettings settings, CheckDepth depth,
                              std::size_t configurations) {
  // Warp instructions of a block, a few seconds at most.
  constexpr std::uint64_t instruction_limit = 50'000'000;
  settings.checks_kernel = true;
  settings.cancelled = &stop_flag();
  settings.instruction_limit =
      depth == CheckDepth::exact ? instruction_limit * exact_patience : instruction_limit;
  // Thread instructions, far fewer than to measure: most mistakes show in the first blocks and the
  // last.
  settings.whole_budget = 2'000'000;
  settings.sample_budget = 200'000;
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
    return whole_line(std::make_shared<Source>(Source{file.name, file.text}), place.line);
  }
  return {std::make_shared<Source>(Source{place.file, {}}), place.line, 1};
}

/// A configuration without a mistake of which not everything was executed or verified.
struct Unfinished {
  const Configuration* configuration = nullptr;
  double cost = 0;  ///< of all of it
  bool lacks_blocks = false;
  std::uint64_t judged = 0;
  std::uint64_t elements = 0;
};

/// Executes configurations that compile on the emulator, with every check it has. Each mistake of
/// the kernels is given once. After a few kernels that do not end, those that follow are left out,
/// and all that follow once the user stops it. What the budget allows is the same on every machine.
class ExecutionChecker {
 public:
  ExecutionChecker(const ReadFile& file, CompileSettings compile, const CheckOptions& options)
      : file_(file),
        options_(options),
        compile_(std::move(compile)),
        settings_(
            settings_for(options.run.value(), options.depth, file.emulated.configurations.size())) {
    compile_.compute_capability =
        code_capability(EmulatorBackend(settings_).device(), *compile_.nvrtc);
  }

  /// Says what it found; returns the exit code.
  int run() {
    execute_all(file_.emulated.configurations, "executing " + file_.name);
    const std::size_t examined = executed_;
    if (options_.depth == CheckDepth::budgeted) use_what_is_left();
    const Diagnostics mistakes = findings_.conclude(
        examined, left_out_ == 0
                      ? ""
                      : fmt::format("; {} more were not executed, since too many kernels do not "
                                    "end",
                                    format_thousands(left_out_)));
    std::cerr << render(mistakes, terminal_of(STDERR_FILENO).color);
    if (stop_flag()) return complain(stopped_exit_code(), file_.name + ": stopped");
    if (mistakes.has_errors()) return exit_bad_input;
    const std::string rest = describe_rest(examined);
    if (options_.quiet && rest.empty()) return exit_done;
    std::cout << fmt::format("{}: {}{} execute{} without a mistake{}\n", file_.name,
                             rest.empty() ? "good: " : "", file_.emulated.in_words(),
                             file_.emulated.verb_ending(), rest)
              << std::flush;
    return exit_done;
  }

 private:
  void execute_all(std::span<const Configuration> configurations, const std::string& job) {
    constexpr std::size_t most_runaways = 3;
    CompilePool compiled_ahead(compile_, configurations);
    StepProgress progress(job, configurations.size(), options_.quiet);
    try {
      for (const Configuration& configuration : configurations) {
        if (stop_flag()) break;
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
    auto end = unfinished_.begin();
    for (; end != unfinished_.end() && end->cost <= left; ++end) {
      left -= end->cost;
      affordable_.push_back(*end->configuration);
    }
    if (affordable_.empty()) return;
    unfinished_.erase(unfinished_.begin(), end);
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
      spent_ += execution->cost().spent;
      const auto mismatch = execution->verify();
      const VerificationOutcome& outcome = execution->verification();
      if (mismatch) return note(pattern.verify[outcome.failed].condition.where, *mismatch);
      const bool lacks_blocks = execution->counted().executed_share < 1;
      if (!lacks_blocks && outcome.judged == outcome.elements) return;
      unfinished_.push_back({&configuration, execution->cost().whole, lacks_blocks, outcome.judged,
                             outcome.elements});
    } catch (const FaultyKernel& failure) {
      const KernelFault& fault = failure.fault();
      if (fault.kind() == FaultKind::runaway) ++runaways_;
      note(location_of(fault.place(), pattern), fault.message());
    } catch (const ExecutionFailure& failure) {
      if (!stop_flag()) note({pattern.source}, failure.what());
    } catch (const InputError&) {
      // The sizes are checked with the compiler's messages.
    }
  }

  /// What was not executed or verified, why, and the way out; empty when all was.
  std::string describe_rest(std::size_t examined) const {
    if (unfinished_.empty()) return {};
    std::size_t unverified = 0;
    double judged = 0;
    double elements = 0;
    for (const Unfinished& unfinished : unfinished_) {
      if (unfinished.judged == unfinished.elements) continue;
      ++unverified;
      judged += static_cast<double>(unfinished.judged);
      elements += static_cast<double>(unfinished.elements);
    }
    // Those of which all was verified lack blocks.
    const auto count = unverified != 0 ? unverified : unfinished_.size();
    const std::string of = count == examined ? "" : fmt::format("of {} ", format_thousands(count));
    const std::string what = unverified != 0
                                 ? fmt::format("the result is verified for {} of the elements only",
                                               format_part(judged / elements))
                                 : "only some of the blocks were executed";
    const std::string why =
        options_.depth == CheckDepth::quick
            ? "--quick executes some blocks; "
            : fmt::format("the budget is {} billion thread instructions; ", check_budget / billion);
    return fmt::format(", but {}{} ({}--exact verifies all)", of, what, why);
  }

  const ReadFile& file_;
  const CheckOptions& options_;
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
      "sample. A pattern is checked with its defaults. With --run each is executed on\n"
      "the emulator too, which finds accesses out of bounds, misaligned accesses,\n"
      "reads of memory that nothing wrote, races in shared memory, deadlocks, kernels\n"
      "that do not end, and wrong results. The configurations of a file share\n" +
          fmt::format("{} billion thread instructions; where these do not suffice, some\n",
                      check_budget / billion) +
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
  const CheckOptions options = read_check_options(given);
  // A folder that is not there is no file's mistake.
  pattern_library({options.folders.patterns, {}});
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
  const int capability = options.compute_capability;
  std::vector<std::string> known;
  for (const int architecture : nvrtc->architectures()) known.push_back(dotted(architecture));
  if (!is_among(known, dotted(capability))) {
    throw UsageError("--arch: {1} does not know the compute capability {0}; it knows {2}",
                     dotted(capability), nvrtc->version(), in_words(known));
  }
  const CompileSettings compile = {.nvrtc = nvrtc,
                                   .compute_capability = capability,
                                   .cache = options.cache.get(),
                                   .processes = compiler_processes(),
                                   .stop = &stop_flag()};
  for (const ReadFile& file : files) {
    if (stop_flag()) break;
    int code = compile_file(file, compile, options);
    if (options.run && code == exit_done) code = ExecutionChecker(file, compile, options).run();
    worst = std::max(worst, code);
  }
  std::cerr << describe_problem(options.cache.get());
  return worst;
}

}  // namespace

const Command check_command = {"check", "find the mistakes in sweeps and patterns; needs no GPU",
                               check_line, check_main};

}  // namespace sweep
