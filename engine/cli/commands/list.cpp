#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/cli/commands.h"
#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/spec/keys.h"
#include "engine/spec/metric.h"
#include "engine/spec/pattern_header.h"
#include "engine/spec/value_words.h"
#include "engine/store/store.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"
#include "engine/text/yaml.h"
#include "report/display_text.h"
#include "report/document.h"
#include "report/findings.h"

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::string>;

/// The columns of a terminal; elsewhere lines stay whole, for programs that read them.
std::size_t line_width() {
  return terminal_of(STDOUT_FILENO).width_or(unbroken);
}

/// Whole lines: what stands in the first `column` columns, and beside it a text whose lines begin
/// under each other. Below 20 columns it is not squeezed.
std::string beside(std::string_view name, std::string_view text, std::size_t column) {
  constexpr std::size_t narrowest = 20;
  const std::size_t width = line_width();
  const std::size_t rest = width > column + narrowest ? width - column : narrowest;
  return fmt::format("{}{}\n", pad_right(name, column),
                     fmt::join(wrap(text, rest), fmt::format("\n{:{}}", "", column)));
}

std::string joined(const Cells& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

void print_json(const Json& document) {
  constexpr int indent = 2;
  std::cout << document.dump(indent) << '\n';
}

void print_names(const Cells& names) {
  for (const std::string& name : names) std::cout << name << '\n';
}

// What there is to say about metrics: unit, where they come from, which direction is better, what
// they mean, nvprof's name, and the hardware's counters behind them.

Cells origin_words(const MetricDefinition& metric) {
  Cells words;
  for (const Origin origin : metric.origins) words.emplace_back(to_string(origin));
  return words;
}

/// "higher", "lower", or empty where neither is better.
std::string better_word(Better better) {
  return better == Better::neither ? "" : std::string(to_string(better));
}

constexpr const char* about_origins =
    "measured: timed on the GPU. hardware: counted by the GPU where a sweep or --counters asks for "
    "it. emulated: counted by the emulator, with a GPU too. 'sweep show metric NAME' shows the "
    "counters behind one.";

constexpr const char* about_sets =
    "Sets of hardware counters, for measure: {counters: memory}; single metrics of them and "
    "counters by NVIDIA's names can stand there too:";

/// "load_sectors [1]: hardware, emulated; lower is better", and below it what it means, by group;
/// then the sets of counters.
void print_metrics_text() {
  constexpr std::size_t margin = 2;
  constexpr std::size_t step = 4;
  constexpr std::size_t set_column = 14;
  std::cout << beside("", about_origins, 0);
  for (const MetricGroup& group : metric_groups()) {
    std::cout << '\n' << group.name << '\n';
    for (const MetricDefinition& metric : group.metrics) {
      const std::string better = better_word(metric.better);
      const std::string head =
          fmt::format("{} [{}]: {}{}", metric.name, metric.unit, joined(origin_words(metric)),
                      better.empty() ? "" : "; " + better + " is better");
      const std::string nvprof =
          metric.old_name.empty() ? "" : fmt::format(" (nvprof: {})", metric.old_name);
      std::cout << beside("", head, margin) << beside("", metric.meaning + nvprof, margin + step);
    }
  }
  std::cout << '\n' << beside("", about_sets, 0);
  for (const CounterSet& set : counter_sets()) {
    std::cout << beside(set.name, set.meaning + ": " + joined(set.metrics), set_column);
  }
}

/// Of a sweep: its own and its patterns'.
void print_own_metrics(const std::string& format) {
  const std::vector<const MetricDefinition*> own = own_metric_definitions();
  Json list = Json::array();
  for (const MetricDefinition* metric : own) {
    const std::string better = better_word(metric->better);
    if (format == "names") std::cout << metric->name << '\n';
    if (format == "text") {
      std::cout << fmt::format("{} [{}]: {}{}\n", metric->name, metric->unit,
                               joined(origin_words(*metric)),
                               better.empty() ? "" : "; " + better + " is better")
                << beside("", metric->meaning, 4);
    }
    list.push_back({{"name", metric->name},
                    {"unit", metric->unit},
                    {"origins", origin_words(*metric)},
                    {"meaning", metric->meaning},
                    {"better", better.empty() ? Json(nullptr) : Json(better)}});
  }
  if (format == "json") print_json({{"metrics", std::move(list)}});
  if (format == "text" && own.empty()) {
    std::cout << "neither the sweep nor its patterns have metrics of their own\n";
  }
}

void print_metric(const MetricDefinition& metric) {
  constexpr std::size_t column = 12;
  Cells sets;
  for (const CounterSet& set : counter_sets()) {
    if (!metric.counters.empty() && is_among(set.metrics, metric.name)) sets.push_back(set.name);
  }
  std::cout << fmt::format("{} [{}]\n", metric.name, metric.unit) << beside("", metric.meaning, 0)
            << '\n';
  const std::initializer_list<std::pair<std::string_view, std::string>> lines = {
      {"group", std::string(metric.group)},   {"origins", joined(origin_words(metric))},
      {"better", better_word(metric.better)}, {"nvprof", metric.old_name},
      {"counters", metric.counters},          {"sets", joined(sets)}};
  for (const auto& [what, value] : lines) {
    if (what == "sets" ? !metric.counters.empty() : !value.empty()) {
      std::cout << beside(what, value, column);
    }
  }
}

std::string metric_page() {
  std::string page = fmt::format(
      "# Metrics\n\n{}\n\n`sweep list metrics --format md` writes this page.\n", about_origins);
  for (const MetricGroup& group : metric_groups()) {
    std::vector<Cells> rows;
    for (const MetricDefinition& metric : group.metrics) {
      rows.push_back({escape_markdown(metric.name), metric.unit, joined(origin_words(metric)),
                      better_word(metric.better), escape_markdown(metric.meaning),
                      escape_markdown(metric.old_name), escape_markdown(metric.counters)});
    }
    page += fmt::format("\n## {}\n\n", group.name);
    page += markdown_table({"metric", "unit", "origins", "better", "meaning", "nvprof", "counters"},
                           rows);
  }
  page += fmt::format("\n## Sets of counters\n\n{}\n\n", escape_markdown(about_sets));
  std::vector<Cells> rows;
  for (const CounterSet& set : counter_sets()) {
    rows.push_back({set.name, escape_markdown(set.meaning), escape_markdown(joined(set.metrics))});
  }
  return page + markdown_table({"set", "meaning", "metrics"}, rows);
}

void print_metrics_json() {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  Json metrics = Json::array();
  for (const MetricDefinition& metric : metric_definitions()) {
    metrics.push_back({{"name", metric.name},
                       {"unit", metric.unit},
                       {"group", std::string(metric.group)},
                       {"origins", origin_words(metric)},
                       {"meaning", metric.meaning},
                       {"better", text_or_null(better_word(metric.better))},
                       {"nvprof", text_or_null(metric.old_name)},
                       {"counters", text_or_null(metric.counters)}});
  }
  Json sets = Json::array();
  for (const CounterSet& set : counter_sets()) {
    sets.push_back({{"name", set.name}, {"meaning", set.meaning}, {"metrics", set.metrics}});
  }
  print_json({{"metrics", std::move(metrics)}, {"counter_sets", std::move(sets)}});
}

/// The runs that a results database holds, one a line, oldest first.
void print_runs(const std::string& database) {
  const Store store(find_database(database), Store::Mode::read_only);
  TableModel table;
  table.key_columns = {{"run", true},    {"started", false}, {"state", false},
                       {"points", true}, {"failed", true},   {"device", false}};
  table.remark_heading = "command";
  for (const RunRecord& run : store.runs()) {
    const PointCounts counts = store.count_points(run.id);
    std::string state = "not finished";
    if (run.state == RunState::finished) state = "finished";
    if (run.state == RunState::interrupted) state = "interrupted";
    table.rows.push_back({{std::to_string(run.id), readable_time(run.started), state,
                           format_thousands(counts.points), format_thousands(counts.failed),
                           run.provenance.device.name},
                          {},
                          run.provenance.command});
  }
  std::cout << terminal_table(table, line_width(), terminal_of(STDOUT_FILENO).color);
}

constexpr const char* introduction =
    "# Patterns\n\n"
    "A pattern is a CUDA kernel in a text file whose header says what its parameters and buffers "
    "are and how its result is checked. `sweep explain NAME` shows what each line of a pattern "
    "costs, `sweep show pattern NAME` prints its file, and a sweep measures it over values of its "
    "parameters (`sweep list sweeps` says which there are). Each family below is about one way in "
    "which memory is fast or slow.\n\n"
    "`sweep list patterns --format md` writes this page.\n";

/// Every line of the text, which YAML has joined within paragraphs, as a paragraph.
std::string help_paragraphs(const std::string& text) {
  std::string result;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
    if (begin < line.size()) result += '\n' + escape_markdown(line.substr(begin)) + '\n';
  }
  return result;
}

/// With a binary unit where that is easier to read: "64 Mi", but "1024".
std::string bound(std::int64_t value) {
  constexpr std::int64_t large = 64 * Ki;
  return value >= large ? format_count(value) : std::to_string(value);
}

std::string range_cell(const Parameter& parameter) {
  if (parameter.kind == ValueKind::boolean) return "true or false";
  if (parameter.kind == ValueKind::element) return "an element type";
  if (parameter.kind == ValueKind::word) return "a place";
  if (parameter.min && parameter.max) {
    return fmt::format("{} to {}", bound(*parameter.min), bound(*parameter.max));
  }
  if (parameter.min) return fmt::format("at least {}", bound(*parameter.min));
  if (parameter.max) return fmt::format("at most {}", bound(*parameter.max));
  return "any integer";
}

std::string pattern_section(const Pattern& pattern) {
  const std::string file = pattern.name + ".cu";
  std::string section = fmt::format("\n### [{}]({})\n", escape_markdown(file), file);
  section += help_paragraphs(pattern.help);
  std::vector<Cells> rows;
  for (const Parameter& parameter : pattern.parameters) {
    const std::string device =
        parameter.device.empty() ? "" : fmt::format("the device's {}, else ", parameter.device);
    rows.push_back({escape_markdown(parameter.name),
                    escape_markdown(device + parameter.default_value.text()),
                    escape_markdown(range_cell(parameter)), escape_markdown(parameter.help)});
  }
  const std::vector<ReportColumn> columns = {"parameter", "default", "range", "help"};
  if (!rows.empty()) section += '\n' + markdown_table(columns, rows);
  if (!pattern.origin.empty()) {
    section += fmt::format("\nReference: {}\n", escape_markdown(pattern.origin));
  }
  return section;
}

/// A Markdown page for people who look for a pattern: by family, what each is for, its parameters
/// and where it comes from. Links to the patterns' files are right for a page that stands beside
/// them.
std::string write_pattern_page(std::span<const PatternPtr> patterns) {
  std::string page = introduction;
  for (const PatternFamily& family : by_family(patterns)) {
    std::vector<Cells> rows;
    for (const PatternPtr& pattern : family.patterns) {
      // The link is to the heading `NAME.cu`: letters in lower case, punctuation left out.
      rows.push_back({fmt::format("[{}](#{}cu)", escape_markdown(pattern->name),
                                  in_small_letters(pattern->name)),
                      escape_markdown(pattern->summary)});
    }
    page += fmt::format("\n## {}\n\n", escape_markdown(family.name));
    page += markdown_table({"pattern", "summary"}, rows);
    for (const PatternPtr& pattern : family.patterns) page += pattern_section(*pattern);
  }
  return page;
}

/// Names with summaries under a heading; without one they begin at the left.
struct Group {
  std::string heading;
  std::vector<std::pair<std::string, std::string>> items;
};

void print_groups(const std::vector<Group>& groups) {
  constexpr std::size_t gap = 2;
  std::size_t widest = 0;
  for (const Group& group : groups) {
    for (const auto& [name, summary] : group.items) widest = std::max(widest, columns_of(name));
  }
  for (const Group& group : groups) {
    if (&group != &groups.front()) std::cout << '\n';
    if (!group.heading.empty()) std::cout << group.heading << '\n';
    const std::string margin(group.heading.empty() ? 0 : gap, ' ');
    for (const auto& [name, summary] : group.items) {
      std::cout << beside(margin + name, summary, margin.size() + widest + gap);
    }
  }
}

/// As a program reads it; a parameter's default stays an expression.
Json pattern_json(const Pattern& pattern) {
  Json parameters = Json::array();
  auto words = words_of_pattern(pattern.source->text);
  for (const Parameter& parameter : pattern.parameters) {
    const auto type = std::ranges::find(parameter_kinds, parameter.kind) - parameter_kinds.begin();
    Json object = {{"name", parameter.name},
                   {"type", std::string(parameter_types.at(static_cast<std::size_t>(type)))},
                   {"default", parameter.default_value.text()}};
    if (parameter.min) object["min"] = *parameter.min;
    if (parameter.max) object["max"] = *parameter.max;
    if (!parameter.device.empty()) object["device"] = parameter.device;
    object["help"] = parameter.help;
    for (const auto& [number, word] : words[parameter.name]) {
      object["values"][std::to_string(number)] = word;
    }
    parameters.push_back(std::move(object));
  }
  return {{"name", pattern.name},
          {"family", pattern.family},
          {"summary", pattern.summary},
          {"file", pattern.path.string()},
          {"parameters", std::move(parameters)}};
}

/// Those whose name or summary has the word, in any case.
void keep_matching(std::vector<Group>& groups, const std::string& word, std::string_view kind) {
  if (word.empty()) return;
  const std::string wanted = in_small_letters(word);
  for (Group& group : groups) {
    std::erase_if(group.items, [&](const auto& item) {
      return in_small_letters(item.first + ' ' + item.second).find(wanted) == std::string::npos;
    });
  }
  std::erase_if(groups, [](const Group& group) { return group.items.empty(); });
  if (groups.empty()) {
    throw CommandError(exit_no_input, "no name or summary of the {} has '{}'", kind, word);
  }
}

void print_patterns(const GivenFolders& folders, const std::string& format,
                    const std::string& word) {
  const PatternLibrary library = pattern_library(folders);
  if (format == "names") return print_names(library.names());
  std::vector<PatternPtr> good;
  Group broken = {"with mistakes", {}};
  Diagnostics mistakes;
  for (const std::string& name : library.names()) {
    if (PatternPtr pattern = library.load(name, {}, mistakes)) {
      good.push_back(std::move(pattern));
    } else {
      broken.items.emplace_back(
          name, fmt::format("(has mistakes: sweep check {})", library.find(name).string()));
    }
  }
  // What is kept must not silently lack any.
  if (format != "text" && !broken.items.empty()) throw InputError(mistakes);
  if (format == "md") {
    std::cout << write_pattern_page(good);
    return;
  }
  if (format == "json") {
    Json list = Json::array();
    for (const PatternPtr& pattern : good) list.push_back(pattern_json(*pattern));
    return print_json({{"patterns", std::move(list)}});
  }
  // Those with mistakes come last, since they have no family.
  std::vector<Group> groups;
  for (const PatternFamily& family : by_family(good)) {
    groups.push_back({family.name, {}});
    for (const PatternPtr& pattern : family.patterns) {
      groups.back().items.emplace_back(pattern->name, pattern->summary);
    }
  }
  if (!broken.items.empty()) groups.push_back(std::move(broken));
  keep_matching(groups, word, "patterns");
  print_groups(groups);
}

/// What a list says of a sweep; its patterns are not read.
struct SweepLine {
  std::string heading;
  std::string summary;  ///< in parentheses what is wrong, where the file cannot be read
};

SweepLine line_of_sweep(const std::string& name, const std::filesystem::path& file) {
  try {
    Diagnostics diagnostics;
    const auto root = read_yaml(read_source(file), diagnostics);
    if (!root || !root->is_map()) {
      return {"with mistakes", fmt::format("(has mistakes: sweep check {})", file.string())};
    }
    const YamlNode* summary = root->find("summary");
    const std::string heading = name.starts_with("profile-")    ? "what a GPU's profile is made of"
                                : root->find("tune") != nullptr ? "searches for the best"
                                                                : "measurements";
    return {heading, summary != nullptr ? summary->text : std::string()};
  } catch (const FileError& error) {
    return {"with mistakes", fmt::format("({})", error.what())};
  }
}

void print_sweeps(const std::string& format, const std::string& word) {
  if (format == "names") return print_names(sweep_names());
  std::map<std::string, Group> groups;
  Json list = Json::array();
  for (const auto& [name, file] : sweep_files()) {
    const SweepLine line = line_of_sweep(name, file);
    groups.try_emplace(line.heading, Group{line.heading, {}})
        .first->second.items.emplace_back(name, line.summary);
    list.push_back({{"name", name}, {"summary", line.summary}, {"file", file.string()}});
  }
  if (format == "json") return print_json({{"sweeps", std::move(list)}});
  std::vector<Group> found;
  for (auto& [heading, group] : groups) found.push_back(std::move(group));
  keep_matching(found, word, "sweeps");
  print_groups(found);
}

void print_metrics(const std::string& format) {
  if (format == "names") return print_names(metric_names());
  if (format == "text") return print_metrics_text();
  if (format == "json") return print_metrics_json();
  std::cout << metric_page();
}

CommandLine list_line() {
  CommandLine line(
      "sweep list [OPTIONS] [patterns|sweeps|metrics|runs] [NAME]",
      "Lists the patterns and the sweeps there are, or one kind of them: all, or those\n"
      "whose name or summary has the word NAME. metrics [SWEEP] are all or a sweep's\n"
      "own, runs FILE.db those that a results database holds.\n"
      "'sweep show NAME' describes one.");
  add_patterns_option(line);
  line.option("format", "text|md|json|names",
              "text; md: a Markdown page of the patterns or the metrics; json: one document; "
              "names: a name a line",
              "text");
  line.operands({"patterns|sweeps|metrics|runs", "NAME"});
  return line;
}

int list_main(const GivenOptions& given) {
  const std::vector<std::string> kinds = {"patterns", "sweeps", "metrics", "runs"};
  const std::vector<std::string>& words = given.operands();
  const std::string format = given.text("format");
  if (words.empty()) {
    if (format != "text")
      throw UsageError("--format {}: of what? write patterns or sweeps", format);
    std::cout << "PATTERNS\n\n";
    print_patterns(given_folders(given), format, {});
    std::cout << "\nSWEEPS\n\n";
    print_sweeps(format, {});
    return exit_done;
  }
  const std::string& what = words.front();
  const std::string word = words.size() > 1 ? words.back() : "";
  const bool is_of_sweep = what == "metrics" && words.size() == 2;
  if (what == "runs" && words.size() != 2) {
    throw UsageError("runs of what? for example: sweep list runs results/stride.db");
  }
  if (!word.empty() && format != "text" && (what == "patterns" || what == "sweeps")) {
    throw UsageError("--format {} has all {}; leave out '{}'", format, what, word);
  }
  if (what == "patterns") {
    print_patterns(given_folders(given), format, word);
  } else if (what == "sweeps") {
    if (format == "md") throw UsageError("--format md is for patterns and metrics");
    print_sweeps(format, word);
  } else if (what == "runs") {
    if (format != "text") throw UsageError("--format is for patterns, sweeps and metrics");
    check_operand("list runs", Operand::database, words.back());
    print_runs(words.back());
  } else if (is_of_sweep) {
    if (format == "md") throw UsageError("--format md is for patterns and all metrics");
    const std::filesystem::path file = find_sweep_file(words.back());
    const PatternLibrary library = pattern_library(given_folders(given), file);
    parse_sweep(read_source(file), file, library.lookup(), {});
    print_own_metrics(format);
  } else if (what == "metrics") {
    print_metrics(format);
  } else {
    throw UsageError("cannot list '{}'; {}", what, suggest(what, kinds, "there are"));
  }
  return exit_done;
}

void print_pattern(const Pattern& pattern) {
  std::cout << fmt::format("{}: {}\n", pattern.name, pattern.summary);
  if (!pattern.family.empty()) std::cout << "Family: " << pattern.family << "\n";
  if (!pattern.help.empty()) std::cout << pattern.help << "\n";
  if (!pattern.origin.empty()) std::cout << "Reference: " << pattern.origin << "\n";
  std::size_t widest = 0;
  for (const Parameter& parameter : pattern.parameters) {
    widest = std::max(widest, parameter.name.size());
  }
  if (!pattern.parameters.empty()) std::cout << "\nParameters:\n";
  auto words = words_of_pattern(pattern.source->text);
  for (const Parameter& parameter : pattern.parameters) {
    std::string bounds;
    if (parameter.min) bounds += fmt::format(", at least {}", *parameter.min);
    if (parameter.max) bounds += fmt::format(", at most {}", *parameter.max);
    if (!parameter.device.empty()) bounds += fmt::format("; the device's {}", parameter.device);
    for (const auto& [number, word] : words[parameter.name]) {
      bounds += fmt::format("; {} {}", number, word);
    }
    std::cout << fmt::format("  {:<{}}  {} (default {}{}){}{}\n", parameter.name, widest,
                             describe(parameter), parameter.default_value.text(), bounds,
                             parameter.help.empty() ? "" : ": ", parameter.help);
  }
  std::cout << fmt::format("\n{}:\n{}", pattern.path.string(), pattern.source->text);
}

CommandLine show_line() {
  CommandLine line(
      "sweep show [OPTIONS] [pattern|sweep|metric] NAME",
      "Describes a pattern or a sweep and prints its file, or explains a metric; by a\n"
      "name alone whatever has it.");
  add_patterns_option(line);
  add_space_option(line);
  line.operands({"pattern|sweep|metric", "NAME"}, 1,
                "show what? for example: sweep show pattern stride");
  return line;
}

void show(const GivenOptions& given, const std::string& kind, const std::string& name) {
  const GivenFolders folders = given_folders(given);
  if (kind == "pattern") {
    print_pattern(*find_pattern(name, folders));
  } else if (kind == "sweep") {
    const SpaceLimits limits = given_space_limits(given);
    const std::filesystem::path file = find_sweep_file(name);
    const LoadedSweep loaded = load_sweep(file, folders, {}, limits);
    std::cout << describe_plan(loaded)
              << fmt::format("\n{}:\n{}", file.string(), loaded.sweep.source->text);
  } else if (kind == "metric") {
    const MetricDefinition* metric = find_metric(name);
    if (metric == nullptr) {
      throw UsageError("there is no metric '{}'; {}", name, suggest_metric(name));
    }
    print_metric(*metric);
  } else {
    throw UsageError("cannot show '{}'; write pattern, sweep or metric", kind);
  }
}

/// The kinds of thing that have the name.
Cells kinds_of(const GivenOptions& given, const std::string& name) {
  const std::filesystem::path path = name;
  Cells kinds;
  const PatternLibrary library = pattern_library(given_folders(given));
  if (path.extension() == ".cu" || !library.find(name).empty()) kinds.emplace_back("pattern");
  if (path.extension() == ".yaml" || is_among(sweep_names(), name)) kinds.emplace_back("sweep");
  if (find_metric(name) != nullptr) kinds.emplace_back("metric");
  if (!kinds.empty()) return kinds;
  Cells names = library.names();
  for (const Cells& more : {sweep_names(), metric_names()}) {
    names.insert(names.end(), more.begin(), more.end());
  }
  const std::string help = did_you_mean(name, names);
  throw CommandError(exit_no_input, "there is no pattern, sweep or metric '{}'; {}", name,
                     help.empty() ? "'sweep list' shows those there are" : help);
}

int show_main(const GivenOptions& given) {
  const Cells& words = given.operands();
  const Cells kinds = words.size() > 1 ? Cells{words.front()} : kinds_of(given, words.front());
  for (const std::string& kind : kinds) {
    if (&kind != &kinds.front()) std::cout << '\n';
    show(given, kind, words.back());
  }
  return exit_done;
}

}  // namespace

const Command list_command = {"list", "list patterns, sweeps, metrics or runs", list_line,
                              list_main};

const Command show_command = {"show", "describe a pattern, a sweep or a metric", show_line,
                              show_main};

}  // namespace sweep
