#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/commands/executor.h"
#include "engine/cli/commands/report_index.h"
#include "engine/cli/commands/run_ending.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/shard.h"
#include "engine/spec/metric.h"
#include "engine/store/store.h"
#include "engine/text/characters.h"
#include "engine/text/units.h"
#include "report/annotations.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_counters(const std::string& text) {
  if (text == "off") return {};
  std::vector<std::string> names = split_counters(text);
  for (const std::string& name : names) {
    if (const auto mistake = find_counter_mistake(name)) {
      throw UsageError("--counters: {}; {}", mistake->message, mistake->help);
    }
  }
  if (names.empty()) throw UsageError("--counters: name a set, for example memory, or off");
  return names;
}

/// What the command line of `sweep run` asks for.
struct RunOptions {
  const GivenOptions& given;
  std::vector<SourcePtr> set;
  SpaceLimits limits;
  fs::path output;
  std::uint64_t seed = 1;
  Shard shard = {};
  std::optional<std::vector<std::string>> counters = {};  ///< in the place of the sweep's
  bool is_last = true;  ///< of the sweeps that the command line names
};

RunOptions read_run_options(const GivenOptions& given) {
  // SQLite's integers have 63 bits beside the sign; 0 stands for a run without an order.
  constexpr std::uint64_t largest_seed = (std::uint64_t{1} << 63U) - 1;
  RunOptions options = {given,
                        given_set(given),
                        given_space_limits(given),
                        given.text("output"),
                        given.number("seed", largest_seed).value(),
                        given_shard(given)};
  if (options.output.empty()) throw UsageError("--output: name a folder, for example results");
  if (given.has("counters")) options.counters = read_counters(given.text("counters"));
  return options;
}

/// For people; what is said about failed points and mistakes does not come through here.
void say(const RunOptions& options, const std::string& text) {
  if (!is_silent(options.given)) std::cerr << text << std::flush;
}

/// What is said of the points before the error itself.
std::string words_on_resuming(const std::exception& error) {
  const auto* of_store = dynamic_cast<const StoreError*>(&error);
  // A damaged database stops the next run too.
  if (of_store != nullptr && of_store->fault() == StoreFault::damaged) return {};
  const bool is_kept = of_store == nullptr || of_store->fault() != StoreFault::gone;
  return fmt::format("{}: {}\n",
                     is_kept ? "Stopped by an error; what was measured is kept. To go on where it "
                               "stopped"
                             : "Stopped by an error. To measure what is missing",
                     resume_command());
}

/// Measures, and shows how it goes on.
RunSummary measure_all(const RunRequest& request, Measurer& measurer, Store& store,
                       Progress& progress) {
  try {
    std::jthread ticker;
    if (terminal_of(STDERR_FILENO).live) {
      ticker = repeat_every(std::chrono::milliseconds(100), [&progress] { progress.tick(); });
    }
    RunSummary summary = run_sweep(request, measurer, store, progress, stop_flag());
    progress.finish();
    return summary;
  } catch (const std::exception& error) {
    progress.finish();
    std::cerr << words_on_resuming(error);
    throw;
  }
}

/// What a tuned sweep is about to search, in a line: "  searches 270 configurations for the highest
/// bandwidth, at most 100 of each of 2 groups".
std::string describe_search_plan(const TuneRules& rules, const std::vector<TuningGroup>& groups) {
  std::size_t configurations = 0;
  for (const TuningGroup& group : groups) configurations += group.configurations.size();
  std::vector<std::string> wanted;
  for (const TuneObjective& objective : rules.objectives) {
    wanted.push_back(fmt::format(
        "the {} {}", objective.better == Better::higher ? "highest" : "lowest", objective.metric));
  }
  std::string text = fmt::format("  searches {} for {}", count_of(configurations, "configuration"),
                                 fmt::join(wanted, ", or else "));
  const bool has_several = groups.size() > 1;
  const std::string all = count_of(groups.size(), "group");
  if (rules.budget.configurations) {
    text += fmt::format(", at most {} of {}", format_thousands(*rules.budget.configurations),
                        has_several ? "each of " + all : "them");
  } else if (has_several) {
    text += ", in " + all;
  }
  if (rules.budget.seconds) {
    text += fmt::format(", for at most {} s{}", *rules.budget.seconds, has_several ? " each" : "");
  }
  return text + '\n';
}

/// What is under way after the points are measured.
class StageLine {
 public:
  explicit StageLine(const GivenOptions& given) : given_(given) {}
  void show(const std::string& text) {
    if (given_.has("json")) print_stage_event(text);
    const Terminal terminal = terminal_of(STDERR_FILENO);
    if (!is_silent(given_) && terminal.live) line_.show_cut(text, terminal);
  }
  void print(const std::string& text) { line_.print(text); }
  void clear() { line_.clear(); }

 private:
  const GivenOptions& given_;
  PassingLine line_;
};

/// Says which of the options given have nothing to act on.
void say_what_is_left_out(const Executor& executor, const RunOptions& options) {
  if (options.counters && !options.counters->empty() && (executor.emulator || executor.replay)) {
    std::cerr << "  --counters is left out: it asks a GPU; "
              << (executor.replay ? "a recording has the counts it has\n"
                                  : "the emulator gives its own counts\n");
  }
  if (!executor.replay) return;
  for (const char* option : {"exact", "model", "l1", "banks", "profile"}) {
    if (!options.given.has(option)) continue;
    std::cerr << fmt::format("  --{} is left out: a recording is not executed\n", option);
  }
}

/// Makes the space that of the device.
void fit_space(LoadedSweep& loaded, const Executor& executor, const RunOptions& options) {
  // A prediction is of what a GPU would measure.
  if (executor.is_emulated() && !executor.predicted_gpu && !loaded.sweep.emulator_set.empty()) {
    apply_emulator_set(loaded.sweep);
    enumerate_again(loaded);
    say(options, describe_plan(loaded, true) + "  with the sweep's values for the emulator\n");
    require_configurations(loaded, "nothing to run", "with the sweep's values for the emulator ");
  }
  // Patterns may have figures of the device for defaults.
  const Device& device = executor.measurer->device();
  const DeviceFigures figures = {device.multiprocessors,
                                 static_cast<std::int64_t>(device.l2_bytes)};
  if (apply_device_figures(loaded.sweep, figures)) {
    enumerate_again(loaded);
    require_configurations(loaded, "nothing to run", "with the device's own figures ");
  }
  for (const Removed& removed : leave_out_unplaced(loaded.space, device)) {
    std::cerr << fmt::format("  {} left out: {}\n", count_of(removed.count, "configuration"),
                             removed.constraint);
  }
  require_configurations(loaded, "nothing to run", "with buffers where this device has them ");
  if (!executor.further.empty() && uses_peers(loaded.space)) {
    throw UsageError(
        "--device {}: this sweep has buffers on other GPUs, which must not measure meanwhile; name "
        "one GPU",
        options.given.text("device"));
  }
  if (!executor.replay) return;
  const std::size_t before = executor.replay->keep_recorded(loaded.sweep, loaded.space);
  const std::size_t kept = loaded.space.configurations.size();
  if (kept == before) return;
  say(options, fmt::format("  {} of the {} are recorded; the others are left out\n",
                           format_thousands(kept), count_of(before, "configuration")));
}

/// Leaves the request what belongs to the shard, and says how much that is.
void keep_shard(RunRequest& request, const RunOptions& options) {
  SpaceIdentity identity = identity_of(request.space);
  request.provenance.share = {options.shard.number,
                              options.shard.count,
                              request.space.configurations.size(),
                              request.groups.size(),
                              std::move(identity.configurations),
                              std::move(identity.patterns)};
  if (options.shard.count == 1) return;
  const bool is_search = !request.groups.empty();
  const std::size_t all = is_search ? request.groups.size() : request.space.configurations.size();
  std::erase_if(request.groups, [&](const TuningGroup& group) {
    return shard_of(group, options.shard.count) != options.shard.number;
  });
  // Without a group of its own a search has nothing to measure.
  request.share =
      is_search ? std::vector<std::size_t>() : configurations_of(options.shard, request.space);
  const std::size_t own = is_search ? request.groups.size() : request.share->size();
  say(options, fmt::format("  shard {} of {}: {} of the {}\n", options.shard.number,
                           options.shard.count, own == 0 ? "none" : format_thousands(own),
                           count_of(all, is_search ? "group" : "configuration")));
}

RunRequest request_of(const LoadedSweep& loaded, const Executor& executor,
                      const RunOptions& options, ProgramCache* cache) {
  RunRequest request = {
      loaded.sweep, loaded.space, provenance_now(loaded.sweep, options.seed), {}, false, {}, {}};
  request.compile = {.nvrtc = executor.nvrtc, .cache = cache, .processes = executor.compilers};
  request.fresh = options.given.has("fresh");
  request.counters = options.counters.value_or(loaded.sweep.counters);
  if (executor.replay) {
    // What is recorded is as soon read again as taken from the database.
    request.fresh = true;
    request.replay = [&replay = *executor.replay](const Configuration& configuration) {
      return replay.point(configuration);
    };
  } else {
    request.emulate = executor.emulators_beside();
    request.measure = executor.emulators_in_place(loaded.space.configurations.size());
    request.predicted_gpu = executor.predicted_gpu;
    // Predictions follow from the counts.
    request.waits_for_counts = options.given.has("exact") || executor.predicted_gpu.has_value();
  }
  return request;
}

/// A run that is over.
struct FinishedRun {
  RunSummary summary;
  RunResults results;
};

/// Measures, and explains what was best.
FinishedRun measure_and_explain(const LoadedSweep& loaded, RunRequest request,
                                const Executor& executor, Store& store, const RunOptions& options,
                                const ProgramCache* cache) {
  Measurer& measurer = *executor.measurer;
  for (const auto& further : executor.further) request.further.push_back(further.get());
  const bool silent = is_silent(options.given);
  const bool as_json = options.given.has("json");
  RunExplanations explanations(loaded, executor.settings);
  if (executor.emulator == nullptr) {
    request.on_measured = [&](std::int64_t run, const RecentWorkloads& recent) {
      explanations.begin(store, run, recent);
    };
  }
  ProgressSettings settings = {[] { return terminal_of(STDERR_FILENO); }, steady_clock(),
                               BestSoFar(request.sweep), &stop_flag(), silent};
  const std::unique_ptr<Progress> progress =
      as_json ? run_events(settings, request, measurer.device(), store.path())
              : std::make_unique<Progress>(settings);
  FinishedRun run = {measure_all(request, measurer, store, *progress), {}};
  measurer.close();
  for (const auto& further : executor.further) further->close();
  std::cerr << describe_problem(cache);
  run.results = load_results(store, run.summary.run);
  if (!executor.nvrtc) return run;
  const RunAnalysis analysis(run.results);
  StageLine line(options.given);
  line.show("working out what the best configurations' accesses cost");
  CompileSettings compile = request.compile;
  compile.stop = &stop_flag();
  for (const std::string& note :
       explanations.add_to(store, run.results, analysis, run.summary.recent, compile)) {
    if (!silent) line.print("  " + note + '\n');
  }
  return run;
}

/// With the number of the last.
RunSummary sum_of(std::span<const FinishedRun> runs) {
  RunSummary sum;
  for (const FinishedRun& run : runs) {
    sum += run.summary;
    sum.run = run.summary.run;
    sum.timing.devices = std::max(sum.timing.devices, run.summary.timing.devices);
  }
  return sum;
}

/// Writes the reports of runs of one sweep, and returns the exit code.
int report_on(std::vector<FinishedRun> runs, const std::vector<Expectation>& expect,
              const fs::path& database, const RunOptions& options, bool is_part) {
  const RunSummary summary = sum_of(runs);
  std::vector<RunResults> all;
  for (FinishedRun& run : runs) all.push_back(std::move(run.results));
  const RunResults results = one_or_together(std::move(all));
  const RunAnalysis analysis(results);
  const fs::path base = fs::path(database).replace_extension();
  RunEnd end;
  StageLine line(options.given);
  line.show("drawing the charts and writing the reports");
  std::optional<CommandError> problem;
  try {
    end.charts = write_chart_files(results, base);
    end.files = write_report_files(analysis, base, end.charts.pictures);
  } catch (const CommandError& error) {
    // What cannot be written must not hide what was measured.
    problem = error;
  }
  line.clear();
  end.files.push_back(database);
  end.expectations = check_expectations_on(expect, results.points, is_part);
  // Those whose points other shards have need no word in each.
  if (options.shard.count > 1) {
    std::erase_if(end.expectations, [](const auto& result) { return !result.applies(); });
  }
  // For scripts a stop by a signal counts before what cannot be written, and that before points
  // that failed and expectations that are not kept.
  const bool kept = std::ranges::all_of(end.expectations, &ExpectationResult::kept);
  end.exit_code = summary.failed > 0 || !kept ? exit_points_failed : exit_done;
  if (problem) end.exit_code = problem->code();
  if (summary.interrupted) end.exit_code = stopped_exit_code();
  if (options.is_last) end.exit_code = code_after_watching(end.exit_code);
  if (summary.interrupted) end.resume = resume_command();
  conclude(summary, analysis, end, options.given);
  if (problem) {
    std::cerr << fmt::format(
        "sweep: {}\nWhat was measured is in {}; 'sweep report' makes the reports of it.\n",
        problem->what(), database.string());
  }
  if (options.given.has("json")) print_end_event(summary, analysis, end);
  if (is_for_github(options.given)) {
    write_for_github(run_annotations(analysis, end.expectations), "sweep run",
                     write_markdown(analysis));
  }
  return end.exit_code;
}

/// Throws UsageError where one run cannot have them all.
void check_kinds(const std::vector<GpuKind>& kinds, const std::vector<std::string>& profiles,
                 const RunOptions& options, const Sweep& sweep) {
  if (kinds.empty()) return;
  const std::string& first = kinds.front().front()->device().name;
  if (profiles.size() > 1) {
    throw UsageError(
        "--profile {}: beside {} stand the predictions of one profile; name one, or "
        "add --device emulator",
        options.given.text("profile"), first);
  }
  if (kinds.size() == 1 || (!sweep.tune && options.shard.count == 1)) return;
  throw UsageError("--device {}: {} is for GPUs of one kind, and these are {} and {}; name some",
                   options.given.text("device"), sweep.tune ? "a search" : "a shard", first,
                   kinds[1].front()->device().name);
}

/// "NVIDIA H200 (...)", "GPUs 0 and 1, each NVIDIA H200 (...)"
std::string describe_devices(const Executor& executor) {
  const std::string first = describe_device(executor.measurer->device());
  if (executor.further.empty()) return first;
  std::vector<std::string> numbers = {std::to_string(executor.measurer->device().index)};
  for (const auto& further : executor.further) {
    numbers.push_back(std::to_string(further->device().index));
  }
  return fmt::format("GPUs {}, each {}", in_words(numbers), first);
}

CommandLine run_line() {
  CommandLine line(
      "sweep run [OPTIONS] SWEEP ...",
      "Measures every configuration of a sweep, or searches for the best one where it\n"
      "has 'tune:', and writes a database and reports of it into DIR. SWEEP is a file,\n"
      "or the name of one that 'sweep list sweeps' shows. Points that the database has\n"
      "already are not measured again. Several sweeps are run one after the other, and\n"
      "DIR gets a page over all runs in it: index.html.");
  add_set_option(line);
  add_space_option(line);
  add_patterns_option(line);
  line.option("device", "DEVICE",
              "auto (the first GPU, without one the emulator), emulator, the numbers of GPUs with "
              "commas between, which share the work, all GPUs, or replay:FILE: recorded results "
              "in the place of a GPU - a database, T4 JSON or a cache of Kernel Tuner",
              "auto");
  line.option("output,o", "DIR", "the folder for the results", "results");
  add_shard_option(line);
  line.flag("fresh", "measure again what the database has already");
  line.flag("dry-run", "print the plan - the configurations and the device - and measure nothing");
  line.option("counters", "COUNTERS",
              "the hardware counters to read, whatever the sweep says, with commas between: "
              "sets or metrics that 'sweep list metrics' shows, or names in NVIDIA's words; "
              "off for none");
  line.option("seed", "NUMBER",
              "decides the random order in which a GPU measures the configurations", "1");
  line.flag("quiet,q",
            "leave out the plan, the progress and the tables: print the best configurations, "
            "errors, warnings and failed points alone");
  line.flag("json",
            "print the run as JSON, one object a line, as it goes on: start, each point, notes, "
            "end; messages for people are those of --quiet");
  line.option("format", "text|github",
              "github: in the place of tables annotations of GitHub Actions for expectations that "
              "are not kept and points that failed, and the report in the summary of the step",
              "text");
  line.flag("timing", "say at the end where the wall time went");
  line.flag("exact",
            "let the emulator execute every block, and a block a hundred times as long before it "
            "counts as one that does not end");
  add_cache_option(line);
  add_emulator_options(line, "; several, with commas between, make one report");
  line.operands({"SWEEP..."}, 1, "run what? for example: sweep run sweeps/stride.yaml");
  return line;
}

/// Runs one sweep and returns the exit code.
int run_one(const fs::path& file, const RunOptions& options) {
  const GivenOptions& given = options.given;
  // A reader of the messages that goes away must not take the run with it, and a file that may not
  // grow is an error of the write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const std::string device = given.text("device");
  StartedAhead ahead = start_ahead(device);
  LoadedSweep loaded = load_sweep(file, given_folders(given), options.set, options.limits);
  const std::string name = name_of_results(loaded.sweep.name, options.shard);
  require_file_name(name);
  // For the emulator the sweep may have other values, whose plan follows.
  const bool is_for_emulator =
      device == emulator_name && !given.has("profile") && !loaded.sweep.emulator_set.empty();
  if (!is_for_emulator) say(options, describe_plan(loaded, true));
  require_configurations(loaded, "nothing to run");
  const bool is_replay = names_recording(device);
  std::vector<std::string> profiles;
  if (!is_replay) profiles = given.listed("profile");
  if (profiles.size() > 1 && loaded.sweep.tune) {
    throw UsageError("--profile {}: a search is for one GPU; name one", given.text("profile"));
  }
  if (profiles.size() > 1 && options.shard.count > 1) {
    throw UsageError("--profile {}: a shard is of one run; name one", given.text("profile"));
  }
  // A mistake in the last is said before the first is run.
  for (std::size_t i = 1; i < profiles.size(); ++i) {
    const GivenOptions own = given.with("profile", profiles[i]);
    EmulatorSettings settings = given_emulator_settings(own);
    predicted_gpu(own, settings);
  }
  const std::shared_ptr<CompilerProcesses> compilers = ahead.compilers;
  const std::unique_ptr<ProgramCache> cache = given_program_cache(given);
  std::vector<FinishedRun> runs;
  const fs::path database = (options.output / name).string() + ".db";
  const std::vector<Expectation> expect = loaded.sweep.expect;
  const bool is_part =
      !options.set.empty() || loaded.sweep.tune || is_replay || options.shard.count > 1;
  // What the options say is checked before a GPU is waited for.
  if (!is_replay) {
    given_emulator_settings(profiles.empty() ? given : given.with("profile", profiles.front()));
  }
  std::vector<GpuKind> kinds = start_gpus(device, std::move(ahead.gpus), uses_peers(loaded.space));
  check_kinds(kinds, profiles, options, loaded.sweep);
  const std::size_t count = std::max({profiles.size(), kinds.size(), std::size_t{1}});
  std::vector<LoadedSweep> of_each(count - 1, loaded);
  of_each.push_back(std::move(loaded));
  kinds.resize(count);
  std::optional<RunLock> lock;
  std::optional<Store> store;
  for (std::size_t i = 0; i < count; ++i) {
    const GivenOptions own = profiles.size() < 2 ? given : given.with("profile", profiles[i]);
    // That there is no GPU is said once.
    const Executor executor = start_executor(i == 0 || !kinds[i].empty() ? device : emulator_name,
                                             std::move(kinds[i]), compilers, own, true);
    say(options, "  on " + describe_devices(executor) + '\n');
    if (i == 0) say_what_is_left_out(executor, options);
    LoadedSweep& fitted = of_each[i];
    fit_space(fitted, executor, options);
    std::vector<TuningGroup> groups;
    if (fitted.sweep.tune) {
      groups = tuning_groups(fitted.sweep, fitted.space);
      say(options, describe_search_plan(*fitted.sweep.tune, groups));
    }
    if (executor.replay) executor.replay->forget_unknown_defaults(fitted.space, groups);
    RunRequest request = request_of(fitted, executor, options, cache.get());
    request.groups = std::move(groups);
    keep_shard(request, options);
    if (given.has("dry-run")) continue;
    if (!store) {
      make_output_folder(options.output);
      // From here on a signal leaves a database that is whole, with reports of what it has.
      stop_flag();
      lock.emplace(database);
      store.emplace(database, Store::Mode::read_write);
    }
    runs.push_back(measure_and_explain(fitted, request, executor, *store, options, cache.get()));
    if (runs.back().summary.interrupted) break;
  }
  if (compilers) compilers->close();
  if (given.has("dry-run")) return exit_done;
  return report_on(std::move(runs), expect, database, options, is_part);
}

int run_main(const GivenOptions& given) {
  for (const std::string& operand : given.operands()) {
    check_operand("run", Operand::sweep, operand);
    if (operand.find('=') == std::string::npos || file_is_there(operand)) continue;
    throw UsageError("{}: no such sweep; to set a parameter, write --set {}", operand,
                     shell_quoted({operand}));
  }
  if (is_for_github(given) && given.has("json")) {
    throw UsageError("--json and --format github exclude each other");
  }
  if (given.has("dry-run") && (given.has("json") || given.has("quiet"))) {
    throw UsageError("--dry-run prints the plan, which --quiet and --json leave out");
  }
  RunOptions options = read_run_options(given);
  std::vector<fs::path> files;
  for (const std::string& operand : given.operands()) files.push_back(find_sweep_file(operand));
  if (files.size() == 1) return run_one(files.front(), options);
  // A mistake in the last is said before the first is run.
  for (const fs::path& file : files) {
    load_sweep(file, given_folders(given), options.set, options.limits);
  }
  int code = exit_done;
  bool has_results = false;
  for (const fs::path& file : files) {
    options.is_last = &file == &files.back();
    int own = exit_done;
    try {
      own = run_one(file, options);
      has_results = true;
    } catch (const std::exception& error) {
      if (given.has("json")) print_error_event(error.what());
      own = report_error();
    }
    if (own != exit_done) code = own;
    if (stop_flag()) return code;
  }
  if (has_results) write_index({{options.output.string()}, {}, true, true, is_silent(given)});
  return code;
}

/// With --json an error is an event too.
void tell_run_error(const Arguments& arguments, const std::exception& error) {
  if (is_among(arguments, "--json")) print_error_event(error.what());
}

}  // namespace

const Command run_command = {"run", "measure a sweep and write its tables", run_line, run_main,
                             tell_run_error};

}  // namespace sweep
