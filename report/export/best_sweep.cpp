#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "engine/text/yaml.h"
#include "report/display_text.h"
#include "report/export/best_configurations.h"

namespace sweep {
namespace {

constexpr std::size_t line_width = 100;

template <class T>
void add_once(std::vector<T>& list, const T& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// The winners as rows that all give the same names.
class WinnerTable {
 public:
  WinnerTable(std::span<const ExportedRun> runs, const GivenParameters& given) : runs_(runs) {
    for (const ExportedRun& run : runs) {
      for (const BestConfiguration& best : run.best) {
        const PointKey& key = point_of(run, best).key;
        add_once(winners_, Winner{key.pattern_name, key.parameters});
      }
    }
    for (const Winner& winner : winners_) {
      add_once(patterns_, winner.pattern);
      const auto told = given.find(winner.pattern);
      for (const auto& [name, value] : winner.parameters.entries()) {
        const bool is_told =
            told == given.end() || std::ranges::find(told->second, name) != told->second.end();
        if (is_told) add_once(names_, name);
      }
    }
    for (const Winner& winner : winners_) add_once(rows_, row_of(winner));
  }

  const std::vector<std::string>& patterns() const { return patterns_; }

  /// The axes that have one value, and those that move together.
  std::string axes() const {
    std::string fixed;
    std::vector<std::string> columns;
    for (const std::string& name : names_) {
      std::vector<std::string> values;
      for (const Bindings& row : rows_) values.push_back(to_string(*row.find(name)));
      if (std::ranges::all_of(values, [&](const auto& value) { return value == values.front(); })) {
        const bool is_own = std::ranges::any_of(runs_, [&](const ExportedRun& run) {
          return std::ranges::find(run.emulators_own, name) != run.emulators_own.end();
        });
        fixed += fmt::format("  {}: {}{}\n", name, values.front(),
                             is_own ? "  # the emulator's own" : "");
      } else {
        columns.push_back(fmt::format("{}: [{}]", name, fmt::join(values, ", ")));
      }
    }
    std::string text;
    if (!fixed.empty()) text += "axes:\n" + fixed;
    if (!columns.empty()) {
      text += fmt::format("zip:\n  - {{{}}}\n", fmt::join(columns, ",\n     "));
    }
    return text;
  }

  /// For each pattern that more rows suit than its own, which those are.
  std::string conditions() const {
    std::string text;
    for (const std::string& pattern : patterns_) {
      const auto first = std::ranges::find(winners_, pattern, &Winner::pattern);
      std::vector<Bindings> wanted;
      std::vector<Bindings> offered;
      for (const Bindings& row : rows_) add_once(offered, part_of(row, first->parameters));
      for (const Winner& winner : winners_) {
        if (winner.pattern != pattern) continue;
        add_once(wanted, part_of(row_of(winner), first->parameters));
      }
      if (wanted.size() == offered.size()) continue;
      text += fmt::format("  - pattern != '{}' || {}\n", pattern, one_of(wanted, offered));
    }
    return text.empty() ? text : "where:\n" + text;
  }

 private:
  struct Winner {
    std::string pattern;
    Bindings parameters;

    friend bool operator==(const Winner&, const Winner&) = default;
  };

  /// What a pattern does not have is filled with the value of one that has it.
  Bindings row_of(const Winner& winner) const {
    Bindings row;
    for (const std::string& name : names_) {
      const Value* value = winner.parameters.find(name);
      for (auto other = winners_.begin(); value == nullptr; ++other) {
        value = other->parameters.find(name);
      }
      row.set(name, *value);
    }
    return row;
  }

  /// The row's values of the names that the pattern's parameters have.
  static Bindings part_of(const Bindings& row, const Bindings& parameters) {
    Bindings part;
    for (const auto& [name, value] : row.entries()) {
      if (parameters.find(name) != nullptr) part.set(name, value);
    }
    return part;
  }

  /// A condition that of `offered` only `wanted` satisfy.
  static std::string one_of(const std::vector<Bindings>& wanted,
                            const std::vector<Bindings>& offered) {
    std::vector<std::string> alternatives;
    for (const Bindings& row : wanted) {
      std::vector<std::string> equalities;
      for (const auto& entry : row.entries()) {
        const bool varies = std::ranges::any_of(offered, [&](const Bindings& other) {
          return *other.find(entry.first) != entry.second;
        });
        if (varies) equalities.push_back(equality(entry.first, entry.second));
      }
      const std::string all = fmt::format("{}", fmt::join(equalities, " && "));
      alternatives.push_back(equalities.size() > 1 ? "(" + all + ")" : all);
    }
    return fmt::format("{}", fmt::join(alternatives, " || "));
  }

  static std::string equality(const std::string& name, const Value& value) {
    if (const auto* truth = std::get_if<bool>(&value)) return (*truth ? "" : "!") + name;
    return fmt::format("{} == {}", name, to_string(value));
  }

  std::span<const ExportedRun> runs_;
  std::vector<Winner> winners_;
  std::vector<std::string> patterns_;
  std::vector<std::string> names_;
  std::vector<Bindings> rows_;
};

/// Whether the scalar means the same without quotes, wherever it stands.
bool is_plain(const YamlNode& scalar) {
  return !scalar.quoted && !scalar.text.empty() && !scalar.text.starts_with('%') &&
         scalar.text.find_first_of(",[]{}:#\"'&*!|>@`\n") == std::string::npos;
}

/// The node as YAML in one line.
std::string flow(const YamlNode& node) {
  using Kind = YamlNode::Kind;
  if (node.kind == Kind::null) return "~";
  if (node.kind == Kind::scalar) return is_plain(node) ? node.text : in_quotes(node.text);
  std::vector<std::string> parts;
  for (const YamlNode& item : node.items) parts.push_back(flow(item));
  for (const YamlEntry& entry : node.entries) {
    parts.push_back(fmt::format("{}: {}", entry.key.text, flow(entry.value)));
  }
  const bool is_list = node.kind == Kind::sequence;
  return fmt::format("{}{}{}", is_list ? '[' : '{', fmt::join(parts, ", "), is_list ? ']' : '}');
}

/// The `measure:` of the run's sweep, or nothing where it keeps the defaults.
std::string measuring_rules(const RunRecord& run) {
  Diagnostics ignored;
  const auto source =
      std::make_shared<Source>(Source{"the stored sweep", run.provenance.sweep_text});
  const auto root = read_yaml(source, ignored);
  const YamlNode* measure = root ? root->find("measure") : nullptr;
  if (measure == nullptr || !measure->is_map() || measure->entries.empty()) return {};
  return "measure: " + flow(*measure) + '\n';
}

}  // namespace

std::string write_best_sweep(std::span<const ExportedRun> runs, const GivenParameters& given) {
  const WinnerTable table(runs, given);
  const auto newest =
      std::ranges::max_element(runs, {}, [](const ExportedRun& run) { return run.results.run.id; });
  std::string text = "# Written by `sweep export`.\n#\n";
  for (const ExportedRun& run : runs) {
    for (const std::string& line : describe_origin(run)) text += comment_lines("#", line);
    for (const BestConfiguration& best : run.best) {
      const PointKey& key = point_of(run, best).key;
      text += comment_lines("#",
                            fmt::format("{} {}: {}", key.pattern_name, to_string(key.parameters),
                                        describe_best(run, best)),
                            line_width);
    }
    text += "#\n";
  }
  const RunResults& results = newest->results;
  const std::string& about =
      results.summary.empty() ? results.run.provenance.sweep_name : results.summary;
  text += "summary: " + in_quotes(title_of(runs) + " of: " + about) + '\n';
  const bool is_one = table.patterns().size() == 1;
  text += fmt::format("{}{}{}\n", is_one ? "pattern: " : "patterns: [",
                      fmt::join(table.patterns(), ", "), is_one ? "" : "]");
  return text + table.axes() + table.conditions() + measuring_rules(results.run);
}

}  // namespace sweep
