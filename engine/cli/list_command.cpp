#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/data_folders.h"
#include "engine/cli/hanging_text.h"
#include "engine/cli/list_runs.h"
#include "engine/cli/metric_list.h"
#include "engine/cli/pattern_options.h"
#include "engine/cli/pattern_page.h"
#include "engine/cli/sweep_list.h"
#include "engine/cli/terminal.h"
#include "engine/cli/wrong_operand.h"
#include "engine/spec/keys.h"
#include "engine/spec/metric.h"
#include "engine/spec/pattern_library.h"
#include "engine/spec/pattern_names.h"
#include "engine/text/diagnostic.h"
#include "report/display_text.h"

namespace sweep {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
constexpr int json_indent = 2;

struct Item {
  std::string name;
  std::string summary;
};

std::string_view type_name(ValueKind kind) {
  return std::ranges::find(parameter_types, kind, &ParameterType::kind)->name;
}

/// The columns of a terminal; elsewhere lines stay whole, for programs that read them.
std::size_t line_width() {
  return terminal_of(STDOUT_FILENO).width_or(unbroken);
}

/// The columns that the items' summaries begin after.
std::size_t width_of_names(const std::vector<Item>& items) {
  constexpr std::size_t gap = 2;
  std::size_t widest = 0;
  for (const Item& item : items) widest = std::max(widest, display_width(item.name));
  return widest + gap;
}

void print_items(const std::vector<Item>& items, std::size_t width_of_names, std::size_t margin) {
  const std::size_t width = line_width();
  for (const Item& item : items) {
    std::cout << fmt::format("{:{}}{}{}\n", "", margin, pad_right(item.name, width_of_names),
                             hanging_text(item.summary, margin + width_of_names, width));
  }
}

void print_items(const std::vector<Item>& items) {
  print_items(items, width_of_names(items), 0);
}

/// Items under a heading.
struct Group {
  std::string heading;
  std::vector<Item> items;
};

void print_groups(const std::vector<Group>& groups) {
  constexpr std::size_t margin = 2;
  std::size_t width = 0;
  for (const Group& group : groups) width = std::max(width, width_of_names(group.items));
  for (const Group& group : groups) {
    std::cout << (&group == &groups.front() ? "" : "\n") << group.heading << "\n";
    print_items(group.items, width, margin);
  }
}

/// The patterns there are, and of those with mistakes the files and the mistakes.
struct Patterns {
  std::vector<PatternPtr> good;
  std::vector<Item> broken;
  Diagnostics diagnostics;
};

Patterns load_patterns(const GivenFolders& folders) {
  const PatternLibrary library(pattern_folders(folders.patterns, {}), include_folders(folders));
  Patterns patterns;
  for (const std::string& name : library.names()) {
    const PatternPtr pattern = library.load(name, {}, patterns.diagnostics);
    if (pattern != nullptr) {
      patterns.good.push_back(pattern);
    } else {
      patterns.broken.push_back(
          {name, fmt::format("(has mistakes: sweep check {})", library.find(name).string())});
    }
  }
  return patterns;
}

/// By family; those with mistakes come last, since they have none.
std::vector<Group> list_patterns(Patterns patterns) {
  std::vector<Group> groups;
  for (const PatternFamily& family : by_family(patterns.good)) {
    Group group{family.name, {}};
    for (const PatternPtr& pattern : family.patterns) {
      group.items.push_back({pattern->name, pattern->summary});
    }
    groups.push_back(std::move(group));
  }
  if (!patterns.broken.empty()) {
    groups.push_back({"with mistakes", std::move(patterns.broken)});
  }
  return groups;
}

/// The parameter as a program reads it; a default stays an expression.
Json parameter_json(const Parameter& parameter) {
  Json object = {{"name", parameter.name},
                 {"type", std::string(type_name(parameter.kind))},
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
  if (format == "names") {
    return print_names(PatternLibrary(pattern_folders(folders.patterns, {})).names());
  }
  Patterns patterns = load_patterns(folders);
  if (format == "text") return print_groups(list_patterns(std::move(patterns)));
  // What is kept must not silently lack any.
  if (!patterns.broken.empty()) throw InputError(patterns.diagnostics);
  std::cout << (format == "md" ? write_pattern_page(patterns.good) : patterns_json(patterns.good));
}

void print_sweeps(const std::string& format) {
  if (format == "names") return print_names(sweep_names());
  const std::vector<ListedSweep> sweeps = list_sweeps();
  if (format == "text") {
    std::vector<Item> items;
    for (const ListedSweep& sweep : sweeps) items.push_back({sweep.name, sweep.summary});
    return print_items(items);
  }
  Json list = Json::array();
  for (const ListedSweep& sweep : sweeps) {
    list.push_back(
        {{"name", sweep.name}, {"summary", sweep.summary}, {"file", sweep.file.string()}});
  }
  std::cout << Json{{"sweeps", std::move(list)}}.dump(json_indent) << '\n';
}

void print_metrics(const std::string& format) {
  if (format == "names") return print_names(metric_names());
  if (format == "text") std::cout << list_metrics(line_width());
  if (format == "md") std::cout << metric_page();
  if (format == "json") std::cout << metrics_json();
}

/// What --format may name.
const std::vector<std::string>& list_formats() {
  static const std::vector<std::string> names = {"text", "md", "json", "names"};
  return names;
}

}  // namespace

CommandLine list_line() {
  CommandLine line("sweep list [OPTIONS] patterns|sweeps|metrics|runs FILE.db",
                   "Lists the patterns, the sweeps or the metrics there are, or the runs that a\n"
                   "results database holds. 'sweep show' describes one of the first three.");
  add_patterns_option(line);
  line.options()("format",
                 po::value<std::string>()->default_value("text")->value_name("text|md|json|names"),
                 "text; md: a Markdown page of the patterns or the metrics; json: one document; "
                 "names: a name a line");
  line.operands("what", 2, {"patterns|sweeps|metrics|runs", "DATABASE"});
  return line;
}

int list_command(const Arguments& arguments) {
  const auto options = list_line().parse(arguments);
  if (!options) return exit_done;
  const std::vector<std::string> kinds = {"patterns", "sweeps", "metrics", "runs"};
  if (options->count("what") == 0) {
    throw UsageError("list what? write patterns, sweeps, metrics or runs FILE.db");
  }
  const auto words = (*options)["what"].as<std::vector<std::string>>();
  const std::string& what = words.front();
  if (words.size() != (what == "runs" ? 2 : 1)) {
    throw UsageError(what == "runs" ? "runs of what? for example: sweep list runs results/stride.db"
                                    : fmt::format("too many arguments after '{}'", what));
  }
  const auto format = (*options)["format"].as<std::string>();
  if (std::ranges::find(list_formats(), format) == list_formats().end()) {
    throw UsageError(fmt::format("--format {}: write {}", format, in_words(list_formats(), "or")));
  }
  if (what == "patterns") {
    print_patterns(given_folders(*options), format);
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
