#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/options/operands.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/shared_options.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/compare/comparison_words.h"
#include "report/compare/html_comparison.h"
#include "report/compare/json_comparison.h"
#include "report/compare/markdown_comparison.h"
#include "report/compare/run_comparison.h"
#include "report/compare/terminal_comparison.h"
#include "report/display_text.h"

namespace sweep {
namespace {

using Words = std::vector<std::string>;

constexpr const char* about_comparing =
    "Tells what got slower or faster from run A to run B, by pattern and parameters.\n"
    "A and B are databases (their newest runs), FILE.db:RUN, or names of sweeps; with\n"
    "one of them B is that run, and A the one before it in the same database\n"
    "('sweep list runs FILE.db' shows the runs). Timed runs are compared by their\n"
    "speed, others by what the emulator counted. B is slower, or worse, where the\n"
    "95 % interval of B / A lies wholly beyond the threshold. Exit code: 3 when\n"
    "anything got worse or fails that did not, else 0.";

struct CompareOptions {
  RunOperand before;
  RunOperand after;
  bool is_one_database = false;  ///< A is the run before B
  ComparisonRequest request;
  std::string format;
  std::optional<std::filesystem::path> output;
  ComparedRows shown = ComparedRows::changed;
};

void add_comparison_options(CommandLine& line) {
  line.repeatable("metric", "METRICS",
                  "what to compare: time, load_sectors.emulated, or\n"
                  "load_sectors.emulated/hardware (A's, B's); NAME:lower or NAME:higher says which "
                  "is better");
  line.option("threshold", "PERCENT",
              "changes of up to so much are none; 5 unless given, and 0 for the emulator's counts");
  line.repeatable("where", "CONDITION",
                  "only configurations for which it holds: 'T == float && STRIDE <= 8'");
  line.repeatable("ignore", "NAMES", "parameters that may differ in a configuration");
  line.repeatable("rename", "OLD=NEW", "a pattern or parameter of A that B calls NEW");
  line.flag("all", "show unchanged configurations too (text)");
  line.option("format", "text|md|html|json",
              "a table, Markdown, a page, or everything for programs", "text");
  add_output_option(line);
  line.operands({"DATABASE", "DATABASE"}, 1,
                "compare what? for example: sweep compare before.db after.db, or sweep compare "
                "results/stride.db for its two newest runs");
}

/// The words of an option that may be given several times, or with commas.
Words listed_words(const GivenOptions& given, const char* option) {
  Words words;
  for (const std::string& list : given.all(option)) {
    for (std::size_t from = 0; from <= list.size();) {
      const std::size_t to = std::min(list.find(',', from), list.size());
      std::string word = list.substr(from, to - from);
      std::erase(word, ' ');
      if (word.empty()) throw UsageError(fmt::format("--{} {}: a name is missing", option, list));
      words.push_back(std::move(word));
      from = to + 1;
    }
  }
  return words;
}

double read_threshold(std::string text) {
  const std::string given = text;
  std::erase(text, '%');
  const auto number = parse_decimal(text);
  if (!number || *number < 0) {
    throw UsageError(
        fmt::format("--threshold {}: write a share in percent, for example 2.5", given));
  }
  return *number / 100;
}

Renamed read_renamed(const std::string& text) {
  const std::size_t place = text.find('=');
  if (place == std::string::npos || place == 0 || place + 1 == text.size()) {
    throw UsageError(fmt::format("--rename {}: write OLD=NEW", text));
  }
  return {text.substr(0, place), text.substr(place + 1)};
}

ComparisonRequest read_comparison(const GivenOptions& given) {
  ComparisonRequest request;
  for (const std::string& word : listed_words(given, "metric")) {
    try {
      request.metrics.push_back(read_metric_request(word));
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--metric {}: {}", word, error.what()));
    }
  }
  if (given.has("threshold")) {
    request.threshold = read_threshold(given.text("threshold"));
  }
  for (const std::string& text : given.all("where")) {
    request.match.where.push_back(read_condition(text));
  }
  request.match.ignored = listed_words(given, "ignore");
  for (const std::string& word : listed_words(given, "rename")) {
    request.match.renamed.push_back(read_renamed(word));
  }
  return request;
}

CompareOptions read_compare_options(const GivenOptions& given) {
  const Words& runs = given.operands();
  CompareOptions options;
  for (const std::string& run : runs) check_operand("compare", Operand::database, run);
  options.is_one_database = runs.size() == 1;
  options.before = read_run_operand(runs.front());
  options.after = read_run_operand(runs.back());
  options.request = read_comparison(given);
  options.format = given.text("format");
  options.output = given_output(given);
  if (given.has("all")) options.shown = ComparedRows::all;
  if (options.shown == ComparedRows::all && options.format != "text") {
    throw UsageError("--all: only --format text leaves out what did not change");
  }
  return options;
}

ComparedRun load_run(const Store& store, std::optional<std::int64_t> run) {
  ComparedRun loaded;
  loaded.results = load_results(store, run);
  loaded.label = fmt::format("{}:{}", store.path().string(), loaded.results.run.id);
  return loaded;
}

/// The run before B's.
std::int64_t earlier_run(const Store& store, std::int64_t after) {
  std::optional<std::int64_t> earlier;
  for (const RunRecord& run : store.runs()) {
    if (run.id < after) earlier = run.id;
  }
  if (earlier) return *earlier;
  throw CommandError(exit_no_input,
                     fmt::format("the file '{}' has no run before run {}: name two databases, or "
                                 "measure again with sweep run --fresh",
                                 store.path().string(), after));
}

RunComparison compare(const CompareOptions& options) {
  const Store after(options.after.database, Store::Mode::read_only);
  ComparedRun b = load_run(after, options.after.run);
  if (options.is_one_database) {
    ComparedRun a = load_run(after, earlier_run(after, b.results.run.id));
    return compare_runs(std::move(a), std::move(b), options.request);
  }
  const Store before(options.before.database, Store::Mode::read_only);
  return compare_runs(load_run(before, options.before.run), std::move(b), options.request);
}

std::string write(const RunComparison& comparison, const CompareOptions& options) {
  if (options.format == "md") return write_comparison_markdown(comparison);
  if (options.format == "html") return write_comparison_html(comparison);
  if (options.format == "json") return write_comparison_json(comparison);
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  const std::size_t width = options.output ? file_width : terminal.width_or(file_width);
  return write_comparison_terminal(comparison, width, terminal.color && !options.output,
                                   options.shown);
}

}  // namespace

CommandLine compare_line() {
  CommandLine line("sweep compare [OPTIONS] A [B]", about_comparing);
  add_comparison_options(line);
  return line;
}

int compare_command(const GivenOptions& given) {
  const CompareOptions options = read_compare_options(given);
  try {
    const RunComparison comparison = compare(options);
    const std::string text = write(comparison, options);
    write_result(options.output, text);
    if (options.output) std::cerr << printable(describe_verdict(comparison)) << '\n';
    return has_regression(comparison) ? exit_regression : exit_done;
  } catch (const ComparisonError& error) {
    throw CommandError(exit_bad_input, error.what());
  }
}

}  // namespace sweep
