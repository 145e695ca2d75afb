#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/cli/commands/report.h"
#include "engine/cli/options/command_line.h"
#include "engine/cli/terminal/progress.h"
#include "engine/run/runner.h"
#include "report/expectation_check.h"
#include "report/run_analysis.h"

namespace sweep {

/// What a run's `end` event has beside its results.
struct RunEnd {
  std::vector<std::filesystem::path> files;  ///< written, the database among them, without pictures
  ChartFiles charts;
  std::vector<ExpectationResult> expectations;
  int exit_code = 0;
  std::string resume;  ///< the command that goes on with an interrupted run; else empty
};

/// Tells a run as JSON Lines on standard output (`sweep run --json`), and people what --quiet does:
/// one object a line, each
/// printed as soon as it is known, and nothing else. Every object has "event". Texts are those that
/// people see. Devices, points, metrics and verdicts are those of the JSON report, in its units:
/// see report/json_report.h. Fields may be added; a change that breaks readers raises
/// "schema_version".
///
/// - start: "schema_version" (1), "engine_version", "sweep", "summary", "command", "host",
///   "database", "device", "compiler", "measure" (the rules in one line), "seed", "points" (those
///   of the run; of a search the most that it may try), "reused" (known by now to be of former
///   runs), "is_search", "units" (of each metric that has one).
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
class RunEvents : public Progress {
 public:
  /// `database`: what the run is stored in. The request and the device must outlive it.
  RunEvents(ProgressSettings settings, const RunRequest& request, const Device& device,
            std::filesystem::path database)
      : Progress(std::move(settings)),
        request_(request),
        device_(device),
        database_(std::move(database)) {}

  void on_start(std::size_t points, std::size_t reused) override;
  void on_reuse(const PointRecord& point) override;
  void on_point(const Configuration& configuration, const PointRecord& point) override;
  void on_metrics(const Configuration& configuration, const std::vector<Metric>& metrics,
                  const std::vector<std::string>& notes) override;
  void on_warning(const Diagnostic& warning) override;
  void on_note(const std::string& note) override;
  void on_stage(const std::string& stage) override;

 private:
  const RunRequest& request_;
  const Device& device_;
  std::filesystem::path database_;
};

/// The `end` event.
void print_end_event(const RunSummary& summary, const RunAnalysis& run, const RunEnd& end);

/// The `error` event, which may come before anything is known of the run.
void print_error_event(const std::string& message);

/// Whether only errors, warnings and failed points are told to people: --quiet or --json.
bool is_silent(const GivenOptions& given);

/// Shows a run's results on standard output, in the way that the options ask for, and on standard
/// error what breaks an expectation, what was written, and how to go on after a stop.
void conclude(const RunSummary& summary, const RunAnalysis& run, const RunEnd& end,
              const GivenOptions& given);

}  // namespace sweep
