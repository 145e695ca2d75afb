#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/spec/pattern_header.h"
#include "engine/text/characters.h"
#include "report/export/best_configurations.h"

namespace sweep {

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

std::string ScopeNames::take(const std::string& name) {
  std::string result = name;
  for (int number = 2; !taken_.insert(result).second; ++number) {
    result = name + (name.ends_with('_') ? "" : "_") + std::to_string(number);
  }
  return result;
}

namespace {

constexpr std::size_t comment_width = 100;

/// The element type as a project spells it that has no pattern around it.
std::string spell(const ElementType& type) {
  const bool is_fixed_width = type.name().ends_with("_t");
  return is_fixed_width ? "std::" + type.name() : type.cuda();
}

bool is_cuda_vector(const ElementType& type) {
  return type.components() != 1 || type.name().ends_with('1');
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

std::string integer_constant(const std::string& name, std::int64_t value) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  if (value == lowest) {
    return fmt::format("static constexpr long long {} = {}LL - 1;", name, value + 1);
  }
  // The literal 2147483648 does not fit an int, so that the lowest one cannot be written plainly.
  const bool fits = value > std::numeric_limits<std::int32_t>::min() &&
                    value <= std::numeric_limits<std::int32_t>::max();
  return fits ? fmt::format("static constexpr int {} = {};", name, value)
              : fmt::format("static constexpr long long {} = {}LL;", name, value);
}

struct ConstantWriter {
  const std::string& name;
  std::string operator()(std::int64_t number) const { return integer_constant(name, number); }
  std::string operator()(bool truth) const {
    return fmt::format("static constexpr bool {} = {};", name, truth);
  }
  std::string operator()(const ElementType& type) const {
    return fmt::format("using {} = {};", name, spell(type));
  }
  std::string operator()(const std::string& word) const {
    return fmt::format("static constexpr const char* {} = {};", name, literal(word));
  }
};

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
struct Includes {
  bool fixed_width = false;
  bool vectors = false;
  std::set<const ElementHeader*> headers;

  void add(const ElementType& type) {
    headers.insert(type.header());
    vectors = vectors || (is_cuda_vector(type) && type.header() == nullptr);
    fixed_width = fixed_width || type.name().ends_with("_t");
  }

  std::string text() const {
    std::string result;
    for (const ElementHeader& header : element_headers()) {
      if (headers.contains(&header)) result += header.include;
    }
    if (fixed_width) result += "#include <cstdint>\n";
    // NVRTC knows these without a header, and mostly has no path to one.
    if (vectors) result += "#ifndef __CUDACC_RTC__\n#include <vector_types.h>\n#endif\n";
    return result.empty() ? result : result + '\n';
  }
};

Includes includes_of(std::span<const ExportedRun> runs) {
  Includes includes;
  for (const ExportedRun& run : runs) {
    for (const BestConfiguration& best : run.best) {
      for (const auto& [name, value] : point_of(run, best).key.parameters.entries()) {
        if (const auto* type = std::get_if<ElementType>(&value)) includes.add(*type);
      }
    }
  }
  return includes;
}

/// A metric's unit as a comment: "  // GB/s".
std::string unit_comment(const MetricColumn& metric) {
  std::string text = unit_of(metric.name);
  if (metric.origin != Origin::measured) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(metric.origin));
  }
  if (text.empty()) return "\n";
  return "  " + comment_lines("//", text);
}

std::string write_struct(const ExportedRun& run, const BestConfiguration& best,
                         const std::string& name, ScopeNames members) {
  const PointKey& key = point_of(run, best).key;
  std::string text = comment_lines("//", describe_best(run, best), comment_width);
  text += fmt::format("struct {} {{\n", name);
  text += fmt::format("  static constexpr const char* {} = {};\n", members.take("pattern"),
                      literal(key.pattern_name));
  for (const auto& [parameter, value] : key.parameters.entries()) {
    const bool is_name = why_not_a_name(parameter).empty();
    const std::string member = members.take(is_name ? parameter : cxx_identifier(parameter));
    const bool is_own = std::ranges::find(run.emulators_own, parameter) != run.emulators_own.end();
    text += fmt::format("  {}{}\n", std::visit(ConstantWriter{member}, value),
                        is_own ? "  // the emulator's own" : "");
  }
  text += fmt::format("  static constexpr double {} = {};",
                      members.take(cxx_identifier(best.metric.name)), decimal(best.figure));
  return text + unit_comment(best.metric) + "};\n";
}

std::string write_device(const ExportedRun& run, const std::string& name) {
  std::string text;
  for (const std::string& line : describe_origin(run)) text += comment_lines("//", line);
  text += fmt::format("namespace {} {{\n", name);
  ScopeNames structs;
  for (const BestConfiguration& best : run.best) {
    const std::string struct_name = structs.take(name_of(run, best));
    ScopeNames members;
    members.take(struct_name);  // a member cannot have its struct's name
    text += '\n' + write_struct(run, best, struct_name, members);
  }
  return text + fmt::format("\n}}  // namespace {}\n", name);
}

}  // namespace

std::string write_header(std::span<const ExportedRun> runs) {
  const std::string sweep = runs.empty() ? "" : runs.front().results.run.provenance.sweep_name;
  const std::string space = "best_" + cxx_identifier(sweep);
  std::string text = comment_lines(
      "//", fmt::format("{} of the sweep '{}', one namespace per device.", title_of(runs), sweep),
      comment_width);
  text += "// Written by `sweep export`: changes belong into the sweep.\n#pragma once\n\n";
  text += includes_of(runs).text();
  text += fmt::format("namespace {} {{\n", space);
  ScopeNames devices;
  for (const ExportedRun& run : runs) {
    const std::string device = in_small_letters(run.results.run.provenance.device.name);
    text += '\n' + write_device(run, devices.take(cxx_identifier(device)));
  }
  return text + fmt::format("\n}}  // namespace {}\n", space);
}

}  // namespace sweep
