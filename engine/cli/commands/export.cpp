#include <fmt/format.h>

#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/commands/exported_sweep.h"
#include "engine/cli/options/operands.h"
#include "engine/cli/options/output.h"
#include "engine/recording/recording.h"
#include "engine/store/ranking.h"
#include "engine/text/diagnostic.h"
#include "report/display_text.h"
#include "report/export/best_configurations.h"

namespace sweep {
namespace {

/// What is to be exported, checked.
struct ExportRequest {
  RunOperand from;  ///< without a run: the newest of every device
  std::string format;
  bool all_points = false;
  bool emulated = false;  ///< also what the emulator's counts rank
};

ExportRequest read_export_request(const GivenOptions& given) {
  if (!given.has("format")) {
    throw UsageError("export as what? write --format json, --format header or --format yaml");
  }
  ExportRequest request;
  request.format = given.text("format");
  request.all_points = given.text("points") == "all";
  if (request.all_points && request.format != "json") {
    throw UsageError(fmt::format("--points all: only --format json can hold all points, not {}",
                                 request.format));
  }
  request.emulated = given.has("emulated");
  request.from = given_run_operand("export", given);
  return request;
}

void warn(const std::string& message) {
  std::cerr << "sweep: warning: " << printable(message) << '\n';
}

std::string describe(const RunRecord& run) {
  return fmt::format("run {} on {}", run.id, run.provenance.device.name);
}

std::vector<ExportedRun> load_runs(const ExportRequest& request) {
  const Store store(request.from.database, Store::Mode::read_only);
  std::vector<std::int64_t> ids;
  if (request.from.run) {
    ids = {*request.from.run};
  } else {
    for (const RunRecord& run : newest_runs(store.runs())) ids.push_back(run.id);
  }
  if (ids.empty()) {
    throw StoreError(fmt::format("the file '{}' holds no runs", request.from.database.string()),
                     StoreFault::missing);
  }
  std::vector<ExportedRun> runs;
  for (const std::int64_t id : ids) {
    runs.push_back(find_best(load_results(store, id)));
    runs.back().emulators_own = emulators_own_parameters(runs.back());
    const RunRecord& run = runs.back().results.run;
    if (run.state != RunState::finished) {
      warn(fmt::format("{} did not finish: better configurations may be missing", describe(run)));
    }
  }
  return runs;
}

/// Leaves those that were ranked by what is asked for; throws CommandError where none was.
void keep_runs_asked_for(std::vector<ExportedRun>& runs, const ExportRequest& request) {
  if (request.emulated) return;
  std::string counted;
  for (const ExportedRun& run : runs) {
    if (!run.is_ranked_by_counts()) continue;
    counted = fmt::format(
        "the configurations of {} are {}; --emulated exports them all the same, "
        "and says so in the text",
        describe(run.results.run), describe_ranking(*run.results.run.tuning));
    if (runs.size() > 1) warn(counted);
  }
  std::erase_if(runs, [](const ExportedRun& run) { return run.is_ranked_by_counts(); });
  if (runs.empty()) throw CommandError(exit_points_failed, counted);
}

/// Leaves those that have a best configuration, and says which have not.
void keep_runs_with_best(std::vector<ExportedRun>& runs) {
  for (const ExportedRun& run : runs) {
    for (const std::string& sentence : run.without_best) {
      warn(fmt::format("{}: {}", describe(run.results.run), sentence));
    }
  }
  std::erase_if(runs, [](const ExportedRun& run) { return run.best.empty(); });
  if (runs.empty()) {
    throw CommandError(exit_points_failed,
                       "there is no best configuration to export; --format json --points all "
                       "exports every point");
  }
}

std::string write_single_run(const std::vector<ExportedRun>& runs, bool all_points) {
  if (runs.size() > 1) {
    std::vector<std::string> choices;
    for (const ExportedRun& run : runs) {
      choices.push_back(
          fmt::format("--run {} ({})", run.results.run.id, run.results.run.provenance.device.name));
    }
    throw UsageError(
        fmt::format("--format json: a file of the T4 format holds one run, and here "
                    "are several devices; write {}",
                    in_words(choices, "or")));
  }
  const ExportedRun& run = runs.front();
  std::vector<StoredPoint> points = run.results.points;
  if (!all_points) {
    points.clear();
    for (const BestConfiguration& best : run.best) {
      points.push_back(run.results.points[best.place]);
    }
  }
  return write_t4(run.results.run, points);
}

std::string write_export(const ExportRequest& request) {
  std::vector<ExportedRun> runs = load_runs(request);
  if (!request.all_points) {
    keep_runs_asked_for(runs, request);
    keep_runs_with_best(runs);
  }
  if (request.format == "json") return write_single_run(runs, request.all_points);
  if (request.format == "header") return write_header(runs);
  std::string text = write_best_sweep(runs, parameters_to_give(runs));
  check_exported_sweep(text, runs);
  return text;
}

}  // namespace

CommandLine export_line() {
  CommandLine line(
      "sweep export [OPTIONS] FILE.db[:RUN]",
      "Writes the best configurations of a results database for use elsewhere: of each\n"
      "group that a tuning run searched, or of each pattern, in the newest finished\n"
      "run of every device. A sweep's name stands for results/NAME.db.");
  line.option("format", "json|header|yaml",
              "header: C++17 with constexpr values and where they come from; yaml: a sweep that "
              "measures just these configurations; json: the T4 results format of the "
              "auto-tuning community");
  line.option("run", "N", "this run only, as FILE.db:N");
  line.option("points", "best|all", "all: every point of the run, not the best ones only (json)",
              "best");
  line.flag("emulated",
            "also configurations that were ranked by the emulator's counts, which are not speed; "
            "what is written says so");
  add_output_option(line);
  line.operands({"DATABASE"}, 1,
                "export what? for example: sweep export results/streams.db --format header");
  return line;
}

int export_command(const GivenOptions& given) {
  const auto output = given_output(given);
  write_result(output, write_export(read_export_request(given)));
  return exit_done;
}

}  // namespace sweep
