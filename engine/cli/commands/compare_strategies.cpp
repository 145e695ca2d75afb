
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <thread>

#include "engine/cli/commands.h"
#include "engine/cli/commands/strategy_tables.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/recording/recording.h"
#include "engine/search/strategy.h"
#include "engine/spec/sweep.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

/// Of the best figure.
constexpr std::array wanted_shares = {0.95, 0.99};

struct StrategyRequest {
  const GivenOptions& given;
  std::optional<std::int64_t> run;
  std::optional<Objective> objective = {};  ///< by default what the metric says
  std::vector<std::string> strategies = {};
  std::size_t seeds = 100;
  std::optional<std::size_t> most = {};
  std::optional<Expression> where = {};
  std::size_t predictions = 128;  ///< that a search asks for; 0: none
};

/// A recording as strategies search it.
struct ComparedSpace {
  SearchSpace rows;
  RecordedMetric metric;
  Objective objective = Objective::minimise;
  CostTable costs = {};
  KnownPredictions predictions = {};
  std::vector<double> sorted = {};  ///< the costs of those with a figure
  std::size_t failed = 0;
  std::size_t predicted = 0;
};

[[noreturn]] void fail(const Recording& recording, const std::string& what) {
  throw CommandError(exit_bad_input, "{}: {}", recording.origin.file, what);
}

/// The one given, by default the recording's objective, else the time.
const RecordedMetric& choose_metric(const Recording& recording, const GivenOptions& given) {
  const std::string& file = recording.origin.file;
  if (recording.metrics.empty()) fail(recording, "no configuration of it has a figure");
  const std::vector<std::string> wanted =
      given.has("metric") ? given.all("metric")
                          : std::vector<std::string>{recording.origin.objective, "time"};
  for (const std::string& name : wanted) {
    if (const RecordedMetric* found = find_metric(recording, name)) return *found;
  }
  std::vector<std::string> names;
  for (const RecordedMetric& metric : recording.metrics) {
    names.push_back(display_name(metric.name, metric.origin));
  }
  if (!given.has("metric")) {
    throw UsageError("{}: it does not say what its configurations are compared by; {}", file,
                     suggest("", names, "name one by --metric"));
  }
  throw UsageError("--metric {}: {} has no such metric; {}", wanted.front(), file,
                   suggest(wanted.front(), names, "it has"));
}

void gather_figures(const Recording& recording, ComparedSpace& space) {
  for (const RecordedEntry& entry : recording.entries) {
    const bool is_failed = entry.status == PointStatus::failed;
    const auto figure = figure_of(entry, space.metric.name, space.metric.origin);
    const bool is_known = !is_failed && figure && std::isfinite(*figure);
    if (is_known) space.sorted.push_back(cost_of(*figure, space.objective));
    space.costs.push_back(is_known ? std::optional(space.sorted.back()) : std::nullopt);
    space.failed += is_failed ? 1 : 0;
    const auto predicted = figure_of(entry, space.metric.name, Origin::predicted);
    const bool is_predicted = predicted && std::isfinite(*predicted);
    space.predicted += is_predicted ? 1 : 0;
    space.predictions.costs.push_back(
        is_predicted ? std::optional(cost_of(*predicted, space.objective)) : std::nullopt);
  }
  if (space.sorted.empty()) {
    fail(recording, fmt::format("no configuration of it has a figure of {}",
                                display_name(space.metric.name, space.metric.origin)));
  }
  std::ranges::sort(space.sorted);
}

SearchSpace encoded(const Recording& recording) {
  std::vector<Bindings> configurations;
  for (const RecordedEntry& entry : recording.entries) {
    configurations.push_back(entry.configuration);
  }
  try {
    return encode(configurations);
  } catch (const std::invalid_argument& error) {
    fail(recording, fmt::format("its configurations cannot be searched: {}", error.what()));
  }
}

/// Throws UsageError for a metric that the recording does not have or that does not say which
/// values are better, and CommandError for a recording that cannot be searched.
ComparedSpace compared_space(const Recording& recording, const StrategyRequest& request) {
  const RecordedMetric& metric = choose_metric(recording, request.given);
  if (!request.objective && metric.better == Better::neither) {
    throw UsageError("of {} it is not known which values are better: say --minimize or --maximize",
                     display_name(metric.name, metric.origin));
  }
  const Objective objective = request.objective.value_or(
      metric.better == Better::lower ? Objective::minimise : Objective::maximise);
  ComparedSpace space{encoded(recording), metric, objective};
  gather_figures(recording, space);
  space.predictions.most = request.predictions;
  if (space.metric.origin == Origin::predicted || space.predicted == 0) {
    space.predictions.most = 0;
  }
  return space;
}

/// Leaves of the recording the entries for which the condition, over "pattern" and the parameters,
/// holds. Throws InputError for a condition that fits no entry's names, CommandError where none is
/// left.
void keep_where(Recording& recording, const Expression& condition) {
  Bindings all;  // every name with the first value that an entry has for it
  for (const RecordedEntry& entry : recording.entries) {
    for (const auto& [name, value] : entry.configuration.entries()) {
      if (all.find(name) == nullptr) all.set(name, value);
    }
  }
  Diagnostics diagnostics;
  const auto kind = condition.check(scope_of(all), diagnostics);
  if (!kind) throw InputError(diagnostics);
  if (*kind != ValueKind::boolean) {
    throw InputError(condition.where(),
                     fmt::format("this is {}, not a condition", describe(*kind)));
  }
  std::erase_if(recording.entries, [&](const RecordedEntry& entry) {
    Diagnostics ignored;
    const auto own_kind = condition.check(scope_of(entry.configuration), ignored);
    try {
      return own_kind != ValueKind::boolean || !condition.evaluate_boolean(entry.configuration);
    } catch (const InputError&) {
      return true;
    }
  });
  if (recording.entries.empty()) fail(recording, "--where leaves no configuration of it");
  complete(recording);
}

/// The named strategies, and random, which the others are compared with.
std::vector<std::string> read_strategies(const std::string& text) {
  const std::vector<std::string> known = strategy_names();
  std::vector<std::string> names;
  for (std::string& name : split(text, ',')) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (!is_among(known, name)) {
      throw UsageError("--strategies: there is no strategy '{}'; {}", name,
                       suggest(name, known, "there are"));
    }
    if (!is_among(names, name)) names.push_back(std::move(name));
  }
  if (!is_among(names, "random")) names.emplace_back("random");
  return names;
}

StrategyRequest read_strategy_request(const GivenOptions& given) {
  constexpr std::size_t most_seeds = 100'000;
  StrategyRequest request = {given, given.number("run")};
  if (given.has("minimize")) request.objective = Objective::minimise;
  if (given.has("maximize")) {
    if (request.objective) throw UsageError("--minimize and --maximize exclude each other");
    request.objective = Objective::maximise;
  }
  request.strategies =
      given.has("strategies") ? read_strategies(given.text("strategies")) : strategy_names();
  request.seeds = given.number("seeds", most_seeds).value();
  request.most = given.number("most");
  if (given.has("score") && request.most) {
    throw UsageError("--most: the scores have a budget of their own");
  }
  if (given.has("predictions")) {
    if (given.has("score")) throw UsageError("--predictions: the scores are without predictions");
    request.predictions =
        given.text("predictions") == "off" ? 0 : given.number("predictions").value();
  }
  if (given.has("where")) request.where = read_condition(given.text("where"));
  return request;
}

std::string describe(const Recording& recording, const ComparedSpace& space) {
  const RecordingOrigin& origin = recording.origin;
  std::string text = origin.format;
  for (const std::string& part : {origin.device, origin.kernel, origin.problem_size}) {
    if (!part.empty()) text += ", " + part;
  }
  if (recording.unfinished) text += " (not finished)";
  text += fmt::format(": {} of {}, {} with a figure, {} failed",
                      count_of(recording.entries.size(), "configuration"),
                      count_of(space.rows.parameters().size(), "parameter"),
                      format_thousands(space.sorted.size()), format_thousands(space.failed));
  if (recording.replaced > 0) {
    text += fmt::format("; {} for which there is a later one are left out",
                        count_of(recording.replaced, "result"));
  }
  const bool has_unit = !space.metric.unit.empty() && space.metric.unit != "1";
  const std::string unit = has_unit ? " " + space.metric.unit : "";
  const double median = space.sorted[(space.sorted.size() - 1) / 2];
  text += fmt::format(". {}, {} is better: best {}{}, median {}{}.",
                      display_name(space.metric.name, space.metric.origin),
                      space.objective == Objective::minimise ? "less" : "more",
                      format_figure(cost_of(space.sorted.front(), space.objective)), unit,
                      format_figure(cost_of(median, space.objective)), unit);
  if (space.predictions.most > 0) {
    std::vector<double> costs;
    std::vector<double> predicted;
    for (std::size_t i = 0; i < space.costs.size(); ++i) {
      if (!space.costs[i] || !space.predictions.costs[i]) continue;
      costs.push_back(*space.costs[i]);
      predicted.push_back(*space.predictions.costs[i]);
    }
    text += fmt::format(" {} predicted, with a rank correlation of {:.2f}; a search asks for {}.",
                        format_thousands(predicted.size()), rank_correlation(costs, predicted),
                        format_thousands(std::min(space.predictions.most, space.costs.size())));
  }
  return text;
}

/// A recording and how strategies search it.
struct Contest {
  explicit Contest(const StrategyRequest& request, const std::string& path)
      : recording(read_recording(path, request.run)) {
    if (request.where) keep_where(recording, *request.where);
    space.emplace(compared_space(recording, request));
    // A line on a live terminal says how far it is.
    const bool is_live = !request.given.has("quiet") && terminal_of(STDERR_FILENO).live;
    pace.threads = std::max(1U, std::thread::hardware_concurrency());
    pace.stop = &stop_flag();
    pace.on_progress = [this, is_live, path](std::size_t done, std::size_t all) {
      const std::size_t percent = done * 100 / all;
      if (!is_live || percent == std::exchange(shown, percent)) return;
      line.show_cut(fmt::format("{} %: {}", percent, printable(path)), terminal_of(STDERR_FILENO));
    };
  }

  Recording recording;
  std::optional<ComparedSpace> space;
  ComparisonPace pace;
  PassingLine line;
  std::size_t shown = 100;  ///< percent
};

/// Nothing when it was stopped.
std::optional<StrategyComparison> compare(const StrategyRequest& request, const std::string& file) {
  const Contest contest(request, file);
  const ComparedSpace& space = *contest.space;
  StrategyComparison comparison;
  comparison.file = file;
  comparison.about = describe(contest.recording, space);
  comparison.most = std::min(request.most.value_or(space.costs.size()), space.costs.size());
  comparison.seeds = request.seeds;
  comparison.shares.assign(wanted_shares.begin(), wanted_shares.end());
  const auto add = [&](std::span<const std::string> names, const KnownPredictions& predictions,
                       const std::string& label) {
    for (Standing& standing :
         compare_strategies(space.rows, space.costs, names, comparison.shares, request.seeds,
                            comparison.most, contest.pace, predictions)) {
      standing.strategy += label;
      comparison.standings.push_back(std::move(standing));
    }
  };
  add(request.strategies, {}, "");
  if (space.predictions.most > 0) {
    std::vector<std::string> names = request.strategies;
    std::erase_if(names,
                  [](const std::string& name) { return name == "random" || name == "exhaustive"; });
    KnownPredictions predictions = space.predictions;
    add(names, predictions, " + predictions");
    predictions.are_shuffled = true;
    add(names, predictions, " + shuffled");
  }
  if (stop_flag()) return std::nullopt;
  return comparison;
}

/// The same with P scores.
std::optional<StrategyScores> score(const StrategyRequest& request, const std::string& file) {
  const Contest contest(request, file);
  const ComparedSpace& space = *contest.space;
  std::vector<double> seconds;
  for (const RecordedEntry& entry : contest.recording.entries) {
    if (entry.seconds) seconds.push_back(*entry.seconds);
  }
  if (seconds.size() < space.costs.size()) seconds.clear();
  StrategyScores scores = {file, describe(contest.recording, space),
                           RandomBaseline(space.costs).budget(), request.seeds,
                           score_strategies(space.rows, space.costs, seconds, request.strategies,
                                            request.seeds, contest.pace)};
  if (stop_flag()) return std::nullopt;
  if (scores.scores.empty()) fail(contest.recording, "half of its figures or more are the best");
  return scores;
}

CommandLine compare_strategies_line() {
  CommandLine line("sweep compare-strategies [OPTIONS] FILE...",
                   "Lets the search strategies search recorded results, and shows how many\n"
                   "configurations each tries until it is near the best one. FILE is a results\n"
                   "database, results in the T4 format, or a cache of Kernel Tuner. Needs no GPU.");
  line.option("run", "N", "the run of a results database; by default the one of most points");
  line.option("metric", "METRIC",
              "what the configurations are compared by; by default what the file names as its "
              "objective, or the time");
  line.flag("minimize", "less of the metric is better");
  line.flag("maximize", "more of the metric is better");
  line.option("seeds", "N", "how often each strategy searches, each time from another seed", "100");
  line.option("strategies", "STRATEGIES",
              "names with commas between; by default all. Random is always among them");
  line.flag("score",
            "show P scores instead: 1 finds the best at once, 0 is as fast as random search is "
            "expected to be (sweep help strategies)");
  line.option("most", "N", "end a search after so many configurations; by default it may try all");
  line.option("where", "CONDITION",
              "only the configurations for which it holds, for example \"pattern == 'copy'\"");
  line.option("predictions", "N",
              "where a recording has predictions: how many configurations a search has predicted "
              "first (default 128; off for none). Strategies are compared without them, with them, "
              "and with predictions that are shuffled");
  line.flag("quiet,q", "show no progress");
  line.option("output,o", "DIR", "write strategies.md and strategies.csv there too");
  line.operands(
      {"RECORDING..."}, 1,
      "compare strategies on what? for example: sweep compare-strategies results/copy.db");
  return line;
}

/// Shows what `judge` says of all recordings, and writes it where that is asked for.
template <class Judgement>
int show(const StrategyRequest& request, const std::filesystem::path& output,
         std::optional<Judgement> (*judge)(const StrategyRequest&, const std::string&),
         std::string (*write_terminal)(std::span<const Judgement>, std::size_t, bool),
         std::string (*write_markdown)(std::span<const Judgement>),
         std::string (*write_csv)(std::span<const Judgement>)) {
  std::vector<Judgement> all;
  for (const std::string& file : request.given.operands()) {
    auto judgement = judge(request, file);
    if (!judgement) {
      std::cerr << "Stopped.\n";
      return stopped_exit_code();
    }
    all.push_back(std::move(*judgement));
  }
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  std::cout << write_terminal(all, terminal.width, terminal.color);
  if (request.given.has("output")) {
    write_output_file(output / "strategies.md", write_markdown(all));
    write_output_file(output / "strategies.csv", write_csv(all));
  }
  return exit_done;
}

int compare_strategies_main(const GivenOptions& given) {
  const StrategyRequest request = read_strategy_request(given);
  const std::filesystem::path output = given.text("output");
  if (given.has("output")) make_output_folder(output);
  return given.has("score") ? show(request, output, score, write_scores_terminal,
                                   write_scores_markdown, write_scores_csv)
                            : show(request, output, compare, write_strategies_terminal,
                                   write_strategies_markdown, write_strategies_csv);
}

}  // namespace

const Command compare_strategies_command = {
    "compare-strategies", "let the strategies search recorded results; needs no GPU",
    compare_strategies_line, compare_strategies_main};

}  // namespace sweep
