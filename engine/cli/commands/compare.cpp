#include <algorithm>
#include <iostream>
#include <map>

#include "engine/cli/commands.h"
#include "engine/cli/commands/compare_counters.h"
#include "engine/cli/commands/compare_versions.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/compare/run_comparison.h"
#include "report/compare/version_causes.h"
#include "report/display_text.h"

namespace sweep {
namespace {

ComparisonRequest read_comparison(const GivenOptions& given) {
  ComparisonRequest request;
  for (const std::string& word : given.listed("metric")) {
    try {
      request.metrics.push_back(read_metric_request(word));
    } catch (const std::invalid_argument& error) {
      throw UsageError("--metric {}: {}", word, error.what());
    }
  }
  if (std::string text = given.text("threshold"); given.has("threshold")) {
    std::erase(text, '%');
    const auto number = parse_decimal(text);
    if (!number || *number < 0) {
      throw UsageError("--threshold {}: write a share in percent, for example 2.5",
                       given.text("threshold"));
    }
    request.threshold = *number / 100;
  }
  for (const std::string& text : given.all("where")) {
    request.where.push_back(read_condition(text));
  }
  request.ignored = given.listed("ignore");
  for (const std::string& word : given.listed("rename")) {
    const std::size_t place = word.find('=');
    if (place == std::string::npos || place == 0 || place + 1 == word.size()) {
      throw UsageError("--rename {}: write OLD=NEW", word);
    }
    request.renamed.push_back({word.substr(0, place), word.substr(place + 1)});
  }
  return request;
}

ComparedRun load_run(const Store& store, std::optional<std::int64_t> run) {
  ComparedRun loaded;
  loaded.results = load_results(store, run);
  loaded.label = fmt::format("{}:{}", store.path().string(), loaded.results.run.id);
  return loaded;
}

/// Whether the operands are versions of a pattern. Throws UsageError where they do not go together.
bool are_versions(const GivenOptions& given) {
  const std::vector<std::string>& operands = given.operands();
  if (std::ranges::none_of(operands, is_version)) {
    if (operands.size() > 2) {
      throw UsageError("too many arguments: two runs are compared, or two versions of a pattern");
    }
    refuse_version_options(given);
    return false;
  }
  if (operands.size() > 1 && is_version(operands[0]) && is_version(operands[1])) {
    if (operands.size() > 2) check_operand("compare", Operand::sweep, operands[2]);
    return true;
  }
  throw UsageError(
      "two versions of a pattern are compared: sweep compare old/x.cu new/x.cu [SWEEP.yaml]; one "
      "out of git: git show HEAD~1:patterns/x.cu > /tmp/x.cu");
}

/// Run A may be the one before B.
RunComparison compare(const GivenOptions& given) {
  if (are_versions(given)) return compare_versions(given, read_comparison(given));
  const std::vector<std::string>& runs = given.operands();
  for (const std::string& run : runs) check_operand("compare", Operand::database, run);
  const RunOperand before = read_run_operand(runs.front());
  const RunOperand after = read_run_operand(runs.back());
  const ComparisonRequest request = read_comparison(given);
  const Store store(after.database, Store::Mode::read_only);
  ComparedRun b = load_run(store, after.run);
  if (runs.size() > 1) {
    const Store store_before(before.database, Store::Mode::read_only);
    return compare_runs(load_run(store_before, before.run), std::move(b), request);
  }
  std::optional<std::int64_t> earlier;
  for (const RunRecord& run : store.runs()) {
    const RunRecord& newer = b.results.run;
    if (run.id < newer.id && !newer.was_merged_from(run.id)) earlier = run.id;
  }
  if (!earlier) {
    throw CommandError(exit_no_input,
                       "the file '{}' has no run before run {}: name two databases, or measure "
                       "again with sweep run --fresh",
                       store.path().string(), b.results.run.id);
  }
  return compare_runs(load_run(store, earlier), std::move(b), request);
}

/// The file of a pattern that is among the repository's, by its name; empty where none is.
std::string pattern_file(const std::string& pattern, const GivenOptions& given) {
  const std::filesystem::path file = pattern_library(given_folders(given)).find(pattern);
  return file.empty() ? std::string() : file.string();
}

/// For each pattern that got worse a message at its file: of a version at its first changed line
/// that has a cost.
std::vector<Diagnostic> regressions_of(const RunComparison& comparison, const GivenOptions& given) {
  constexpr std::size_t most = 10;
  std::map<std::string, std::vector<std::string>> worse;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.status != PairStatus::failed_after) continue;
    worse[each.pattern].push_back(
        fmt::format("{}: fails: {}", describe(each, comparison.parameters), each.reason));
  }
  for (const ComparisonRow& row : changed_rows(comparison)) {
    if (row.change->change != Change::worse || !row.metric->judges) continue;
    worse[row.configuration->pattern].push_back(
        fmt::format("{}: {}: {}, {}", describe(*row.configuration, comparison.parameters),
                    heading_of(*row.metric), describe_change(*row.change, *row.metric),
                    describe_ratio(row.change->ratio)));
  }
  std::vector<Diagnostic> messages;
  for (const auto& [pattern, lines] : worse) {
    Diagnostic& message = messages.emplace_back();
    message.message = fmt::format("{}: worse than {}:", pattern, comparison.before.label);
    for (const ListItem& item :
         list_first(lines, most, [](const auto& each) { return each; }).items)
      message.message += "\n  " + item.text;
    Source source = {comparison.causes ? comparison.after.label : pattern_file(pattern, given), {}};
    if (comparison.causes) {
      for (const ChangedFile& file : comparison.causes->files) {
        if (file.after != source.name) continue;
        const ChangedLine* told = nullptr;
        for (const ChangedLine& line : file.lines) {
          const bool has_costs = !line.costs_after.empty();
          const bool tells_more = told == nullptr || (told->costs_after.empty() && has_costs);
          if (line.after > 0 && tells_more) told = &line;
        }
        if (told != nullptr) message.where.line = told->after;
      }
    }
    message.where.source = std::make_shared<Source>(std::move(source));
  }
  return messages;
}

std::string write(const RunComparison& comparison, const std::string& format, bool is_for_file,
                  ComparedRows shown) {
  if (format == "md") return write_comparison_markdown(comparison);
  if (format == "html") return write_comparison_html(comparison);
  if (format == "json") return write_comparison_json(comparison);
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  const std::size_t width = is_for_file ? file_width : terminal.width_or(file_width);
  return write_comparison_terminal(comparison, width, terminal.color && !is_for_file, shown);
}

CommandLine compare_line() {
  CommandLine line(
      "sweep compare [OPTIONS] A [B] [SWEEP]",
      "Tells what got slower or faster from A to B: two runs, or two versions of a\n"
      "pattern.\n"
      "A.cu and B.cu are measured in turn, at their defaults and the values of --set,\n"
      "or over the points of SWEEP. It says which is faster, by how much, and why: the\n"
      "counts that differ, and the lines that changed with what each costs. Without a\n"
      "GPU counts alone are compared. A version out of git:\n"
      "  git show HEAD~1:patterns/x.cu > /tmp/x.cu\n"
      "  sweep compare /tmp/x.cu patterns/x.cu --set STRIDE=1,8\n"
      "Of runs, configurations are matched by pattern and parameters.\n"
      "A and B are databases (their newest runs), FILE.db:RUN, or names of sweeps; with\n"
      "one of them B is that run, and A the one before it in the same database\n"
      "('sweep list runs FILE.db' shows the runs). Timed runs are compared by their\n"
      "speed, others by what the emulator counted. B is slower, or worse, where the\n"
      "95 % interval of B / A lies wholly beyond the threshold. With a .csv file of\n"
      "Nsight Compute (ncu --csv --page raw) its counters are held against what the\n"
      "emulator counted in a run. Exit code: 3 when anything got worse, fails that did\n"
      "not, or disagrees, else 0.");
  line.repeatable("metric", "METRICS",
                  "what to compare: time, load_sectors.emulated, or\n"
                  "load_sectors.emulated/hardware (A's, B's); NAME:lower or NAME:higher says which "
                  "is better");
  line.option(
      "threshold", "PERCENT",
      "changes of up to so much are none; 5 unless given, 1 for\ntimes of two versions, and 0 "
      "for the emulator's counts");
  line.repeatable("where", "CONDITION",
                  "only configurations for which it holds: 'T == float && STRIDE <= 8'");
  line.repeatable("ignore", "NAMES", "of runs: parameters that may differ in a configuration");
  line.repeatable("rename", "OLD=NEW", "of runs: a pattern or parameter of A that B calls NEW");
  line.flag("all", "show unchanged configurations too (text)");
  line.option("format", "text|md|html|json|github",
              "a table, Markdown, a page, everything for programs, or annotations of GitHub "
              "Actions for what got worse and Markdown for the summary of the step",
              "text");
  add_output_option(line);
  add_version_options(line);
  line.operands({"COMPARED", "COMPARED", "SWEEP"}, 1,
                "compare what? for example: sweep compare before.db after.db, or sweep compare "
                "results/stride.db for its two newest runs");
  return line;
}

int compare_main(const GivenOptions& given) {
  const std::string format = given.text("format");
  const auto output = given_output(given);
  const ComparedRows shown = given.has("all") ? ComparedRows::all : ComparedRows::changed;
  if (shown == ComparedRows::all && format != "text") {
    throw UsageError("--all: only --format text leaves out what did not change");
  }
  try {
    if (std::ranges::any_of(given.operands(), is_counter_file)) {
      refuse_version_options(given);
      return compare_with_counters(given, read_comparison(given).where);
    }
    const RunComparison comparison = compare(given);
    if (format == "github") {
      write_for_github(regressions_of(comparison, given), "sweep compare",
                       write_comparison_markdown(comparison), output);
    } else {
      write_result(output, write(comparison, format, output.has_value(), shown));
    }
    if (output) std::cerr << printable(describe_verdict(comparison)) << '\n';
    const int code = has_regression(comparison) ? exit_regression : exit_done;
    if (!comparison.causes) return code;
    return code_after_watching(stop_flag() ? stopped_exit_code() : code);
  } catch (const ComparisonError& error) {
    throw CommandError(exit_bad_input, error.what());
  }
}

}  // namespace

const Command compare_command = {"compare", "tell what got slower or faster between two runs",
                                 compare_line, compare_main};

}  // namespace sweep
