#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>

#include "engine/spec/pattern_header.h"
#include "engine/text/characters.h"
#include "engine/text/yaml.h"
#include "report/display_text.h"
#include "report/export/best_configurations.h"

namespace sweep {
namespace {

constexpr std::size_t comment_width = 100;

/// The name itself where the scope does not have it, else with "_2", "_3" and so on after it; then
/// the scope has it.
std::string take_name(std::set<std::string>& scope, const std::string& name) {
  std::string result = name;
  for (int number = 2; !scope.insert(result).second; ++number) {
    result = name + (name.ends_with('_') ? "" : "_") + std::to_string(number);
  }
  return result;
}

/// The text as a string literal of plain ASCII.
std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string constant(const std::string& name, const Value& value) {
  if (const auto* type = std::get_if<ElementType>(&value)) {
    // As a project spells it that has no pattern around it.
    const bool is_fixed_width = type->name().ends_with("_t");
    return fmt::format("using {} = {};", name,
                       is_fixed_width ? "std::" + type->name() : type->cuda());
  }
  const auto declare = [&](std::string_view type, const std::string& text) {
    return fmt::format("static constexpr {} {} = {};", type, name, text);
  };
  if (const auto* word = std::get_if<std::string>(&value)) {
    return declare("const char*", literal(*word));
  }
  if (std::holds_alternative<bool>(value)) return declare("bool", to_string(value));
  const std::int64_t number = std::get<std::int64_t>(value);
  if (number == std::numeric_limits<std::int64_t>::min()) {
    return declare("long long", fmt::format("{}LL - 1", number + 1));
  }
  // The literal 2147483648 does not fit an int, so that the lowest one cannot be written plainly.
  const bool fits = number > std::numeric_limits<std::int32_t>::min() &&
                    number <= std::numeric_limits<std::int32_t>::max();
  return fits ? declare("int", fmt::format("{}", number))
              : declare("long long", fmt::format("{}LL", number));
}

std::string decimal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// The pattern and the values that set the group apart. Where the groups are not those of a pattern
/// the best one's may change with the next run, so that the name is without it.
std::string name_of(const ExportedRun& run, const BestConfiguration& best) {
  const std::string& pattern = point_of(run, best).key.pattern_name;
  const bool one_pattern = std::ranges::all_of(run.results.points, [&](const StoredPoint& stored) {
    return stored.point.key.pattern_name == pattern;
  });
  const bool is_of_pattern = one_pattern || best.group.find("pattern") != nullptr;
  std::string name = is_of_pattern ? pattern : "best";
  for (const auto& [key, value] : best.group.entries()) {
    if (key == "pattern") continue;
    const auto* number = std::get_if<std::int64_t>(&value);
    const bool is_negative = number != nullptr && *number < 0;
    name += '_' + key + (is_negative ? "_minus_" : "_") + to_string(value);
  }
  return cxx_identifier(name);
}

/// What the configurations need beyond the language.
std::string includes_of(std::span<const ExportedRun> runs) {
  bool has_fixed_width = false;
  bool has_vectors = false;
  std::set<const ElementHeader*> headers;
  for (const ExportedRun& run : runs) {
    for (const BestConfiguration& best : run.best) {
      for (const auto& [name, value] : point_of(run, best).key.parameters.entries()) {
        const auto* type = std::get_if<ElementType>(&value);
        if (type == nullptr) continue;
        headers.insert(type->header());
        has_vectors = has_vectors || (type->is_vector() && type->header() == nullptr);
        has_fixed_width = has_fixed_width || type->name().ends_with("_t");
      }
    }
  }
  std::string result;
  for (const ElementHeader& header : element_headers()) {
    if (headers.contains(&header)) result += header.include;
  }
  if (has_fixed_width) result += "#include <cstdint>\n";
  // NVRTC knows these without a header, and mostly has no path to one.
  if (has_vectors) result += "#ifndef __CUDACC_RTC__\n#include <vector_types.h>\n#endif\n";
  return result.empty() ? result : result + '\n';
}

std::string write_struct(const ExportedRun& run, const BestConfiguration& best,
                         const std::string& name, std::set<std::string> members) {
  const PointKey& key = point_of(run, best).key;
  std::string text = comment_lines("//", describe_best(run, best), comment_width);
  text += fmt::format("struct {} {{\n", name);
  text += fmt::format("  static constexpr const char* {} = {};\n", take_name(members, "pattern"),
                      literal(key.pattern_name));
  for (const auto& [parameter, value] : key.parameters.entries()) {
    const bool is_name = why_not_a_name(parameter).empty();
    const std::string member = take_name(members, is_name ? parameter : cxx_identifier(parameter));
    const bool is_own = std::ranges::find(run.emulators_own, parameter) != run.emulators_own.end();
    text +=
        fmt::format("  {}{}\n", constant(member, value), is_own ? "  // the emulator's own" : "");
  }
  text += fmt::format("  static constexpr double {} = {};",
                      take_name(members, cxx_identifier(best.column.name)), decimal(best.figure));
  std::string unit = unit_of(best.column.name);
  if (best.column.origin != Origin::measured) {
    unit += fmt::format("{}{}", unit.empty() ? "" : ", ", to_string(best.column.origin));
  }
  return text + (unit.empty() ? "\n" : "  " + comment_lines("//", unit)) + "};\n";
}

std::string write_device(const ExportedRun& run, const std::string& name) {
  std::string text;
  for (const std::string& line : describe_origin(run)) text += comment_lines("//", line);
  text += fmt::format("namespace {} {{\n", name);
  std::set<std::string> structs;
  for (const BestConfiguration& best : run.best) {
    const std::string struct_name = take_name(structs, name_of(run, best));
    // A member cannot have its struct's name.
    text += '\n' + write_struct(run, best, struct_name, {struct_name});
  }
  return text + fmt::format("\n}}  // namespace {}\n", name);
}

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

/// A configuration of a pattern.
struct Winner {
  std::string pattern;
  Bindings parameters;

  friend bool operator==(const Winner&, const Winner&) = default;
};

/// A condition that of `offered` only `wanted` satisfy.
std::string one_of(const std::vector<Bindings>& wanted, const std::vector<Bindings>& offered) {
  std::vector<std::string> alternatives;
  for (const Bindings& row : wanted) {
    std::vector<std::string> conditions;
    for (const Bindings::Entry& entry : row.entries()) {
      const bool varies = std::ranges::any_of(
          offered, [&](const Bindings& other) { return *other.find(entry.first) != entry.second; });
      const auto* truth = std::get_if<bool>(&entry.second);
      if (!varies) continue;
      conditions.push_back(truth != nullptr
                               ? (*truth ? "" : "!") + entry.first
                               : fmt::format("{} == {}", entry.first, to_string(entry.second)));
    }
    const std::string all = fmt::format("{}", fmt::join(conditions, " && "));
    alternatives.push_back(conditions.size() > 1 ? "(" + all + ")" : all);
  }
  return fmt::format("{}", fmt::join(alternatives, " || "));
}

/// The row's values of the names that the pattern's parameters have.
Bindings part_of(const Bindings& row, const Bindings& parameters) {
  Bindings part;
  for (const auto& [name, value] : row.entries()) {
    if (parameters.find(name) != nullptr) part.set(name, value);
  }
  return part;
}

/// The winners as rows that all give the same names.
struct WinnerTable {
  WinnerTable(std::span<const ExportedRun> runs, const GivenParameters& given) {
    for (const ExportedRun& run : runs) {
      for (const BestConfiguration& best : run.best) {
        const PointKey& key = point_of(run, best).key;
        add_once(winners, Winner{key.pattern_name, key.parameters});
      }
      for (const std::string& name : run.emulators_own) add_once(emulators_own, name);
    }
    for (const Winner& winner : winners) {
      add_once(patterns, winner.pattern);
      const auto told = given.find(winner.pattern);
      for (const auto& [name, value] : winner.parameters.entries()) {
        const bool is_told =
            told == given.end() || std::ranges::find(told->second, name) != told->second.end();
        if (is_told) add_once(names, name);
      }
    }
    for (const Winner& winner : winners) add_once(rows, row_of(winner));
  }

  /// What a pattern does not have is filled with the value of one that has it.
  Bindings row_of(const Winner& winner) const {
    Bindings row;
    for (const std::string& name : names) {
      const Value* value = winner.parameters.find(name);
      for (auto other = winners.begin(); value == nullptr; ++other) {
        value = other->parameters.find(name);
      }
      row.set(name, *value);
    }
    return row;
  }

  /// The axes that have one value, and those that move together.
  std::string axes() const {
    std::string fixed;
    std::vector<std::string> columns;
    for (const std::string& name : names) {
      std::vector<std::string> values;
      for (const Bindings& row : rows) values.push_back(to_string(*row.find(name)));
      if (std::ranges::count(values, values.front()) < std::ssize(values)) {
        columns.push_back(fmt::format("{}: [{}]", name, fmt::join(values, ", ")));
        continue;
      }
      const bool is_own = std::ranges::find(emulators_own, name) != emulators_own.end();
      fixed +=
          fmt::format("  {}: {}{}\n", name, values.front(), is_own ? "  # the emulator's own" : "");
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
    for (const std::string& pattern : patterns) {
      const auto first = std::ranges::find(winners, pattern, &Winner::pattern);
      std::vector<Bindings> wanted;
      std::vector<Bindings> offered;
      for (const Bindings& row : rows) add_once(offered, part_of(row, first->parameters));
      for (const Winner& winner : winners) {
        if (winner.pattern != pattern) continue;
        add_once(wanted, part_of(row_of(winner), first->parameters));
      }
      if (wanted.size() == offered.size()) continue;
      text += fmt::format("  - pattern != '{}' || {}\n", pattern, one_of(wanted, offered));
    }
    return text.empty() ? text : "where:\n" + text;
  }

  std::vector<Winner> winners;
  std::vector<std::string> patterns;
  std::vector<std::string> names;
  std::vector<std::string> emulators_own;
  std::vector<Bindings> rows;
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

std::string cxx_identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (is_letter_or_digit(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.empty()) return "unnamed";
  if (is_digit(name.front())) name.insert(0, "n");
  if (!why_not_a_name(name).empty()) name += '_';
  return name;
}

std::string write_header(std::span<const ExportedRun> runs) {
  const std::string sweep = runs.empty() ? "" : runs.front().results.run.provenance.sweep_name;
  const std::string space = "best_" + cxx_identifier(sweep);
  std::string text = comment_lines(
      "//", fmt::format("{} of the sweep '{}', one namespace per device.", title_of(runs), sweep),
      comment_width);
  text += "// Written by `sweep export`: changes belong into the sweep.\n#pragma once\n\n";
  text += includes_of(runs);
  text += fmt::format("namespace {} {{\n", space);
  std::set<std::string> devices;
  for (const ExportedRun& run : runs) {
    const std::string device = in_small_letters(run.results.run.provenance.device.name);
    text += '\n' + write_device(run, take_name(devices, cxx_identifier(device)));
  }
  return text + fmt::format("\n}}  // namespace {}\n", space);
}

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
                            comment_width);
    }
    text += "#\n";
  }
  const RunResults& results = newest->results;
  const std::string& about =
      results.summary.empty() ? results.run.provenance.sweep_name : results.summary;
  text += "summary: " + in_quotes(title_of(runs) + " of: " + about) + '\n';
  const bool is_one = table.patterns.size() == 1;
  text += fmt::format("{}{}{}\n", is_one ? "pattern: " : "patterns: [",
                      fmt::join(table.patterns, ", "), is_one ? "" : "]");
  return text + table.axes() + table.conditions() + measuring_rules(results.run);
}

}  // namespace sweep
