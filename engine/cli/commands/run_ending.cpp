#include "engine/cli/commands/run_ending.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>

#include "engine/cli/commands/executor.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/document.h"
#include "report/findings.h"
#include "report/run_report.h"

namespace sweep {
namespace {

using nlohmann::ordered_json;

constexpr int schema_version = 2;

/// On a line of its own, at once, so that a reader sees it live. After a write that failed nothing
/// more is printed; the command ends with exit_io.
void print_event(const ordered_json& event) {
  std::cout << json_line(event) + '\n' << std::flush;
}

/// The unit of each metric that has one: {"bandwidth": "GB/s"}
ordered_json units() {
  ordered_json units = ordered_json::object();
  for (const std::string& name : metric_names()) {
    if (const std::string unit = unit_of(name); !unit.empty()) units[name] = unit;
  }
  return units;
}

ordered_json best_of(const VerdictGroup& group, const RunAnalysis& run) {
  const PointKey& key = run.points[group.best]->key;
  ordered_json best = {{"pattern", key.pattern_name},
                       {"group", json_parameters(group.group)},
                       {"metric", key_of(group.metric)},
                       {"parameters", json_parameters(key.parameters)},
                       {"verdict", json_of(run.verdicts.of_points[group.best])},
                       {"same", group.same.size()}};
  if (group.tuned) {
    const TunedGroup& found = run.results.run.tuning->groups[*group.tuned];
    best["tried"] = found.tried;
    best["configurations"] = found.configurations;
    best["ended"] = json_text(found.ended);
    best["gain"] = json_figure(found.gain_low, found.gain, found.gain_high);
  }
  return best;
}

/// Prints an event for all that it is told.
class RunEvents : public Progress {
 public:
  RunEvents(ProgressSettings settings, const RunRequest& request, const Device& device,
            std::filesystem::path database)
      : Progress(std::move(settings)),
        request_(request),
        device_(device),
        database_(std::move(database)) {}

  void on_start(std::size_t points, std::size_t reused) override {
    Progress::on_start(points, reused);
    const Provenance& provenance = request_.provenance;
    const auto& nvrtc = request_.compile.nvrtc;
    ordered_json event = {
        {"event", "start"},
        {"schema_version", schema_version},
        {"engine_version", provenance.engine_version},
        {"sweep", provenance.sweep_name},
        {"summary", request_.sweep.summary},
        {"command", provenance.command},
        {"host", provenance.host},
        {"database", database_.string()},
        {"device", json_of(device_)},
        {"compiler", nvrtc != nullptr ? nvrtc->version() : ""},
        {"measure", device_.is_emulated() ? counting_rules_text(request_.sweep.measure)
                                          : to_string(request_.sweep.measure)},
        {"seed", std::to_string(provenance.seed)},
        {"points", points},
        {"reused", reused},
        {"is_search", !request_.groups.empty()},
        {"units", units()}};
    if (const RunShare& share = provenance.share; share.is_part()) {
      event["shard"] = {share.shard, share.shards};
    }
    print_event(event);
  }
  void on_reuse(const PointRecord& point) override {
    Progress::on_reuse(point);
    print_point(point, true);
  }
  void on_point(const Configuration& configuration, const PointRecord& point) override {
    Progress::on_point(configuration, point);
    print_point(point, false);
  }
  void on_metrics(const Configuration& configuration, const std::vector<Metric>& metrics,
                  const std::vector<std::string>& notes) override {
    print_event({{"event", "metrics"},
                 {"pattern", configuration.pattern->name},
                 {"parameters", json_parameters(configuration.parameters)},
                 {"metrics", json_of(metrics)},
                 {"notes", notes}});
  }
  void on_warning(const Diagnostic& warning) override {
    Progress::on_warning(warning);
    print_event({{"event", "warning"},
                 {"file", warning.where.source != nullptr ? warning.where.source->name : ""},
                 {"line", warning.where.line},
                 {"column", warning.where.column},
                 {"message", warning.message},
                 {"help", warning.help}});
  }
  void on_note(const std::string& note) override {
    Progress::on_note(note);
    print_event({{"event", "note"}, {"text", note}});
  }
  void on_stage(const std::string& stage) override {
    Progress::on_stage(stage);
    print_stage_event(stage);
  }

 private:
  static void print_point(const PointRecord& point, bool reused) {
    ordered_json event = {{"event", "point"}, {"reused", reused}};
    event.update(json_of(point));
    print_event(event);
  }

  const RunRequest& request_;
  const Device& device_;
  std::filesystem::path database_;
};

/// In the order of Phase.
constexpr std::array<std::string_view, phase_count> phase_names = {"waiting for the compiler",
                                                                   "waiting for the emulator",
                                                                   "loading and allocating",
                                                                   "init",
                                                                   "first launch",
                                                                   "verify",
                                                                   "warm-up",
                                                                   "samples",
                                                                   "hardware counters",
                                                                   "anchor configuration",
                                                                   "comparing the best",
                                                                   "store",
                                                                   "other"};

/// The last column is left out where no point was measured.
std::string row(std::string_view name, double seconds, double wall, double points) {
  constexpr double percent = 100;
  constexpr double milli = 1e3;
  std::string text = fmt::format("  {:<24} {:>9.3f} {:>7.1f}", name, seconds,
                                 wall > 0 ? seconds / wall * percent : 0);
  if (points > 0) text += fmt::format(" {:>11.3f}", seconds / points * milli);
  return text + '\n';
}

/// What `--timing` shows: where a run's wall time went, how busy the device was, and what compiling
/// took beside it.
std::string describe_timing(const RunTiming& timing) {
  const double wall = timing.wall_seconds;
  const auto points = static_cast<double>(timing.measured);
  std::string text = fmt::format(
      "Where the wall time went: {} measured in {:.3f} s{}\n"
      "  {:<24} {:>9} {:>7}{}\n",
      count_of(timing.measured, "point"), wall,
      timing.devices > 1 ? fmt::format(", the mean of {} GPUs", timing.devices) : "", "", "seconds",
      "%", timing.measured > 0 ? "  ms a point" : "");
  for (std::size_t i = 0; i < phase_count; ++i) {
    const double seconds = timing.phases[static_cast<Phase>(i)];
    if (seconds > 0) text += row(phase_names.at(i), seconds, wall, points);
  }
  text += row("together", wall, wall, points);
  if (timing.busy_seconds > 0) {
    const double counters = timing.phases[Phase::count];
    const double idle = std::max(wall - counters - timing.busy_seconds, 0.0);
    text += row("the device was busy", timing.busy_seconds, wall - counters, points);
    text += row("the engine's own cost", idle, wall - counters, points);
  }
  if (timing.compile.configurations + timing.compile.from_cache > 0) {
    text += "Compiling, beside the measuring: " + describe(timing.compile, "\n  ") + ".\n" +
            describe_alone(timing.compile);
  }
  return text;
}

void show_tables(const RunAnalysis& run, const RunEnd& end) {
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  Drawing drawing = Drawing::plain;
  if (terminal.is_terminal) drawing = terminal.unicode ? Drawing::unicode : Drawing::ascii;
  // Where all of a table is, and how to get it if it could not be written.
  std::string whole = fmt::format("sweep report {}", end.files.back().string());
  for (const std::filesystem::path& file : end.files) {
    if (file.extension() == ".md") whole = file.string();
  }
  std::cout << write_terminal(run, terminal.width_or(file_width), terminal.color, drawing,
                              {terminal.height, whole})
            << std::flush;
}

void show_best(const RunAnalysis& run) {
  for (const std::string& line : describe_best(run)) std::cout << printable(line) << '\n';
  std::cout << std::flush;
}

}  // namespace

std::unique_ptr<Progress> run_events(ProgressSettings settings, const RunRequest& request,
                                     const Device& device, std::filesystem::path database) {
  return std::make_unique<RunEvents>(std::move(settings), request, device, std::move(database));
}

void print_end_event(const RunSummary& summary, const RunAnalysis& run, const RunEnd& end) {
  ordered_json event = {{"event", "end"},
                        {"run", summary.run},
                        {"state", summary.interrupted ? "interrupted" : "finished"},
                        {"measured", summary.measured},
                        {"failed", summary.failed},
                        {"verified_in_part", partly_verified(run.results.points).points},
                        {"reused", summary.reused}};
  for (const char* list : {"best", "verdicts", "expectations"}) {
    event[list] = ordered_json::array();
  }
  for (const VerdictGroup& group : run.verdicts.groups) {
    event["best"].push_back(best_of(group, run));
  }
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    if (!run.verdicts.of_points[i]) continue;
    const PointKey& key = run.points[i]->key;
    event["verdicts"].push_back({{"pattern", key.pattern_name},
                                 {"parameters", json_parameters(key.parameters)},
                                 {"verdict", json_of(run.verdicts.of_points[i])}});
  }
  for (const ExpectationResult& result : end.expectations) {
    event["expectations"].push_back({{"text", describe(result.expectation)},
                                     {"kept", result.kept()},
                                     {"verdict", verdict_of(result)}});
  }
  event["notes"] = describe_run_notes(run.results);
  const auto& tuning = run.results.run.tuning;
  const std::string ranking = tuning ? describe_ranking(*tuning) : "";
  if (!ranking.empty()) event["notes"].push_back(ranking);
  event["files"] = ordered_json::array();
  for (const auto& files : {end.files, paths_of(end.charts)}) {
    for (const std::filesystem::path& file : files) event["files"].push_back(file.string());
  }
  event["exit_code"] = end.exit_code;
  if (!end.resume.empty()) event["resume"] = end.resume;
  print_event(event);
}

void print_stage_event(const std::string& stage) {
  print_event({{"event", "stage"}, {"text", stage}});
}

void print_error_event(const std::string& message) {
  print_event({{"event", "error"}, {"message", message}});
}

bool is_silent(const GivenOptions& given) {
  return given.has("quiet") || given.has("json") || is_for_github(given);
}

bool is_for_github(const GivenOptions& given) {
  return given.text("format") == "github";
}

void conclude(const RunSummary& summary, const RunAnalysis& run, const RunEnd& end,
              const GivenOptions& given) {
  const bool as_json = given.has("json");
  if (!is_silent(given)) show_tables(run, end);
  if (is_silent(given) && !as_json) show_best(run);
  if (given.has("timing")) {
    (as_json ? std::cerr : std::cout) << '\n' << describe_timing(summary.timing) << std::flush;
  }
  std::cerr << describe_broken(end.expectations, run.results.points,
                               terminal_of(STDERR_FILENO).color);
  if (!is_silent(given)) {
    const bool is_replay = run.results.run.provenance.device.backend == "replay";
    std::cerr << fmt::format("{} {}, {} failed{}; {} reused\n{}{}",
                             count_of(summary.measured, "point"),
                             is_replay ? "taken from the recording" : "measured", summary.failed,
                             count_partly_verified(run.results.points), summary.reused,
                             describe_chart_files(end.charts), describe_files(end.files));
  } else if (!as_json) {
    const std::string note = note_on_verification(run.results.points);
    if (!note.empty()) std::cerr << note << '\n';
  }
  if (summary.interrupted) {
    std::cerr << fmt::format("Stopped. To go on where it stopped: {}\n", end.resume);
  }
}

}  // namespace sweep
