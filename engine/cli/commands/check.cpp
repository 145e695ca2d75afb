#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/commands/check_configurations.h"
#include "engine/cli/commands/check_sample.h"
#include "engine/cli/options/compile_options.h"
#include "engine/cli/options/device_options.h"
#include "engine/cli/options/find_sources.h"
#include "engine/cli/options/load_sweep.h"
#include "engine/cli/options/operands.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/shared_options.h"
#include "engine/cli/terminal/stop_signal.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

constexpr std::uint64_t billion = 1'000'000'000;

struct CheckOptions {
  std::vector<std::string> files;
  GivenFolders folders;
  std::vector<std::string> set;
  SpaceLimits limits;
  int compute_capability = 0;
  std::optional<EmulatorSettings> run;  ///< what to execute on; nothing: compile alone
  CheckDepth depth = CheckDepth::budgeted;
  bool all = false;                     ///< of searches too, not just a sample
  bool quiet = false;                   ///< say nothing of what is good
  bool timing = false;                  ///< say what compiling cost
  std::unique_ptr<ProgramCache> cache;  ///< null: everything is compiled
};

/// The configurations of a file that are checked: all, or of a search a sample.
struct Chosen {
  std::vector<Configuration> configurations;
  std::size_t of = 0;  ///< so many there are

  bool is_sample() const { return configurations.size() < of; }
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
  Space& space = loaded.space;
  if (!loaded.sweep.tune) return {space.configurations, space.configurations.size()};
  Chosen chosen = {{}, space.configurations.size()};
  // Adds default configurations that are not in the space.
  const std::vector<TuningGroup> groups = tuning_groups(loaded.sweep, space);
  if (options.all || space.configurations.size() <= most) {
    chosen.configurations = std::move(space.configurations);
    return chosen;
  }
  for (const std::size_t place : check_sample(loaded.sweep, space, groups, most)) {
    chosen.configurations.push_back(space.configurations[place]);
  }
  return chosen;
}

void require_known(int compute_capability, const Nvrtc& nvrtc) {
  const std::vector<int>& known = nvrtc.architectures();
  if (std::ranges::find(known, compute_capability) != known.end()) return;
  std::vector<std::string> names;
  for (const int architecture : known) names.push_back(dotted(architecture));
  throw UsageError(fmt::format("--arch: {1} does not know the compute capability {0}; it knows {2}",
                               dotted(compute_capability), nvrtc.version(), in_words(names)));
}

/// All of a sweep; to execute, with the sweep's values for the emulator.
ReadFile read_sweep(const std::string& name, const CheckOptions& options) {
  LoadedSweep loaded =
      load_sweep(find_sweep_file(name), options.folders, options.set, options.limits);
  require_file_name(loaded.sweep.name);
  if (!options.quiet) std::cerr << describe_plan(loaded);
  const auto require_some = [&](std::string_view when) {
    if (!loaded.space.configurations.empty()) return;
    throw CommandError(exit_bad_input,
                       fmt::format("{}: {}the constraints leave no configuration", name, when));
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
ReadFile configurations_of(const std::string& name, const CheckOptions& options) {
  check_operand("check", Operand::file_to_check, name);
  if (std::filesystem::path(name).extension() != ".cu") return read_sweep(name, options);
  if (!options.set.empty()) {
    throw UsageError(
        fmt::format("{}: --set changes a sweep; a pattern is checked with its defaults", name));
  }
  const Chosen chosen = {{resolve(find_pattern(name, options.folders), {})}, 1};
  return {name, chosen, options.run ? chosen : Chosen()};
}

/// Adds the file to those that were read, or says what is wrong with it and returns its exit code.
int read_file(const std::string& name, const CheckOptions& options, std::vector<ReadFile>& files) {
  try {
    files.push_back(configurations_of(name, options));
    return exit_done;
  } catch (const std::exception&) {
    return report_error();
  }
}

int compile_file(const ReadFile& file, const CompileSettings& compile,
                 const CheckOptions& options) {
  const CompileCheck check =
      compile_check(file.name, file.compiled.configurations, compile, options.quiet);
  std::cerr << render(check.messages, terminal_of(STDERR_FILENO).color);
  if (options.timing) {
    std::cout << fmt::format("{}: {}; {:.3f} s of compilers' work\n", file.name,
                             describe(check.statistics), check.statistics.compiler_seconds);
  }
  if (check.stopped) {
    return complain(stopped_exit_code(),
                    fmt::format("{}: stopped when {} of {} configurations were compiled", file.name,
                                format_thousands(check.compiled),
                                format_thousands(file.compiled.configurations.size())));
  }
  if (check.messages.has_errors()) return exit_bad_input;
  if (options.quiet) return exit_done;
  std::cout << fmt::format("{}: good: {} compile{} for compute capability {}{}\n", file.name,
                           file.compiled.in_words(),
                           file.compiled.configurations.size() == 1 ? "s" : "",
                           dotted(compile.compute_capability),
                           file.compiled.is_sample() ? " (--all compiles every one)" : "")
            << std::flush;
  return exit_done;
}

/// What was not executed or verified, why, and the way out; empty when all was.
std::string describe_rest(const ExecutionCheck& check, CheckDepth depth) {
  if (check.in_part == 0 && check.unverified == 0) return {};
  const std::size_t count = check.unverified != 0 ? check.unverified : check.in_part;
  const std::string of =
      count == check.executed ? "" : fmt::format("of {} ", format_thousands(count));
  const std::string what = check.unverified != 0
                               ? fmt::format("the result is verified for {} of the elements only",
                                             format_part(check.verified_share))
                               : "only some of the blocks were executed";
  const std::string why =
      depth == CheckDepth::quick
          ? "--quick executes some blocks; "
          : fmt::format("the budget is {} billion thread instructions; ", check_budget / billion);
  return fmt::format(", but {}{} ({}--exact verifies all)", of, what, why);
}

int execute_file(const ReadFile& file, const CompileSettings& compile,
                 const CheckOptions& options) {
  const ExecutionCheck check = check_execution(file.name, file.emulated.configurations, compile,
                                               options.run.value(), options.depth, options.quiet);
  std::cerr << render(check.mistakes, terminal_of(STDERR_FILENO).color);
  if (stop_flag()) return complain(stopped_exit_code(), file.name + ": stopped");
  if (check.mistakes.has_errors()) return exit_bad_input;
  const std::string rest = describe_rest(check, options.depth);
  if (options.quiet && rest.empty()) return exit_done;
  std::cout << fmt::format("{}: {}{} execute{} without a mistake{}\n", file.name,
                           rest.empty() ? "good: " : "", file.emulated.in_words(),
                           file.emulated.configurations.size() == 1 ? "s" : "", rest)
            << std::flush;
  return exit_done;
}

/// --exact or --quick, which say how much is executed.
CheckDepth given_depth(const GivenOptions& given) {
  const bool is_exact = given.has("exact");
  const bool is_quick = given.has("quick");
  if (is_exact && is_quick) throw UsageError("--exact and --quick exclude each other");
  return is_exact ? CheckDepth::exact : is_quick ? CheckDepth::quick : CheckDepth::budgeted;
}

CheckOptions read_check_options(const GivenOptions& given) {
  CheckOptions options;
  options.files = given.operands();
  options.set = given_set(given);
  options.limits = given_space_limits(given);
  options.folders = given_folders(given);
  options.all = given.has("all");
  options.quiet = given.has("quiet");
  options.timing = given.has("timing");
  options.cache = given_program_cache(given);
  options.compute_capability = given_compute_capability(given, "arch");
  options.depth = given_depth(given);
  if (given.has("run")) {
    options.run = given_emulator_settings(given);
    return options;
  }
  for (const char* name : {"exact", "quick", "model", "l1", "banks", "profile"}) {
    if (!given.has(name)) continue;
    throw UsageError(fmt::format("--{} is for what the emulator executes: add --run", name));
  }
  return options;
}

}  // namespace

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

int check_command(const GivenOptions& given) {
  const CheckOptions options = read_check_options(given);
  // A folder that is not there is no file's mistake.
  pattern_folders(options.folders.patterns, {});
  // Exit codes rise with how little could be checked: usage, mistakes, no such file.
  int worst = exit_done;
  std::vector<ReadFile> files;
  for (const std::string& name : options.files) {
    worst = std::max(worst, read_file(name, options, files));
  }
  if (files.empty()) return worst;
  const auto nvrtc = std::make_shared<Nvrtc>();
  require_known(options.compute_capability, *nvrtc);
  CompileSettings compile =
      compile_settings(nvrtc, options.compute_capability, options.cache.get());
  compile.stop = &stop_flag();
  for (const ReadFile& file : files) {
    if (stop_flag()) break;
    const int compiled = compile_file(file, compile, options);
    worst = std::max(worst, compiled);
    if (options.run && compiled == exit_done) {
      worst = std::max(worst, execute_file(file, compile, options));
    }
  }
  std::cerr << describe_problem(options.cache.get());
  return worst;
}

}  // namespace sweep
