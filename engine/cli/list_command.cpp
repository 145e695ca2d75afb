#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <limits>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/data_folders.h"
#include "engine/cli/pattern_options.h"
#include "engine/cli/pattern_page.h"
#include "engine/cli/terminal.h"
#include "engine/spec/counter_set.h"
#include "engine/spec/metric.h"
#include "engine/spec/pattern_family.h"
#include "engine/spec/pattern_library.h"
#include "engine/text/read_source.h"
#include "engine/text/suggestion.h"
#include "engine/text/yaml.h"
#include "report/display_text.h"

namespace sweep {
namespace {

namespace po = boost::program_options;

struct Item {
  std::string name;
  std::string summary;
};

/// The columns of a terminal; elsewhere lines stay whole, for programs that read them.
std::size_t line_width() {
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  return terminal.is_terminal ? terminal.width : std::numeric_limits<std::size_t>::max();
}

/// The columns that the items' summaries begin after.
std::size_t width_of_names(const std::vector<Item>& items) {
  constexpr std::size_t gap = 2;
  std::size_t widest = 0;
  for (const Item& item : items) widest = std::max(widest, display_width(item.name));
  return widest + gap;
}

void print_items(const std::vector<Item>& items, std::size_t width_of_names, std::size_t margin) {
  constexpr std::size_t narrowest = 20;
  const std::size_t indent = margin + width_of_names;
  const std::size_t width = line_width();
  const std::size_t rest = width > indent + narrowest ? width - indent : narrowest;
  for (const Item& item : items) {
    std::cout << fmt::format(
        "{:{}}{}{}\n", "", margin, pad_right(item.name, width_of_names),
        fmt::join(wrap(item.summary, rest), fmt::format("\n{:{}}", "", indent)));
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

Patterns load_patterns(const std::vector<std::string>& folders) {
  const PatternLibrary library(pattern_folders(folders, {}));
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

void print_patterns(const std::vector<std::string>& folders, const std::string& format) {
  Patterns patterns = load_patterns(folders);
  if (format == "text") {
    print_groups(list_patterns(std::move(patterns)));
  } else if (!patterns.broken.empty()) {
    // A page that is kept must not silently lack any.
    throw InputError(patterns.diagnostics);
  } else {
    std::cout << write_pattern_page(patterns.good);
  }
}

/// The summary of a sweep file without reading its patterns.
std::string summary_of(const std::filesystem::path& file) {
  try {
    Diagnostics diagnostics;
    const auto root = read_yaml(read_source(file), diagnostics);
    if (!root || !root->is_map()) {
      return fmt::format("(has mistakes: sweep check {})", file.string());
    }
    const YamlNode* summary = root->find("summary");
    return summary != nullptr ? summary->text : std::string();
  } catch (const FileError& error) {
    return fmt::format("({})", error.what());
  }
}

std::vector<Item> list_sweeps() {
  std::vector<Item> items;
  for (const std::filesystem::path& folder : sweep_folders()) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string name = entry.path().stem().string();
      const bool known = std::ranges::find(items, name, &Item::name) != items.end();
      if (entry.path().extension() != ".yaml" || known) continue;
      items.push_back({name, summary_of(entry.path())});
    }
  }
  std::ranges::sort(items, {}, &Item::name);
  return items;
}

/// What `measure: {counters: ...}` names, and what each set gives.
std::vector<Item> list_counter_sets() {
  std::vector<Item> items;
  for (const CounterSet& set : counter_sets()) {
    items.push_back({set.name, fmt::format("{}: {}", set.meaning, fmt::join(set.metrics, ", "))});
  }
  return items;
}

std::vector<Item> list_metrics() {
  std::vector<Item> items;
  for (const MetricDefinition& metric : metric_definitions()) {
    std::string meaning = metric.meaning;
    if (!metric.old_name.empty()) meaning += fmt::format(" (nvprof: {})", metric.old_name);
    items.push_back({fmt::format("{} [{}]", metric.name, metric.unit), std::move(meaning)});
  }
  return items;
}

}  // namespace

CommandLine list_line() {
  CommandLine line("sweep list [OPTIONS] patterns|sweeps|metrics",
                   "Lists the patterns, the sweeps or the metrics there are.");
  add_patterns_option(line);
  line.options()("format", po::value<std::string>()->default_value("text")->value_name("text|md"),
                 "of patterns: a list, or a Markdown page that describes them");
  line.operands("what", 1, {"patterns|sweeps|metrics"});
  return line;
}

int list_command(const Arguments& arguments) {
  const auto options = list_line().parse(arguments);
  if (!options) return exit_done;
  const std::vector<std::string> kinds = {"patterns", "sweeps", "metrics"};
  if (options->count("what") == 0) throw UsageError("list what? write patterns, sweeps or metrics");
  const std::string what = (*options)["what"].as<std::vector<std::string>>().front();
  const auto format = (*options)["format"].as<std::string>();
  if (format != "text" && format != "md") {
    throw UsageError(fmt::format("--format {}: write text or md", format));
  }
  if (format == "md" && what != "patterns") throw UsageError("--format md is for patterns");
  const std::vector<std::string> folders = given_patterns(*options);
  if (what == "patterns") {
    print_patterns(folders, format);
  } else if (what == "sweeps") {
    print_items(list_sweeps());
  } else if (what == "metrics") {
    print_items(list_metrics());
    const auto heading = wrap(
        "Sets of hardware counters, for measure: {counters: memory}; single metrics of them and "
        "counters by NVIDIA's names can stand there too:",
        line_width());
    std::cout << fmt::format("\n{}\n", fmt::join(heading, "\n"));
    print_items(list_counter_sets());
  } else {
    throw UsageError(fmt::format("cannot list '{}'; {}", what, suggest(what, kinds, "there are")));
  }
  return exit_done;
}

}  // namespace sweep
