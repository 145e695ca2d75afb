#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/cli/commands.h"
#include "engine/cli/commands/metric_list.h"
#include "engine/cli/options/find_sources.h"
#include "engine/cli/options/operands.h"
#include "engine/cli/options/shared_options.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/spec/keys.h"
#include "engine/spec/metric.h"
#include "engine/spec/pattern.h"
#include "engine/store/store.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/document.h"
#include "report/notes.h"
#include "report/terminal_table.h"

namespace sweep {
namespace {

std::string_view state_of(const RunRecord& run) {
  return run.state == RunState::finished      ? "finished"
         : run.state == RunState::interrupted ? "interrupted"
                                              : "not finished";
}

/// The runs that a results database holds, one a line, oldest first: number, start, state, points
/// and those that failed, device, command. For a terminal of `width` columns.
std::string list_runs(const std::string& database, std::size_t width, bool color) {
  const Store store(find_database(database), Store::Mode::read_only);
  TableModel table;
  table.key_columns = {{"run", true},    {"started", false}, {"state", false},
                       {"points", true}, {"failed", true},   {"device", false}};
  table.remark_heading = "command";
  for (const RunRecord& run : store.runs()) {
    const PointCounts counts = store.count_points(run.id);
    TableModel::Row row;
    row.keys = {std::to_string(run.id),          readable_time(run.started),
                std::string(state_of(run)),      format_thousands(counts.points),
                format_thousands(counts.failed), run.provenance.device.name};
    row.remark = run.provenance.command;
    table.rows.push_back(std::move(row));
  }
  return terminal_table(table, width, color);
}

constexpr const char* introduction =
    "# Patterns\n\n"
    "A pattern is a CUDA kernel in a text file whose header says what its parameters and buffers "
    "are and how its result is checked. `sweep explain NAME` shows what each line of a pattern "
    "costs, `sweep show pattern NAME` prints its file, and a sweep measures it over values of its "
    "parameters (`sweep list sweeps` says which there are). Each family below is about one way in "
    "which memory is fast or slow.\n\n"
    "`sweep list patterns --format md` writes this page.\n";

/// Where a heading `NAME.cu` can be linked to: letters in lower case, punctuation left out.
std::string anchor_of(const std::string& name) {
  return "#" + in_small_letters(name) + "cu";
}

/// Every line of the text, which YAML has joined within paragraphs, as a paragraph.
std::string help_paragraphs(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    result += '\n' + escape_markdown(line.substr(begin)) + '\n';
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
  if (parameter.min && parameter.max) {
    return fmt::format("{} to {}", bound(*parameter.min), bound(*parameter.max));
  }
  if (parameter.min) return fmt::format("at least {}", bound(*parameter.min));
  if (parameter.max) return fmt::format("at most {}", bound(*parameter.max));
  return "any integer";
}

std::string default_cell(const Parameter& parameter) {
  const std::string text = parameter.default_value.text();
  return parameter.device.empty() ? text
                                  : fmt::format("the device's {}, else {}", parameter.device, text);
}

std::string parameter_table(const Pattern& pattern) {
  std::vector<std::vector<std::string>> rows;
  for (const Parameter& parameter : pattern.parameters) {
    rows.push_back({escape_markdown(parameter.name), escape_markdown(default_cell(parameter)),
                    escape_markdown(range_cell(parameter)), escape_markdown(parameter.help)});
  }
  if (rows.empty()) return {};
  return '\n' +
         markdown_table(
             {{"parameter", false}, {"default", false}, {"range", false}, {"help", false}}, rows);
}

std::string pattern_section(const Pattern& pattern) {
  const std::string file = pattern.name + ".cu";
  std::string section = fmt::format("\n### [{}]({})\n", escape_markdown(file), file);
  section += help_paragraphs(pattern.help);
  section += parameter_table(pattern);
  if (!pattern.reference.empty()) {
    section += fmt::format("\nReference: {}\n", escape_markdown(pattern.reference));
  }
  return section;
}

std::string family_section(const PatternFamily& family) {
  std::string section = fmt::format("\n## {}\n\n", escape_markdown(family.name));
  std::vector<std::vector<std::string>> rows;
  for (const PatternPtr& pattern : family.patterns) {
    rows.push_back(
        {fmt::format("[{}]({})", escape_markdown(pattern->name), anchor_of(pattern->name)),
         escape_markdown(pattern->summary)});
  }
  section += markdown_table({{"pattern", false}, {"summary", false}}, rows);
  for (const PatternPtr& pattern : family.patterns) section += pattern_section(*pattern);
  return section;
}

/// A Markdown page for people who look for a pattern: by family, what each is for, its parameters
/// and where it comes from. Links to the patterns' files are right for a page that stands beside
/// them.
std::string write_pattern_page(std::span<const PatternPtr> patterns) {
  std::string page = introduction;
  for (const PatternFamily& family : by_family(patterns)) page += family_section(family);
  return page;
}

using Json = nlohmann::ordered_json;
constexpr int json_indent = 2;

struct Item {
  std::string name;
  std::string summary;
};

/// Items under a heading; without one they begin at the left.
struct Group {
  std::string heading;
  std::vector<Item> items;
};

/// The columns of a terminal; elsewhere lines stay whole, for programs that read them.
std::size_t line_width() {
  return terminal_of(STDOUT_FILENO).width_or(unbroken);
}

void print_groups(const std::vector<Group>& groups) {
  constexpr std::size_t gap = 2;
  const std::size_t width = line_width();
  std::size_t widest = 0;
  for (const Group& group : groups) {
    for (const Item& item : group.items) widest = std::max(widest, display_width(item.name));
  }
  for (const Group& group : groups) {
    if (&group != &groups.front()) std::cout << '\n';
    if (!group.heading.empty()) std::cout << group.heading << '\n';
    const std::size_t margin = group.heading.empty() ? 0 : gap;
    for (const Item& item : group.items) {
      std::cout << fmt::format("{:{}}{}{}\n", "", margin, pad_right(item.name, widest + gap),
                               hanging_text(item.summary, margin + widest + gap, width));
    }
  }
}

/// The parameter as a program reads it; a default stays an expression.
Json parameter_json(const Parameter& parameter) {
  Json object = {
      {"name", parameter.name},
      {"type",
       std::string(std::ranges::find(parameter_types, parameter.kind, &ParameterType::kind)->name)},
      {"default", parameter.default_value.text()}};
  if (parameter.min) object["min"] = *parameter.min;
  if (parameter.max) object["max"] = *parameter.max;
  if (!parameter.device.empty()) object["device"] = parameter.device;
  object["help"] = parameter.help;
  return object;
}

std::string patterns_json(const std::vector<PatternPtr>& patterns) {
  Json list = Json::array();
  for (const PatternPtr& pattern : patterns) {
    Json parameters = Json::array();
    for (const Parameter& parameter : pattern->parameters)
      parameters.push_back(parameter_json(parameter));
    list.push_back({{"name", pattern->name},
                    {"family", pattern->family},
                    {"summary", pattern->summary},
                    {"file", pattern->path.string()},
                    {"parameters", std::move(parameters)}});
  }
  return Json{{"patterns", std::move(list)}}.dump(json_indent) + '\n';
}

void print_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) std::cout << name << '\n';
}

void print_patterns(const GivenFolders& folders, const std::string& format) {
  const PatternLibrary library(pattern_folders(folders.patterns, {}), include_folders(folders));
  if (format == "names") return print_names(library.names());
  std::vector<PatternPtr> good;
  Group broken = {"with mistakes", {}};
  Diagnostics mistakes;
  for (const std::string& name : library.names()) {
    if (PatternPtr pattern = library.load(name, {}, mistakes)) {
      good.push_back(std::move(pattern));
    } else {
      broken.items.push_back(
          {name, fmt::format("(has mistakes: sweep check {})", library.find(name).string())});
    }
  }
  if (format != "text") {
    // What is kept must not silently lack any.
    if (!broken.items.empty()) throw InputError(mistakes);
    std::cout << (format == "md" ? write_pattern_page(good) : patterns_json(good));
    return;
  }
  // Those with mistakes come last, since they have no family.
  std::vector<Group> groups;
  for (const PatternFamily& family : by_family(good)) {
    groups.push_back({family.name, {}});
    for (const PatternPtr& pattern : family.patterns) {
      groups.back().items.push_back({pattern->name, pattern->summary});
    }
  }
  if (!broken.items.empty()) groups.push_back(std::move(broken));
  print_groups(groups);
}

void print_sweeps(const std::string& format) {
  if (format == "names") return print_names(sweep_names());
  Group group;
  Json list = Json::array();
  for (const ListedSweep& sweep : list_sweeps()) {
    group.items.push_back({sweep.name, sweep.summary});
    list.push_back(
        {{"name", sweep.name}, {"summary", sweep.summary}, {"file", sweep.file.string()}});
  }
  if (format == "text") return print_groups({group});
  std::cout << Json{{"sweeps", std::move(list)}}.dump(json_indent) << '\n';
}

void print_metrics(const std::string& format) {
  if (format == "names") return print_names(metric_names());
  if (format == "text") std::cout << list_metrics(line_width());
  if (format == "md") std::cout << metric_page();
  if (format == "json") std::cout << metrics_json();
}

}  // namespace

CommandLine list_line() {
  CommandLine line("sweep list [OPTIONS] patterns|sweeps|metrics|runs FILE.db",
                   "Lists the patterns, the sweeps or the metrics there are, or the runs that a\n"
                   "results database holds. 'sweep show' describes one of the first three.");
  add_patterns_option(line);
  line.option("format", "text|md|json|names",
              "text; md: a Markdown page of the patterns or the metrics; json: one document; "
              "names: a name a line",
              "text");
  line.operands({"patterns|sweeps|metrics|runs", "DATABASE"}, 1,
                "list what? write patterns, sweeps, metrics or runs FILE.db");
  return line;
}

int list_command(const GivenOptions& given) {
  const std::vector<std::string> kinds = {"patterns", "sweeps", "metrics", "runs"};
  const std::vector<std::string>& words = given.operands();
  const std::string& what = words.front();
  if (words.size() != (what == "runs" ? 2 : 1)) {
    throw UsageError(what == "runs" ? "runs of what? for example: sweep list runs results/stride.db"
                                    : fmt::format("too many arguments after '{}'", what));
  }
  const std::string format = given.text("format");
  if (what == "patterns") {
    print_patterns(given_folders(given), format);
  } else if (what == "sweeps") {
    if (format == "md") throw UsageError("--format md is for patterns and metrics");
    print_sweeps(format);
  } else if (what == "runs") {
    if (format != "text") throw UsageError("--format is for patterns, sweeps and metrics");
    check_operand("list runs", Operand::database, words.back());
    const Terminal terminal = terminal_of(STDOUT_FILENO);
    std::cout << list_runs(words.back(), line_width(), terminal.color);
  } else if (what == "metrics") {
    print_metrics(format);
  } else {
    throw UsageError(fmt::format("cannot list '{}'; {}", what, suggest(what, kinds, "there are")));
  }
  return exit_done;
}

}  // namespace sweep
