#pragma once

#include <future>
#include <memory>

#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/progress.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/explain/explanation.h"
#include "engine/run/compile_pool.h"
#include "engine/run/workload.h"
#include "engine/store/store.h"
#include "report/findings.h"
#include "report/run_analysis.h"
#include "report/run_report.h"

namespace sweep {

/// Executes a configuration on the emulator and says what its accesses cost; its results are not
/// checked. `compile` may be for another device. Throws InputError with the compiler's messages,
/// ExecutionFailure, and what CompilePool does.
Explanation explain_unchecked(const Configuration& configuration, const CompileSettings& compile,
                              EmulatorSettings settings);

/// What the memory accesses of each pattern's best configuration cost (see best_of_patterns), of
/// the first dozen patterns of a run.
class RunExplanations {
 public:
  /// `loaded` is what the run measures.
  RunExplanations(const LoadedSweep& loaded, const EmulatorSettings& settings);
  ~RunExplanations() { is_given_up_ = true; }
  RunExplanations(const RunExplanations&) = delete;
  RunExplanations& operator=(const RunExplanations&) = delete;

  /// Begins while the run goes on: with the best configurations as they are when every point is
  /// measured, as far as their programs are at hand. Nothing for a run of many points, which takes
  /// long to read.
  void begin(const Store& store, std::int64_t run, const RecentWorkloads& recent);

  /// Adds them to the run, and to its results: explanations that the store has already, those that
  /// were begun, others by executing the configuration on the emulator. Takes about a second at
  /// most for each pattern and three for all, one after a run that was interrupted; a configuration
  /// that takes longer is executed with the sweep's values for the emulator, if it has some. A
  /// pattern that cannot be explained is left out; returns a sentence for each, and throws nothing.
  /// `analysis` is that of the results, and `recent` the programs that need not be compiled again.
  /// Ends early once `compile.stop` is set, unless that is what interrupted the run.
  std::vector<std::string> add_to(Store& store, RunResults& results, const RunAnalysis& analysis,
                                  const RecentWorkloads& recent, CompileSettings compile);

 private:
  const Configuration& configuration_of(std::int64_t ordinal) const {
    return loaded_.space.configurations.at(static_cast<std::size_t>(ordinal));
  }

  const LoadedSweep& loaded_;
  EmulatorSettings settings_;
  std::atomic<bool> is_given_up_ = false;
  /// As JSON, by the configurations' places in the space; ends before the others go.
  std::future<std::map<std::int64_t, std::string>> begun_;
};

/// Several runs as one (`together`). Throws CommandError where they do not go together.
RunResults one_or_together(std::vector<RunResults> runs);

/// The pictures that were written beside a report.
struct ChartFiles {
  ChartPictures pictures;
  std::filesystem::path base;  ///< their names without "-1.svg" and so on
};

/// Draws the run's charts as `base`-1.svg, -2.svg and so on, and removes those of an earlier report
/// that had more. Never fails: when the disk does, the pictures' note says so.
ChartFiles write_chart_files(const RunResults& results, const std::filesystem::path& base);

/// The pictures' files, without those that are missing.
std::vector<std::filesystem::path> paths_of(const ChartFiles& charts);

/// What a run says about them: a line with the files' names, one with the note, or nothing.
std::string describe_chart_files(const ChartFiles& charts);

/// Writes the reports that belong to every run, `base` with each format's ending, with the pictures
/// beside them, and returns their names. They are made at once. Throws CommandError when one cannot
/// be written, of the first of these.
std::vector<std::filesystem::path> write_report_files(const RunAnalysis& run,
                                                      const std::filesystem::path& base,
                                                      const ChartPictures& pictures);

/// "results/stride.md, .csv, .db": the names of files, and of those that differ from the one before
/// in the ending alone this; below it how to look at a page, if one is among them.
std::string describe_files(std::span<const std::filesystem::path> files);

/// What a run's `end` event has beside its results.
struct RunEnd {
  std::vector<std::filesystem::path> files;  ///< written, the database among them, without pictures
  ChartFiles charts;
  std::vector<ExpectationResult> expectations;
  int exit_code = 0;
  std::string resume;  ///< the command that goes on with an interrupted run; else empty
};

/// Tells a run as JSON Lines on standard output (`sweep run --json`), and people what --quiet does:
/// one object a line, each printed as soon as it is known, and nothing else. Every object has
/// "event". Texts are those that people see. Devices, points, metrics and verdicts are those of the
/// JSON report, in its units: see report/run_report.h. Fields may be added; a change that breaks
/// readers raises "schema_version". Of several sweeps each has its events, one after the other.
///
/// - start: "schema_version" (2), "engine_version", "sweep", "summary", "command", "host",
///   "database", "device", "compiler", "measure" (the rules in one line), "seed", "points" (those
///   of the run; of a search the most that it may try), "reused" (known by now to be of former
///   runs), "is_search", "units" (of each metric that has one), of a
///   shard "shard" ([2, 8]: the second of eight).
/// - point, as each is recorded, those of former runs too: "reused", "pattern", "parameters",
///   "status", "reason", "stopped_by", "counted", "metrics", "notes".
/// - metrics: figures that a point gets later: "pattern", "parameters", "metrics", "notes". They
///   are the point's only ones of their origin.
/// - stage: "text", what begins after the points. note: "text", about the whole run.
/// - warning, of the compiler: "file", "line", "column", "message", "help".
/// - error, the last event of a run that an error ended, or the only one of a run that could not
///   start: "message".
/// - end, the last of any other run: "run" (its number in the database), "state" (finished,
///   interrupted), "measured", "failed", "reused", "best" (one for each group of points that are
///   compared: "pattern", "group", "metric", "parameters", "verdict", "same" (how many others are
///   not told apart), and of a search "tried", "configurations", "ended", "gain" over the default),
///   "verdicts" ("pattern", "parameters", "verdict"), "expectations" ("text", "kept", "verdict"),
///   "notes", "files", "exit_code", "resume" where it was interrupted.
///
/// `database`: what the run is stored in. The request and the device must outlive it.
std::unique_ptr<Progress> run_events(ProgressSettings settings, const RunRequest& request,
                                     const Device& device, std::filesystem::path database);

/// The `end` event.
void print_end_event(const RunSummary& summary, const RunAnalysis& run, const RunEnd& end);

/// The `error` event, which may come before anything is known of the run.
void print_error_event(const std::string& message);
/// The line of what begins.
void print_stage_event(const std::string& stage);

/// Whether only errors, warnings and failed points are told to people: --quiet, --json or --format
/// github.
bool is_silent(const GivenOptions& given);
bool is_for_github(const GivenOptions& given);

/// Shows a run's results on standard output, in the way that the options ask for, and on standard
/// error what breaks an expectation, what was written, and how to go on after a stop.
void conclude(const RunSummary& summary, const RunAnalysis& run, const RunEnd& end,
              const GivenOptions& given);

}  // namespace sweep
