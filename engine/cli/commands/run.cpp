#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "engine/cli/commands.h"
#include "engine/cli/commands/chart_files.h"
#include "engine/cli/commands/executor.h"
#include "engine/cli/commands/explanations.h"
#include "engine/cli/commands/report_files.h"
#include "engine/cli/commands/run_ending.h"
#include "engine/cli/commands/run_events.h"
#include "engine/cli/commands/run_options.h"
#include "engine/cli/options/compile_options.h"
#include "engine/cli/options/device_options.h"
#include "engine/cli/options/find_sources.h"
#include "engine/cli/options/load_sweep.h"
#include "engine/cli/options/output.h"
#include "engine/cli/terminal/live_line.h"
#include "engine/cli/terminal/progress.h"
#include "engine/cli/terminal/stop_signal.h"
#include "engine/run/runner.h"
#include "engine/spec/sweep.h"
#include "engine/store/run_lock.h"
#include "engine/text/units.h"
#include "report/expectation_check.h"
#include "report/run_analysis.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// Tells several observers of one run, in their order.
class RunListeners : public RunObserver {
 public:
  /// They must outlive this.
  explicit RunListeners(std::vector<RunObserver*> observers) : observers_(std::move(observers)) {}

  void on_start(std::size_t points, std::size_t reused) override {
    tell(&RunObserver::on_start, points, reused);
  }
  void on_reuse(const PointRecord& point) override { tell(&RunObserver::on_reuse, point); }
  void on_compiler_wait(bool waits) override { tell(&RunObserver::on_compiler_wait, waits); }
  void on_point(const Configuration& configuration, const PointRecord& point) override {
    tell(&RunObserver::on_point, configuration, point);
  }
  void on_metrics(const Configuration& configuration, const std::vector<Metric>& metrics,
                  const std::vector<std::string>& notes) override {
    tell(&RunObserver::on_metrics, configuration, metrics, notes);
  }
  void on_warning(const Diagnostic& warning) override { tell(&RunObserver::on_warning, warning); }
  void on_note(const std::string& note) override { tell(&RunObserver::on_note, note); }
  void on_stage(const std::string& stage) override { tell(&RunObserver::on_stage, stage); }

 private:
  template <typename... Parameters>
  void tell(void (RunObserver::*what)(Parameters...),
            const std::type_identity_t<Parameters>&... arguments) {
    for (RunObserver* observer : observers_) (observer->*what)(arguments...);
  }

  std::vector<RunObserver*> observers_;
};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Provenance provenance_of(const Sweep& sweep, std::uint64_t seed) {
  Provenance provenance;
  provenance.sweep_name = sweep.name;
  provenance.sweep_text = sweep.source->text;
  provenance.command = process_command();
  provenance.engine_version = SWEEP_VERSION;
  provenance.host = host_name();
  provenance.seed = seed;
  return provenance;
}

/// For people; what is said about failed points and mistakes does not come through here.
void say(const RunOptions& options, const std::string& text) {
  if (!options.is_silent()) std::cerr << text << std::flush;
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
                       const RunOptions& options, RunEvents* events) {
  Progress progress({[] { return terminal_of(STDERR_FILENO); }, steady_clock(),
                     BestSoFar(request.sweep), &stop_flag(), options.is_silent()});
  std::vector<RunObserver*> observers = {&progress};
  if (events != nullptr) observers.push_back(events);
  RunListeners listeners(std::move(observers));
  std::optional<Ticker> ticker;
  if (terminal_of(STDERR_FILENO).live) {
    ticker.emplace(std::chrono::milliseconds(100), [&progress] { progress.tick(); });
  }
  try {
    const RunSummary summary = run_sweep(request, measurer, store, listeners, stop_flag());
    ticker.reset();
    progress.finish();
    return summary;
  } catch (const std::exception& error) {
    ticker.reset();
    progress.finish();
    std::cerr << words_on_resuming(error);
    throw;
  }
}

void require_some(const LoadedSweep& loaded, std::string_view when = {}) {
  if (!loaded.space.configurations.empty()) return;
  throw CommandError(exit_bad_input,
                     fmt::format("nothing to run: {}the constraints leave no configuration", when));
}

/// Patterns may have figures of the device for defaults.
void fit_to_device(LoadedSweep& loaded, const Device& device) {
  const DeviceFigures figures = {device.multiprocessors,
                                 static_cast<std::int64_t>(device.l2_bytes)};
  if (!apply_device_figures(loaded.sweep, figures)) return;
  enumerate_again(loaded);
  require_some(loaded, "with the device's own figures ");
}

/// A sweep may state smaller values for the emulator.
void reduce_for_emulator(LoadedSweep& loaded, const RunOptions& options) {
  if (loaded.sweep.emulator_set.empty()) return;
  apply_emulator_set(loaded.sweep);
  enumerate_again(loaded);
  say(options, "  with the sweep's values for the emulator:\n" + describe_plan(loaded));
  require_some(loaded, "with the sweep's values for the emulator ");
}

void keep_recorded(LoadedSweep& loaded, Replay& replay, const RunOptions& options) {
  const std::size_t before = replay.keep_recorded(loaded.sweep, loaded.space);
  if (loaded.space.configurations.size() == before) return;
  say(options, fmt::format("  {} of the {} are recorded; the others are left out\n",
                           format_thousands(loaded.space.configurations.size()),
                           count_of(before, "configuration")));
}

/// Says which of the options given have nothing to act on.
void say_what_is_left_out(const Executor& executor, const RunOptions& options) {
  const bool asks_for_counters = options.counters && !options.counters->empty();
  if (executor.emulator != nullptr && asks_for_counters) {
    std::cerr << "  --counters is left out: it asks a GPU; the emulator gives its own counts\n";
  }
  if (!executor.replay) return;
  if (asks_for_counters) {
    std::cerr << "  --counters is left out: it asks a GPU; a recording has the counts it has\n";
  }
  for (const char* option : {"exact", "model", "l1", "banks", "profile"}) {
    if (!options.given.has(option)) continue;
    std::cerr << fmt::format("  --{} is left out: a recording is not executed\n", option);
  }
}

/// Makes the space that of the device.
void fit_space(LoadedSweep& loaded, const Executor& executor, const RunOptions& options) {
  if (executor.is_emulated()) reduce_for_emulator(loaded, options);
  fit_to_device(loaded, executor.measurer->device());
  if (executor.replay) keep_recorded(loaded, *executor.replay, options);
}

RunRequest request_of(const LoadedSweep& loaded, const Executor& executor,
                      const RunOptions& options, ProgramCache* cache) {
  RunRequest request = {
      loaded.sweep, loaded.space, provenance_of(loaded.sweep, options.seed), {}, false, {}, {}};
  for (const PatternPtr& pattern : loaded.sweep.patterns) {
    std::vector<std::string> derived = derived_parameters(*pattern, loaded.sweep.axes);
    if (!derived.empty()) request.provenance.derived[pattern->name] = std::move(derived);
  }
  request.compile = compile_settings(executor.nvrtc, 0, cache, executor.compilers);
  request.fresh = options.fresh;
  request.counters = options.counters.value_or(loaded.sweep.counters);
  if (executor.replay) {
    // What is recorded is as soon read again as taken from the database.
    request.fresh = true;
    request.replay = [&replay = *executor.replay](const Configuration& configuration) {
      return replay.point(configuration);
    };
  } else {
    request.emulate = executor.emulators_beside();
    request.waits_for_counts = options.exact;
  }
  return request;
}

/// What cannot be written must not hide what was measured: gives the error.
std::optional<CommandError> write_reports(const RunAnalysis& run, const fs::path& base,
                                          RunEnd& end) {
  try {
    const ChartFiles charts = write_chart_files(run.results, base);
    end.charts = describe_chart_files(charts);
    end.pictures = paths_of(charts);
    end.files = write_report_files(run, base, charts.pictures);
  } catch (const CommandError& error) {
    return error;
  }
  return std::nullopt;
}

/// Measures, writes the reports, and returns the exit code.
int measure_and_report(const LoadedSweep& loaded, RunRequest request, const Executor& executor,
                       Store& store, const RunOptions& options, const ProgramCache* cache) {
  Measurer& measurer = *executor.measurer;
  const fs::path base = options.output / request.sweep.name;
  const fs::path database = base.string() + ".db";
  std::optional<RunEvents> events;
  if (options.json) events.emplace(request, measurer.device(), database);
  RunExplanations explanations(loaded, executor.settings);
  if (executor.emulator == nullptr) {
    request.on_measured = [&](std::int64_t run, const RecentWorkloads& recent) {
      explanations.begin(store, run, recent);
    };
  }
  const RunSummary summary =
      measure_all(request, measurer, store, options, events ? &*events : nullptr);
  measurer.close();
  std::cerr << describe_problem(cache);
  RunResults results = load_results(store, summary.run);
  const RunAnalysis analysis(results);
  EndingStage stage(options.is_silent(), events ? &*events : nullptr);
  if (executor.nvrtc) {
    stage.begin("working out what the best configurations' accesses cost");
    CompileSettings compile = request.compile;
    compile.stop = &stop_flag();
    for (const std::string& note :
         explanations.add_to(store, results, analysis, summary.recent, compile)) {
      stage.say("  " + note + '\n');
    }
  }
  if (executor.compilers) executor.compilers->close();
  RunEnd end;
  stage.begin("drawing the charts and writing the reports");
  const std::optional<CommandError> problem = write_reports(analysis, base, end);
  stage.end();
  end.files.push_back(database);
  const bool is_part = !options.set.empty() || request.sweep.tune || executor.replay;
  end.expectations = check_expectations_on(request.sweep.expect, results.points, is_part);
  end.exit_code = exit_code_of(summary, end.expectations);
  if (problem && !summary.interrupted) end.exit_code = problem->code();
  end.exit_code = code_after_watching(end.exit_code);
  if (summary.interrupted) end.resume = resume_command();
  conclude(summary, analysis, end, options);
  if (problem) {
    std::cerr << fmt::format(
        "sweep: {}\nWhat was measured is in {}; 'sweep report' makes the reports of it.\n",
        problem->what(), database.string());
  }
  if (events) events->on_end(summary, analysis, end);
  return end.exit_code;
}

/// Returns the exit code.
int run(const RunOptions& options) {
  // A reader of the messages that goes away must not take the run with it, and a file that may not
  // grow is an error of the write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  StartedAhead ahead = start_ahead(options.device);
  LoadedSweep loaded =
      load_sweep(find_sweep_file(options.sweep), options.folders, options.set, options.limits);
  require_file_name(loaded.sweep.name);
  say(options, describe_plan(loaded));
  require_some(loaded);
  const Executor executor = start_executor(options.device, std::move(ahead), options.given);
  const std::unique_ptr<ProgramCache> cache = given_program_cache(options.given);
  say(options, fmt::format("  on {}\n", describe_device(executor.measurer->device())));
  say_what_is_left_out(executor, options);
  fit_space(loaded, executor, options);
  std::vector<TuningGroup> groups;
  if (loaded.sweep.tune) {
    groups = tuning_groups(loaded.sweep, loaded.space);
    say(options, describe_search_plan(*loaded.sweep.tune, groups));
  }
  if (executor.replay) executor.replay->forget_unknown_defaults(loaded.space, groups);
  make_output_folder(options.output);
  // From here on a signal leaves a database that is whole, with reports of what it has.
  stop_flag();
  const fs::path base = options.output / loaded.sweep.name;
  const RunLock lock(base.string() + ".db");
  Store store(base.string() + ".db", Store::Mode::read_write);

  RunRequest request = request_of(loaded, executor, options, cache.get());
  request.groups = std::move(groups);
  return measure_and_report(loaded, request, executor, store, options, cache.get());
}

}  // namespace

int run_command(const GivenOptions& given) {
  return run(read_run_options(given));
}

void tell_run_error(const Arguments& arguments, const std::exception& error) {
  if (std::ranges::find(arguments, "--json") != arguments.end()) print_error_event(error.what());
}

}  // namespace sweep
