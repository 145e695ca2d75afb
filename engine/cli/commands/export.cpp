
#include <algorithm>
#include <iostream>
#include <set>

#include "engine/cli/commands.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/recording/recording.h"
#include "engine/spec/sweep.h"
#include "engine/store/record.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "report/display_text.h"
#include "report/export/best_configurations.h"

namespace sweep {
namespace {

/// A best configuration and what it was found among.
struct Winner {
  const ExportedRun* run = nullptr;
  const PointRecord* point = nullptr;
};

/// Those of one pattern, as it was when the last of them was measured.
struct PatternWinners {
  std::vector<Winner> winners = {};
  PatternPtr pattern = nullptr;  ///< null where its text can no longer be read
};

std::map<std::string, PatternWinners> by_pattern(std::span<const ExportedRun> runs) {
  std::map<std::string, PatternWinners> result;
  for (const ExportedRun& run : runs) {
    for (const BestConfiguration& best : run.best) {
      const PointRecord& point = point_of(run, best);
      result[point.key.pattern_name].winners.push_back({&run, &point});
    }
  }
  for (auto& [name, found] : result) {
    found.pattern = stored_pattern(found.winners.back().point->key);
  }
  return result;
}

DeviceFigures figures_of(const Device& device) {
  return {device.multiprocessors, static_cast<std::int64_t>(device.l2_bytes)};
}

/// Whether the winner has the value that the parameter takes without being given.
bool follows_by_default(const Parameter& parameter, const Winner& winner) {
  const Bindings& values = winner.point->key.parameters;
  const Value* value = values.find(parameter.name);
  if (value == nullptr) return true;
  const Device& device = winner.run->results.run.provenance.device;
  const std::int64_t figure = device_figure(figures_of(device), parameter.device);
  if (!parameter.device.empty() && figure > 0) return *value == Value(figure);
  try {
    return parameter.default_value.evaluate(values) == *value;
  } catch (const InputError&) {
    return false;
  }
}

/// Whether the parameter varied where the winner was found.
bool varied(const std::string& name, const Winner& winner) {
  const PointKey& key = winner.point->key;
  const Value* value = key.parameters.find(name);
  return std::ranges::any_of(winner.run->results.points, [&](const StoredPoint& stored) {
    if (stored.point.key.pattern_name != key.pattern_name) return false;
    const Value* other = stored.point.key.parameters.find(name);
    return value != nullptr && other != nullptr && *other != *value;
  });
}

bool must_be_given(const Parameter& parameter, const PatternWinners& of, std::size_t devices) {
  const auto follows = [&](const Winner& winner) { return follows_by_default(parameter, winner); };
  if (!std::ranges::all_of(of.winners, follows)) return true;
  // Each device would take its own figure.
  if (!parameter.device.empty()) return devices > 1;
  // What follows from other parameters is not given; "float" is a name too, but no parameter's.
  for (const std::string& name : parameter.default_value.names()) {
    if (of.pattern->find_parameter(name) != nullptr) return false;
  }
  return std::ranges::any_of(of.winners,
                             [&](const Winner& winner) { return varied(parameter.name, winner); });
}

/// Which parameters a sweep of these runs' best configurations has to give, by the patterns as they
/// were when they were measured: what varied there and what differs from its default, but not what
/// follows from other parameters or from the device. A pattern that can no longer be read is left
/// out, so that all of its parameters are given.
GivenParameters parameters_to_give(std::span<const ExportedRun> runs) {
  GivenParameters given;
  for (const auto& [name, found] : by_pattern(runs)) {
    if (found.pattern == nullptr) continue;
    std::vector<std::string>& names = given[name];
    for (const Parameter& parameter : found.pattern->parameters) {
      if (must_be_given(parameter, found, runs.size())) names.push_back(parameter.name);
    }
  }
  return given;
}

/// What a sweep's text gives, with these patterns. Throws InputError.
Sweep parse_text(const char* name, const std::string& text,
                 const std::map<std::string, PatternPtr>& patterns) {
  const auto lookup = [&](const std::string& pattern, const Location&, Diagnostics&) {
    const auto found = patterns.find(pattern);
    return found != patterns.end() ? found->second : nullptr;
  };
  return parse_sweep(std::make_shared<Source>(Source{name, text}), "stored.yaml", lookup, {});
}

/// See ExportedRun::emulators_own. None where the stored texts can no longer be read.
std::vector<std::string> emulators_own_parameters(const ExportedRun& run) {
  const Provenance& provenance = run.results.run.provenance;
  if (!run.is_ranked_by_counts() || provenance.device.backend == "cuda") return {};
  std::map<std::string, PatternPtr> patterns;
  for (const StoredPoint& stored : run.results.points) {
    PatternPtr& pattern = patterns[stored.point.key.pattern_name];
    if (pattern == nullptr) pattern = stored_pattern(stored.point.key);
  }
  std::vector<Axis> stated;
  try {
    stated = parse_text("the stored sweep", provenance.sweep_text, patterns).emulator_set;
  } catch (const InputError&) {
    return {};
  }
  std::vector<std::string> own;
  const auto is_own = [&](const std::string& name) { return is_among(own, name); };
  for (const BestConfiguration& best : run.best) {
    const Winner winner{&run, &point_of(run, best)};
    const PatternPtr& pattern = patterns[winner.point->key.pattern_name];
    if (pattern == nullptr) continue;
    for (const Parameter& parameter : pattern->parameters) {
      const Value* value = winner.point->key.parameters.find(parameter.name);
      // A --set may have given another value than the sweep.
      const bool is_stated = std::ranges::any_of(stated, [&](const Axis& axis) {
        return axis.names.front() == parameter.name && value != nullptr &&
               std::ranges::find(axis.rows, std::vector<Value>{*value}) != axis.rows.end();
      });
      const bool is_derived =
          !parameter.device.empty() || std::ranges::any_of(parameter.default_value.names(), is_own);
      const bool is_new = is_stated || (is_derived && follows_by_default(parameter, winner));
      if (is_new && !is_own(parameter.name)) own.push_back(parameter.name);
    }
  }
  return own;
}

/// Throws CommandError with the reason when the sweep's text does not give exactly the best
/// configurations with the patterns as they were when they were measured. Patterns that can no
/// longer be read are taken to be right.
void check_exported_sweep(const std::string& text, std::span<const ExportedRun> runs) {
  constexpr const char* help = "; --format header and --format json can say it";
  // A configuration with its values in no order.
  std::set<std::pair<std::string, std::map<std::string, Value>>> wanted;
  auto configurations = wanted;
  const auto add = [](auto& set, const std::string& pattern, const Bindings& values) {
    set.emplace(pattern,
                std::map<std::string, Value>(values.entries().begin(), values.entries().end()));
  };
  std::map<std::string, PatternPtr> patterns;
  for (const auto& [name, found] : by_pattern(runs)) {
    if (found.pattern == nullptr) return;
    patterns[name] = found.pattern;
    for (const Winner& winner : found.winners) add(wanted, name, winner.point->key.parameters);
  }
  try {
    Sweep sweep = parse_text("the exported sweep", text, patterns);
    apply_device_figures(sweep, figures_of(runs.back().results.run.provenance.device));
    for (const Configuration& configuration : enumerate(sweep).configurations) {
      add(configurations, configuration.pattern->name, configuration.parameters);
    }
  } catch (const InputError& error) {
    throw CommandError(exit_bad_input, "one sweep cannot hold these configurations: {}{}",
                       error.diagnostics().list().front().message, help);
  }
  if (configurations == wanted) return;
  throw CommandError(exit_bad_input,
                     "one sweep cannot hold exactly these configurations: their patterns have "
                     "changed between the runs, or give one name to different things{}",
                     help);
}

void warn(const std::string& message) {
  std::cerr << "sweep: warning: " << printable(message) << '\n';
}

std::string describe(const RunRecord& run) {
  return fmt::format("run {} on {}", run.id, run.provenance.device.name);
}

/// The run named, or the newest of every device.
std::vector<ExportedRun> load_runs(const RunOperand& from) {
  const Store store(from.database, Store::Mode::read_only);
  std::vector<std::int64_t> ids;
  if (from.run) {
    ids = {*from.run};
  } else {
    for (const RunRecord& run : newest_runs(store.runs())) ids.push_back(run.id);
  }
  if (ids.empty()) {
    throw StoreError(fmt::format("the file '{}' holds no runs", from.database.string()),
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

/// Leaves those that were ranked by speed; throws CommandError where none was.
void keep_runs_ranked_by_speed(std::vector<ExportedRun>& runs) {
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
        "--format json: a file of the T4 format holds one run, and here are several devices; "
        "write {}",
        in_words(choices, "or"));
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

int export_main(const GivenOptions& given) {
  const auto output = given_output(given);
  if (!given.has("format")) {
    throw UsageError("export as what? write --format json, --format header or --format yaml");
  }
  const std::string format = given.text("format");
  const bool all_points = given.text("points") == "all";
  if (all_points && format != "json") {
    throw UsageError("--points all: only --format json can hold all points, not {}", format);
  }
  std::vector<ExportedRun> runs = load_runs(given_run_operand("export", given));
  if (!all_points) {
    if (!given.has("emulated")) keep_runs_ranked_by_speed(runs);
    keep_runs_with_best(runs);
  }
  if (format == "json") {
    write_result(output, write_single_run(runs, all_points));
  } else if (format == "header") {
    write_result(output, write_header(runs));
  } else {
    const std::string text = write_best_sweep(runs, parameters_to_give(runs));
    check_exported_sweep(text, runs);
    write_result(output, text);
  }
  return exit_done;
}

}  // namespace

const Command export_command = {"export",
                                "write the best configurations as a header, a sweep or JSON",
                                export_line, export_main};

}  // namespace sweep
