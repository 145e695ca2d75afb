#include "engine/jit/translation_unit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "engine/jit/equality.h"
#include "engine/jit/prelude.h"
#include "engine/spec/cuda_scanner.h"

namespace sweep {
namespace {

/// A line that is moved out of the body.
struct Include {
  std::size_t offset = 0;  ///< in the body
  std::string text;
};

/// CUDA source without its #include lines, which are blanked, those lines, and the names of its
/// macros. An #include under a condition stays where it is.
struct SplitBody {
  std::string text;
  std::vector<Include> includes;
  std::vector<std::string> macros;
};

/// The name of the macro that an #define with this text defines.
std::string macro_name(std::string_view text) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const std::string code = blank_non_code(text);
  const auto begin = std::ranges::find_if(code, in_name);
  return {begin, std::find_if_not(begin, code.end(), in_name)};
}

SplitBody split_body(const std::string& body) {
  SplitBody result;
  result.text = body;
  int open_conditions = 0;
  for (const Directive& directive : find_directives(body)) {
    if (directive.name.starts_with("if")) ++open_conditions;
    if (directive.name == "endif") --open_conditions;
    if (directive.name == "define") {
      std::string name = macro_name(directive.text);
      const bool is_known = std::ranges::find(result.macros, name) != result.macros.end();
      if (!name.empty() && !is_known) result.macros.push_back(std::move(name));
    }
    if (directive.name != "include" || open_conditions > 0) continue;
    result.includes.push_back({directive.offset, body.substr(directive.offset, directive.length)});
    for (std::size_t at = 0; at < directive.length; ++at) {
      char& c = result.text[directive.offset + at];
      if (c != '\n') c = ' ';
    }
  }
  return result;
}

std::string quoted(const std::string& path) {
  std::string result = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

constexpr const char* back_to_generated = "#line 1 \"generated\"\n";

/// A line of its own that the compiler sees at `where`.
std::string placed(const Location& where, std::string_view text) {
  return fmt::format("#line {} {}\n{}{}\n", where.line, quoted(where.source->name),
                     std::string(where.column > 0 ? where.column - 1 : 0, ' '), text);
}

/// Where the character at `offset` of a CUDA expression stands in its file.
Location place_within(const CudaExpression& cuda, std::size_t offset) {
  const std::string_view before = std::string_view(cuda.text).substr(0, offset);
  const std::size_t line_break = before.rfind('\n');
  if (line_break == std::string_view::npos) return cuda.where.shifted(offset, 1);
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  return {cuda.where.source, cuda.where.line + lines, offset - line_break};
}

class UnitWriter {
 public:
  explicit UnitWriter(std::span<const Configuration> configurations)
      : configurations_(configurations),
        pattern_(*configurations.front().pattern),
        body_(split_body(pattern_.body)) {}

  TranslationUnit write() {
    unit_.text = prelude(element_types());
    for (const Include& include : body_.includes) {
      unit_.text += placed(place_in_source(include.offset), include.text) + back_to_generated;
    }
    for (std::size_t i = 0; i < configurations_.size(); ++i) write_configuration(i);
    return std::move(unit_);
  }

 private:
  std::vector<ElementType> element_types() const {
    std::vector<ElementType> types;
    for (const Configuration& configuration : configurations_) {
      for (const auto& [name, value] : configuration.parameters.entries()) {
        if (const auto* type = std::get_if<ElementType>(&value)) types.push_back(*type);
      }
    }
    for (const Buffer& buffer : pattern_.buffers) {
      if (const auto type = ElementType::find(buffer.type)) types.push_back(*type);
    }
    return types;
  }

  /// Where the body's character at `offset` stands in the pattern file.
  Location place_in_source(std::size_t offset) const {
    const std::string& text = pattern_.source->text;
    const std::string_view before = std::string_view(pattern_.body).substr(0, offset);
    const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::size_t line = pattern_.body_line + lines;
    const std::size_t body_begin = text.size() - pattern_.body.size();
    return {pattern_.source, line, body_begin + offset - offset_of_line(text, line) + 1};
  }

  void write_configuration(std::size_t index) {
    const Configuration& configuration = configurations_[index];
    const std::string space = fmt::format("sweep_c{}", index);
    UnitEntries entries;
    entries.kernel_expression = fmt::format("&{}::{}", space, pattern_.name);
    unit_.text += fmt::format("namespace {} {{\n", space);
    write_constants(configuration);
    unit_.text += placed(place_in_source(0), body_.text) + back_to_generated;
    write_struct_checks(configuration);
    for (std::size_t i = 0; i < pattern_.buffers.size(); ++i) {
      entries.init.push_back(write_init(space, i));
    }
    for (std::size_t i = 0; i < pattern_.verify.size(); ++i) {
      entries.check.push_back(write_check(space, i));
    }
    unit_.text += "}\n";
    // What one configuration defines, the next does not see.
    for (const std::string& macro : body_.macros) unit_.text += fmt::format("#undef {}\n", macro);
    unit_.entries.push_back(std::move(entries));
  }

  void write_constants(const Configuration& configuration) {
    for (const auto& [name, value] : configuration.parameters.entries()) {
      if (const auto* type = std::get_if<ElementType>(&value)) {
        unit_.text += fmt::format("using {} = {};\n", name, type->cuda());
      } else if (const auto* truth = std::get_if<bool>(&value)) {
        unit_.text += fmt::format("constexpr bool {} = {};\n", name, *truth);
      } else {
        unit_.text += integer_constant(name, std::get<std::int64_t>(value));
      }
    }
  }

  static std::string integer_constant(const std::string& name, std::int64_t value) {
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    if (value == lowest)
      return fmt::format("constexpr long long {} = {}LL - 1;\n", name, value + 1);
    const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                      value <= std::numeric_limits<std::int32_t>::max();
    return fits ? fmt::format("constexpr int {} = int({}LL);\n", name, value)
                : fmt::format("constexpr long long {} = {}LL;\n", name, value);
  }

  void write_struct_checks(const Configuration& configuration) {
    for (const Struct& type : pattern_.structs) {
      const std::int64_t size = type.size.evaluate_integer(configuration.parameters);
      unit_.text += fmt::format(
          "#line {} {}\nstatic_assert(sizeof({}) == {}, \"the header's structs give {} bytes for "
          "{}\");\n#line 1 \"generated\"\n",
          type.where.line, quoted(type.where.source->name), type.name, size, size, type.name);
    }
  }

  /// "const T* a, T* b": every buffer, constant but for `writable`.
  std::string buffer_list(std::size_t writable) const {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < pattern_.buffers.size(); ++i) {
      const Buffer& buffer = pattern_.buffers[i];
      const auto element = ElementType::find(buffer.type);
      list.push_back(fmt::format("{}{}* {}", i == writable ? "" : "const ",
                                 element ? element->cuda() : buffer.type, buffer.name));
    }
    return fmt::format("{}", fmt::join(list, ", "));
  }

  std::string write_init(const std::string& space, std::size_t index) {
    const Buffer& buffer = pattern_.buffers[index];
    if (!buffer.init) return {};
    const std::string name = fmt::format("{}_init_{}", space, index);
    const CudaExpression& init = *buffer.init;
    // The statement stands on the lines of `init`, its signs where the messages about them point.
    unit_.text += fmt::format(
        "extern \"C\" __global__ void {}({}, sweep_u64 sweep_length) {{\n"
        "  for (sweep_size i = sweep_thread(); i < sweep_length; i += sweep_threads()) {{\n"
        "{}{}{}{}{}  }}\n}}\n",
        name, buffer_list(index), placed(init.where, buffer.name + "[i]"), placed(init.where, "="),
        placed(init.where, init.text), placed(place_within(init, init.text.size()), ";"),
        back_to_generated);
    return name;
  }

  std::string write_check(const std::string& space, std::size_t index) {
    const Verification& verification = pattern_.verify[index];
    const CudaExpression& condition = verification.condition;
    const std::string name = fmt::format("{}_check_{}", space, index);
    const auto declared = [&](const char* declaration, std::string_view value) {
      const auto begin = static_cast<std::size_t>(value.data() - condition.text.data());
      const Location where = place_within(condition, begin);
      return placed(where, declaration) + placed(where, value) +
             placed(place_within(condition, begin + value.size()), ";");
    };
    std::string test;
    std::string show;
    if (const auto equality = split_equality(condition.text)) {
      test =
          declared("const auto sweep_actual =", equality->actual) +
          declared("const auto sweep_expected =", equality->expected) +
          placed(condition.where, "if (sweep_actual") +
          placed(place_within(condition, equality->actual.size()), "== sweep_expected) continue;");
      show =
          "    if (sweep_end - sweep_begin == 1) {\n"
          "      sweep_show_both(sweep_result, sweep_actual, sweep_expected);\n    }\n";
    } else {
      test = declared("const bool sweep_holds =", condition.text) +
             placed(condition.where, "if (sweep_holds) continue;");
    }
    unit_.text += fmt::format(
        "extern \"C\" __global__ void {}({}, sweep_u64 sweep_begin, sweep_u64 sweep_end, "
        "sweep_failure* sweep_result) {{\n"
        "  sweep_u64 sweep_count = 0, sweep_first = ~0ull;\n"
        "  for (sweep_size i = sweep_begin + sweep_thread(); i < sweep_end; "
        "i += sweep_threads()) {{\n{}{}"
        "    ++sweep_count;\n    if (i < sweep_first) sweep_first = i;\n{}  }}\n"
        "  sweep_count_failures(sweep_result, sweep_count, sweep_first);\n}}\n",
        name, buffer_list(pattern_.buffers.size()), test, back_to_generated, show);
    return name;
  }

  std::span<const Configuration> configurations_;
  const Pattern& pattern_;
  SplitBody body_;
  TranslationUnit unit_;
};

}  // namespace

TranslationUnit write_translation_unit(std::span<const Configuration> configurations) {
  return UnitWriter(configurations).write();
}

}  // namespace sweep
