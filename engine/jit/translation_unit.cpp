#include "engine/jit/translation_unit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "engine/jit/equality.h"
#include "engine/jit/prelude.h"
#include "engine/spec/cuda_scanner.h"

namespace sweep {
namespace {

/// CUDA source without its #include lines, which are blanked, and those lines.
struct SplitBody {
  std::string text;
  std::vector<std::string> includes;
};

SplitBody split_includes(const std::string& body) {
  SplitBody result;
  std::size_t begin = 0;
  while (begin < body.size()) {
    const std::size_t end = std::min(body.find('\n', begin), body.size());
    const std::string_view line = std::string_view(body).substr(begin, end - begin);
    std::string_view rest = line;
    const auto skip_blanks = [&] {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    };
    skip_blanks();
    bool is_include = rest.starts_with('#');
    if (is_include) {
      rest.remove_prefix(1);
      skip_blanks();
      is_include = rest.starts_with("include");
    }
    if (is_include) {
      result.includes.emplace_back(line);
    } else {
      result.text += line;
    }
    if (end < body.size()) result.text += '\n';
    begin = end + 1;
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

/// `cuda` placed so that the compiler sees it on the line and column where it stands in its file.
std::string placed(const CudaExpression& cuda, std::string_view text, std::size_t skipped) {
  const std::size_t column = cuda.where.column + skipped;
  return fmt::format("\n#line {} {}\n{}{}\n#line 1 \"generated\"\n", cuda.where.line,
                     quoted(cuda.where.source->name), std::string(column > 0 ? column - 1 : 0, ' '),
                     text);
}

class UnitWriter {
 public:
  explicit UnitWriter(std::span<const Configuration> configurations)
      : configurations_(configurations),
        pattern_(*configurations.front().pattern),
        body_(split_includes(pattern_.body)) {}

  TranslationUnit write() {
    unit_.text = prelude(element_types());
    for (const std::string& include : body_.includes) unit_.text += include + '\n';
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

  void write_configuration(std::size_t index) {
    const Configuration& configuration = configurations_[index];
    const std::string space = fmt::format("sweep_c{}", index);
    UnitEntries entries;
    entries.kernel_expression = fmt::format("&{}::{}", space, pattern_.name);
    unit_.text += fmt::format("namespace {} {{\n", space);
    write_constants(configuration);
    // What stands before the body on its first line is the header's end.
    const std::size_t header_end = pattern_.source->text.size() - pattern_.body.size();
    const std::size_t line_begin = offset_of_line(pattern_.source->text, pattern_.body_line);
    unit_.text += fmt::format("#line {} {}\n{}{}\n#line 1 \"generated\"\n", pattern_.body_line,
                              quoted(pattern_.source->name),
                              std::string(header_end - line_begin, ' '), body_.text);
    write_struct_checks(configuration);
    for (std::size_t i = 0; i < pattern_.buffers.size(); ++i) {
      entries.init.push_back(write_init(space, i));
    }
    for (std::size_t i = 0; i < pattern_.verify.size(); ++i) {
      entries.check.push_back(write_check(space, i));
    }
    unit_.text += "}\n";
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
    unit_.text += fmt::format(
        "extern \"C\" __global__ void {}({}, unsigned long long sweep_length) {{\n"
        "  const size_t sweep_step = size_t(gridDim.x) * blockDim.x;\n"
        "  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < sweep_length; i += "
        "sweep_step)\n    {}[i] = {};\n}}\n",
        name, buffer_list(index), buffer.name, placed(*buffer.init, buffer.init->text, 0));
    return name;
  }

  std::string write_check(const std::string& space, std::size_t index) {
    const Verification& verification = pattern_.verify[index];
    const CudaExpression& condition = verification.condition;
    const std::string name = fmt::format("{}_check_{}", space, index);
    std::string test;
    std::string show;
    if (const auto equality = split_equality(condition.text)) {
      const auto skipped =
          static_cast<std::size_t>(equality->expected.data() - condition.text.data());
      test = fmt::format(
          "    const auto sweep_actual = {};\n    const auto sweep_expected = {};\n"
          "    if (sweep_actual == sweep_expected) continue;\n",
          placed(condition, equality->actual, 0), placed(condition, equality->expected, skipped));
      show =
          "    if (sweep_end - sweep_begin == 1) {\n"
          "      sweep_show(sweep_actual, sweep_result->actual);\n"
          "      sweep_show(sweep_expected, sweep_result->expected);\n    }\n";
    } else {
      test = fmt::format("    const bool sweep_holds = {};\n    if (sweep_holds) continue;\n",
                         placed(condition, condition.text, 0));
    }
    unit_.text += fmt::format(
        "extern \"C\" __global__ void {}({}, unsigned long long sweep_begin, unsigned long long "
        "sweep_end, sweep_failure* sweep_result) {{\n"
        "  unsigned long long sweep_count = 0, sweep_first = ~0ull;\n"
        "  const size_t sweep_step = size_t(gridDim.x) * blockDim.x;\n"
        "  for (size_t i = sweep_begin + size_t(blockIdx.x) * blockDim.x + threadIdx.x; "
        "i < sweep_end; i += sweep_step) {{\n{}"
        "    ++sweep_count;\n    if (i < sweep_first) sweep_first = i;\n{}  }}\n"
        "  if (sweep_count > 0) {{\n    atomicAdd(&sweep_result->count, sweep_count);\n"
        "    atomicMin(&sweep_result->first, sweep_first);\n  }}\n}}\n",
        name, buffer_list(pattern_.buffers.size()), test, show);
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
