#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <thread>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/compared_space.h"
#include "engine/cli/condition_option.h"
#include "engine/cli/find_database.h"
#include "engine/cli/live_line.h"
#include "engine/cli/number_option.h"
#include "engine/cli/output_file.h"
#include "engine/cli/quiet_option.h"
#include "engine/cli/stop_signal.h"
#include "engine/cli/strategy_tables.h"
#include "engine/cli/terminal.h"
#include "engine/recording/read_recording.h"
#include "engine/search/strategy.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

/// Of the best figure.
constexpr std::array wanted_shares = {0.95, 0.99};

struct StrategyRequest {
  std::vector<std::string> files;
  std::optional<std::int64_t> run;
  ComparedBy by;
  std::vector<std::string> strategies;
  std::size_t seeds = 100;
  std::optional<std::size_t> most;
  std::optional<Expression> where;
  std::optional<fs::path> output;
  bool quiet = false;  ///< without progress
};

void add_strategy_options(CommandLine& line) {
  line.options()("run", po::value<std::string>()->value_name("N"),
                 "the run of a results database; by default the one of most points");
  line.options()("metric", po::value<std::string>()->value_name("METRIC"),
                 "what the configurations are compared by; by default what the file names as its "
                 "objective, or the time");
  line.options()("minimize", "less of the metric is better");
  line.options()("maximize", "more of the metric is better");
  line.options()("seeds", po::value<std::string>()->default_value("100")->value_name("N"),
                 "how often each strategy searches, each time from another seed");
  line.options()("strategies", po::value<std::string>()->value_name("STRATEGIES"),
                 "names with commas between; by default all. Random is always among them");
  line.options()("most", po::value<std::string>()->value_name("N"),
                 "end a search after so many configurations; by default it may try all");
  line.options()("where", po::value<std::string>()->value_name("CONDITION"),
                 "only the configurations for which it holds, for example \"pattern == 'copy'\"");
  line.options()("features", po::value<std::string>()->default_value("off")->value_name("on|off"),
                 "whether strategies know the emulator's counts of a configuration before they try "
                 "it, where a database has them");
  add_quiet_option(line, "show no progress");
  line.options()("output,o", po::value<std::string>()->value_name("DIR"),
                 "write strategies.md and strategies.csv there too");
  line.operands("file", -1, {"RECORDING"});
}

/// The named strategies, and random, which the others are compared with.
std::vector<std::string> read_strategies(const std::string& text) {
  const std::vector<std::string> known = strategy_names();
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string name = text.substr(begin, end - begin);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (std::ranges::find(known, name) == known.end()) {
      throw UsageError(fmt::format("--strategies: there is no strategy '{}'; {}", name,
                                   suggest(name, known, "there are")));
    }
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    begin = end + 1;
  }
  if (std::ranges::find(names, "random") == names.end()) names.emplace_back("random");
  return names;
}

std::optional<Objective> read_objective(const po::variables_map& values) {
  const bool minimise = values.count("minimize") != 0;
  const bool maximise = values.count("maximize") != 0;
  if (minimise && maximise) throw UsageError("--minimize and --maximize exclude each other");
  if (minimise) return Objective::minimise;
  return maximise ? std::optional(Objective::maximise) : std::nullopt;
}

std::optional<StrategyRequest> read_strategy_request(const Arguments& arguments) {
  constexpr std::size_t most_seeds = 100'000;
  constexpr std::size_t largest = 1'000'000'000;
  const auto values = compare_strategies_line().parse(arguments);
  if (!values) return std::nullopt;
  if (values->count("file") == 0) {
    throw UsageError(
        "compare strategies on what? for example: sweep compare-strategies results/copy.db");
  }
  StrategyRequest request;
  request.files = (*values)["file"].as<std::vector<std::string>>();
  request.run = given_run(*values);
  if (values->count("metric") != 0) request.by.metric = (*values)["metric"].as<std::string>();
  request.by.objective = read_objective(*values);
  const auto features = (*values)["features"].as<std::string>();
  if (features != "on" && features != "off") {
    throw UsageError(fmt::format("--features {}: write on or off", features));
  }
  request.by.features = features == "on";
  request.strategies = values->count("strategies") != 0
                           ? read_strategies((*values)["strategies"].as<std::string>())
                           : strategy_names();
  request.seeds = read_whole_number("seeds", (*values)["seeds"].as<std::string>(), most_seeds);
  if (values->count("most") != 0) {
    request.most = read_whole_number("most", (*values)["most"].as<std::string>(), largest);
  }
  if (values->count("where") != 0) {
    request.where = read_condition((*values)["where"].as<std::string>());
  }
  request.quiet = is_quiet(*values);
  if (values->count("output") != 0) request.output = (*values)["output"].as<std::string>();
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
                      count_of(space.encoded.parameters.size(), "parameter"),
                      format_thousands(space.with_figure), format_thousands(space.failed));
  if (recording.replaced > 0) {
    text += fmt::format("; {} for which there is a later one are left out",
                        count_of(recording.replaced, "result"));
  }
  const std::string unit = space.metric.unit.empty() || space.metric.unit == "1"
                               ? std::string()
                               : " " + space.metric.unit;
  text += fmt::format(". {}, {} is better: best {}{}, median {}{}.",
                      display_name(space.metric.name, space.metric.origin),
                      space.objective == Objective::minimise ? "less" : "more",
                      format_figure(space.best), unit, format_figure(space.median), unit);
  if (const std::size_t features = space.encoded.space.feature_count(); features > 0) {
    text += fmt::format(" Known beforehand: {} of the emulator.", count_of(features, "count"));
  }
  return text;
}

/// A line on a live terminal that says how far a comparison is.
class ComparisonProgress {
 public:
  ComparisonProgress(const std::string& file, bool quiet)
      : file_(printable(file)), live_(!quiet && terminal_of(STDERR_FILENO).live) {}
  ~ComparisonProgress() { line_.clear(); }
  ComparisonProgress(const ComparisonProgress&) = delete;
  ComparisonProgress& operator=(const ComparisonProgress&) = delete;

  void show(std::size_t done, std::size_t all) {
    const std::size_t percent = done * 100 / all;
    if (!live_ || percent == shown_) return;
    shown_ = percent;
    const Terminal terminal = terminal_of(STDERR_FILENO);
    const std::size_t width = terminal.width - std::min<std::size_t>(terminal.width, 1);
    line_.show(cut_to_width(fmt::format("{} %: {}", percent, file_), width, terminal.unicode),
               terminal.width);
  }

 private:
  LiveLine line_;
  std::string file_;
  bool live_;
  std::size_t shown_ = 100;
};

/// Nothing when it was stopped.
std::optional<StrategyComparison> compare(const StrategyRequest& request, const std::string& file) {
  Recording recording = read_recording(file, request.run);
  if (request.where) keep_where(recording, *request.where);
  const ComparedSpace space = compared_space(recording, request.by);
  StrategyComparison comparison;
  comparison.file = file;
  comparison.about = describe(recording, space);
  comparison.most = std::min(request.most.value_or(space.costs.size()), space.costs.size());
  comparison.seeds = request.seeds;
  comparison.shares.assign(wanted_shares.begin(), wanted_shares.end());
  ComparisonProgress progress(file, request.quiet);
  ComparisonPace pace;
  pace.threads = std::max(1U, std::thread::hardware_concurrency());
  pace.stop = &stop_flag();
  pace.on_progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
  comparison.standings =
      compare_strategies(space.encoded.space, space.costs, request.strategies, comparison.shares,
                         request.seeds, comparison.most, pace);
  if (stop_flag()) return std::nullopt;
  return comparison;
}

}  // namespace

CommandLine compare_strategies_line() {
  CommandLine line("sweep compare-strategies [OPTIONS] FILE...",
                   "Lets the search strategies search recorded results, and shows how many\n"
                   "configurations each tries until it is near the best one. FILE is a results\n"
                   "database, results in the T4 format, or a cache of Kernel Tuner. Needs no GPU.");
  add_strategy_options(line);
  return line;
}

int compare_strategies_command(const Arguments& arguments) {
  const auto request = read_strategy_request(arguments);
  if (!request) return exit_done;
  if (request->output) make_output_folder(*request->output);
  std::vector<StrategyComparison> comparisons;
  for (const std::string& file : request->files) {
    auto comparison = compare(*request, file);
    if (!comparison) {
      std::cerr << "Stopped.\n";
      return stopped_exit_code();
    }
    comparisons.push_back(std::move(*comparison));
  }
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  std::cout << write_strategies_terminal(comparisons, terminal.width, terminal.color);
  if (request->output) {
    write_output_file(*request->output / "strategies.md", write_strategies_markdown(comparisons));
    write_output_file(*request->output / "strategies.csv", write_strategies_csv(comparisons));
  }
  return exit_done;
}

}  // namespace sweep
