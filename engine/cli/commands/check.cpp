#include "engine/cli/commands/check.h"

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

bool Findings::report(std::size_t examined, std::size_t left_out, std::string_view done,
                      const CheckOptions& options) const {
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
    options.found->push_back({message, finding.rule});
    result.add(std::move(message));
  }
  std::cerr << render(result, terminal_of(STDERR_FILENO).color);
  return result.has_errors();
}

namespace {

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
    if (!options.is_quiet) findings.add(notes_on(*each.pattern), each, "advice");
  }
  CompilePool pool(compile, configurations);
  const auto note = [&](const Configuration& configuration, const CompileOutcome& outcome) {
    ++done;
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
      findings.add(failure->errors, configuration, "compile");
      if (!failure->gave_up) return true;
      return ++failures < most_failures && seconds_since(begin) <= most_seconds;
    }
    const auto& compiled = std::get<CompiledConfiguration>(outcome);
    findings.add(compiled.warnings, configuration, "compile");
    try {
      // Its grid, block, buffers, arguments and useful bytes may be wrong.
      const Workload workload = make_workload(configuration, compiled);
      constexpr int first_with_clusters = 90;
      const bool has_cluster = std::ranges::any_of(workload.launches, &LaunchPlan::has_cluster);
      if (has_cluster && compile.compute_capability < first_with_clusters) {
        throw ExecutionFailure("bad launch: clusters need compute capability 9.0, and it is " +
                               dotted(compile.compute_capability));
      }
      useful_traffic_of(configuration);
    } catch (const InputError& error) {
      findings.add(error.diagnostics(), configuration, "launch");
    } catch (const ExecutionFailure& failure) {
      findings.add({Severity::error, {}, failure.what(), {}}, configuration, "launch");
    }
    return true;
  };
  const bool is_stopped =
      take_compiled(pool, configurations, "compiling " + file.name, options.is_quiet, note);
  const bool has_errors = findings.report(done, is_stopped ? 0 : configurations.size() - done,
                                          "compiled, since the compiler gives up", options);
  if (options.given.has("timing")) {
    const CompileStatistics statistics = pool.statistics();
    *options.verdicts << fmt::format("{}: {}; {:.3f} s of compilers' work\n", file.name,
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
  *options.verdicts << fmt::format("{}: good: {} compile{} for compute capability {}{}\n",
                                   file.name, file.compiled.in_words(), file.compiled.verb_ending(),
                                   dotted(compile.compute_capability),
                                   file.compiled.is_sample() ? " (--all compiles every one)" : "")
                    << std::flush;
  return exit_done;
}

/// Compiles the files and, with --run, executes them; returns the worst exit code.
int check_files(const std::vector<ReadFile>& files, int capability, ProgramCache* cache,
                const CheckOptions& options) {
  int worst = exit_done;
  const auto nvrtc = std::make_shared<Nvrtc>();
  std::vector<std::string> known;
  for (const int architecture : nvrtc->architectures()) known.push_back(dotted(architecture));
  if (!is_among(known, dotted(capability))) {
    throw UsageError("--arch: {} does not know the compute capability {}; it knows {}",
                     nvrtc->version(), dotted(capability), in_words(known));
  }
  const CompileSettings compile = {.nvrtc = nvrtc,
                                   .compute_capability = capability,
                                   .cache = cache,
                                   .processes = compiler_processes(),
                                   .stop = &stop_flag()};
  for (const ReadFile& file : files) {
    if (stop_flag()) break;
    int code = compile_file(file, compile, options);
    if (options.run && code == exit_done) code = execute_file(file, compile, options);
    worst = std::max(worst, code);
  }
  std::cerr << describe_problem(cache);
  return worst;
}

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
  line.option("format", "text|github|sarif",
              "what standard output gets: github, annotations of GitHub Actions for each message "
              "and Markdown for the summary of the step; sarif, a log of SARIF 2.1.0",
              "text");
  add_output_option(line, "write the log, or the Markdown, to a file, not to stdout");
  add_cache_option(line);
  add_emulator_options(line);
  line.operands({"SOURCE..."}, 1, "check what? for example: sweep check sweeps/stride.yaml");
  return line;
}

int check_main(const GivenOptions& given) {
  const std::unique_ptr<ProgramCache> cache = given_program_cache(given);
  const int capability = given_compute_capability(given, "arch");
  const std::string format = given.text("format");
  const auto output = given_output(given);
  if (output && format == "text") throw UsageError("--output is for --format github or sarif");
  std::vector<CheckFinding> found;
  CheckOptions options = {given,
                          given_set(given),
                          given_space_limits(given),
                          given.has("quiet"),
                          format == "text" ? &std::cout : &std::cerr,
                          &found};
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
    } catch (const InputError& error) {
      for (const Diagnostic& message : error.diagnostics().list())
        found.push_back({message, "input"});
      worst = std::max(worst, report_error());
    } catch (const std::exception& error) {
      CheckFinding& finding = found.emplace_back();
      finding.message.where.source = std::make_shared<Source>(Source{name, {}});
      finding.message.message = error.what();
      finding.rule = "input";
      worst = std::max(worst, report_error());
    }
  }
  if (!files.empty()) worst = std::max(worst, check_files(files, capability, cache.get(), options));
  if (format == "sarif") {
    write_result(output, write_sarif(found, SWEEP_VERSION, repository_root()));
  } else if (format == "github") {
    std::vector<Diagnostic> messages;
    for (const CheckFinding& finding : found) messages.push_back(finding.message);
    write_for_github(messages, "sweep check", write_findings_markdown(found, repository_root()),
                     output);
  }
  return worst;
}

}  // namespace

const Command check_command = {"check", "find the mistakes in sweeps and patterns; needs no GPU",
                               check_line, check_main};

}  // namespace sweep
