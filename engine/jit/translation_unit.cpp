#include "engine/jit/translation_unit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/backend/backend.h"
#include "engine/jit/foreign_headers.h"
#include "engine/jit/launch_text.h"
#include "engine/jit/nvrtc.h"
#include "engine/jit/prelude.h"
#include "engine/spec/compile_rules.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/included_files.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

class UnitWriter {
 public:
  explicit UnitWriter(std::span<const Configuration> configurations)
      : configurations_(configurations),
        pattern_(*configurations.front().pattern),
        body_(split_body(pattern_)),
        dependence_(text_dependence(pattern_)),
        makers_(vector_makers(pattern_)) {
    const std::vector<IncludeName>& names = pattern_.included.in_body;
    body_.text = with_header_names(std::move(body_.text), 0, names);
    for (Include& include : body_.includes) {
      include.text = with_header_names(std::move(include.text), include.offset, names);
    }
  }

  TranslationUnit write() {
    unit_.text = back_to_generated + prelude(element_types());
    if (names_random_function(pattern_)) unit_.text += random_functions();
    unit_.text += expression_functions(pattern_);
    const auto compares = [](const Verification& check) { return check.tolerance.has_value(); };
    if (std::ranges::any_of(pattern_.verify, compares)) unit_.text += comparing_functions();
    if (is_named_) unit_.text += packing_functions();
    for (const std::string& header : implied_headers(pattern_)) {
      unit_.text += fmt::format("#include <{}>\n", header);
    }
    if (!pattern_.constants.empty()) unit_.text += element_types_of_arrays();
    // A header of the toolkit cannot stand in a namespace; once it is read, files that include it
    // there read nothing.
    for (const ForeignInclude& foreign : pattern_.included.foreign) {
      if (body_.has_files && !foreign.is_in_body) {
        unit_.text += fmt::format("#include <{}>\n", foreign.name);
      }
    }
    if (!pattern_.included.files.empty()) unit_.text += "#include <sweep/nvcc>\n";
    for (const Include& include : body_.includes) {
      unit_.text += placed(place_in_source(include.offset), include.text) + back_to_generated;
    }
    for (std::size_t i = 0; i < configurations_.size(); ++i) write_configuration(i);
    return std::move(unit_);
  }

  /// What the first configuration's body stands behind, without a namespace.
  std::string declarations() const {
    std::string text = element_type_headers(element_types());
    for (const std::string& header : implied_headers(pattern_)) {
      const bool is_own = header.starts_with("sweep/");
      if (!is_own) text += fmt::format("#include <{}>\n", header);
    }
    text += expression_functions(pattern_);
    const Configuration& configuration = configurations_.front();
    for (const auto& [name, value] : configuration.parameters.entries()) {
      const auto* type = std::get_if<ElementType>(&value);
      text += type != nullptr ? type_alias(name, *type) : constant_declaration(name, value) + '\n';
    }
    return text + macro_lines(configuration);
  }

 private:
  std::set<ElementType> element_types() const {
    std::set<ElementType> types;
    for (const Configuration& configuration : configurations_) {
      for (const auto& [name, value] : configuration.parameters.entries()) {
        if (const auto* type = std::get_if<ElementType>(&value)) types.insert(*type);
      }
    }
    for (const Buffer& buffer : pattern_.buffers) {
      if (const auto type = ElementType::find(buffer.type)) types.insert(*type);
    }
    for (const Verification& check : pattern_.verify) {
      if (!check.tolerance) continue;
      if (const auto type = ElementType::find(check.tolerance->accumulate)) types.insert(*type);
    }
    return types;
  }

  /// Where the body's character at `offset` stands in the pattern file.
  Location place_in_source(std::size_t offset) const {
    return location_at(pattern_.source,
                       pattern_.source->text.size() - pattern_.body.size() + offset);
  }

  /// Writes what no configuration before it has: its body, the functions that need it, and those
  /// that can stand without it.
  void write_configuration(std::size_t index) {
    const Configuration& configuration = configurations_[index];
    space_ = fmt::format("sweep_c{}", index);
    parameters_ = &configuration.parameters;
    is_open_ = false;
    const std::string body_values = values_of(configuration, dependence_.body);
    auto [body_space, is_new_body] = bodies_.try_emplace(body_values, space_);
    has_body_ = is_new_body;
    if (has_body_) {
      open_space(configuration);
      unit_.text += macro_lines(configuration);
      unit_.text += placed(place_in_source(0), body_.text) + back_to_generated;
      write_struct_checks(configuration);
      for (std::size_t i = 0; i < pattern_.steps.size(); ++i) {
        if (is_named_) unit_.text += kernel_declaration(pattern_, i);
        unit_.symbols.push_back(kernel_in(space_, i));
      }
      write_symbols();
      write_sizes();
      for (const std::string& macro : body_.macros) {
        if (means_of_header(pattern_, macro)) unit_.text += fmt::format("#undef {}\n", macro);
      }
    }
    EntryNames entries = {{}, {}, {}, {}, {}};
    for (std::size_t i = 0; i < pattern_.buffers.size(); ++i) {
      const bool is_known = pattern_.knows_size(pattern_.buffers[i].type);
      entries.sizes.push_back(is_known ? "" : size_in(body_space->second, i));
    }
    const auto function = [&](const char* kind, std::size_t i, const FunctionDependence& dependence,
                              std::string (UnitWriter::*write_it)(std::size_t)) {
      auto [known, is_new] = functions_.try_emplace(fmt::format(
          "{}_{} {}", kind, i,
          dependence.needs_body ? body_values : values_of(configuration, dependence.parameters)));
      if (is_new) {
        open_space(configuration);
        known->second = (this->*write_it)(i);
      }
      return known->second;
    };
    for (std::size_t i = 0; i < pattern_.steps.size(); ++i) {
      StepNames& step = entries.steps.emplace_back(StepNames{kernel_in(body_space->second, i)});
      if (is_named_) step.pack = function("pack", i, {true, {}}, &UnitWriter::write_pack);
    }
    for (std::size_t i = 0; i < pattern_.buffers.size(); ++i) {
      std::string& init = entries.init.emplace_back();
      if (!pattern_.buffers[i].init) continue;
      init = function("init", i, dependence_.init[i], &UnitWriter::write_init);
    }
    for (std::size_t i = 0; i < pattern_.verify.size(); ++i) {
      entries.check.push_back(function("check", i, dependence_.check[i], &UnitWriter::write_check));
    }
    for (std::size_t i = 0; i < pattern_.constants.size(); ++i) {
      entries.constants.push_back({fmt::format("{}::{}", body_space->second, symbol_name(i)),
                                   function("fill", i, {true, {}}, &UnitWriter::write_fill)});
    }
    if (is_open_) unit_.text += "}\n";
    // What one configuration defines, the next does not see.
    for (const std::string& macro : body_.macros) {
      if (has_body_) unit_.text += fmt::format("#undef {}\n", macro);
    }
    unit_.entries.push_back(std::move(entries));
  }

  /// Those that nothing in the namespace depends on would only cost time.
  bool needs_constant(const std::string& name) const {
    const auto is_among = [&](const ParameterNames& names) {
      return std::ranges::find(names, name) != names.end();
    };
    const auto is_for = [&](const FunctionDependence& function) {
      return !function.needs_body && is_among(function.parameters);
    };
    return (has_body_ && is_among(dependence_.body)) ||
           std::ranges::any_of(dependence_.init, is_for) ||
           std::ranges::any_of(dependence_.check, is_for);
  }

  /// Begins the configuration's namespace, once, with its constants. The compiler keeps every
  /// constant as a variable, at a price that grows with their number and that of the functions:
  /// configurations with the same value have one in common.
  void open_space(const Configuration& configuration) {
    if (std::exchange(is_open_, true)) return;
    std::string declarations;
    for (const std::string& maker : makers_) declarations += fmt::format("using ::{};\n", maker);
    for (const auto& [name, value] : configuration.parameters.entries()) {
      if (const auto* type = std::get_if<ElementType>(&value)) {
        declarations += type_alias(name, *type);
      } else if (needs_constant(name)) {
        declarations += fmt::format("using {}::{};\n", space_of_constant(name, value), name);
      }
    }
    unit_.text += fmt::format("namespace {} {{\n{}", space_, declarations);
  }

  /// The namespace of the constant with this value, which is written unless it is there.
  const std::string& space_of_constant(const std::string& name, const Value& value) {
    auto [known, is_new] = constants_.try_emplace(fmt::format("{} {}", name, to_string(value)));
    if (is_new) {
      known->second = fmt::format("{}{}", constants_namespace, constants_.size() - 1);
      unit_.text +=
          fmt::format("namespace {} {{ {} }}\n", known->second, constant_declaration(name, value));
    }
    return known->second;
  }

  static std::string type_alias(const std::string& name, ElementType type) {
    return fmt::format("using {} = {};\n", name, type.cuda());
  }

  static std::string constant_declaration(const std::string& name, const Value& value) {
    const auto* truth = std::get_if<bool>(&value);
    const auto* word = std::get_if<std::string>(&value);
    return truth != nullptr  ? fmt::format("constexpr bool {} = {};", name, *truth)
           : word != nullptr ? fmt::format("constexpr const char* {} = \"{}\";", name, *word)
                             : integer_constant(name, std::get<std::int64_t>(value));
  }

  static std::string integer_constant(const std::string& name, std::int64_t value) {
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    if (value == lowest) return fmt::format("constexpr long long {} = {}LL - 1;", name, value + 1);
    const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                      value <= std::numeric_limits<std::int32_t>::max();
    return fits ? fmt::format("constexpr int {} = int({}LL);", name, value)
                : fmt::format("constexpr long long {} = {}LL;", name, value);
  }

  /// A line for each struct that does not compile unless its size is the header's, and shows both.
  void write_struct_checks(const Configuration& configuration) {
    for (std::size_t i = 0; i < pattern_.structs.size(); ++i) {
      const Struct& type = pattern_.structs[i];
      unit_.text +=
          fmt::format("constexpr sweep_bytes<{}>* {}{}_struct =\n",
                      type.size.evaluate_integer(configuration.parameters), constants_namespace,
                      i) +
          placed(type.where,
                 fmt::format("static_cast<sweep_bytes<sizeof({})>*>(nullptr);", type.name)) +
          back_to_generated;
    }
  }

  /// "const T* a, T* b": every buffer, constant but for `writable`; none is where that is not
  /// given.
  std::string buffer_list(std::optional<std::size_t> writable) const {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < pattern_.buffers.size(); ++i) {
      const Buffer& buffer = pattern_.buffers[i];
      list.push_back(fmt::format("{}{}* {}", !writable || i == *writable ? "" : "const ",
                                 cuda_type(buffer.type), buffer.name));
    }
    return fmt::format("{}", fmt::join(list, ", "));
  }

  /// What a step's kernel is called from outside the namespace that has the body.
  std::string kernel_in(const std::string& space, std::size_t step) const {
    return is_named_ ? fmt::format("{}::{}", space, kernel_pointer(step))
                     : fmt::format("&{}::{}", space, pattern_.name);
  }

  /// An element type in CUDA's words; a parameter and a struct have the names that they have.
  static std::string cuda_type(const std::string& type) {
    const auto element = ElementType::find(type);
    return element ? element->cuda() : type;
  }

  std::string write_pack(std::size_t index) {
    const std::string name = fmt::format("{}_pack_{}", space_, index);
    std::string given = buffer_list({});
    for (const Argument& scalar : pattern_.arguments) {
      given += fmt::format(", {} {}", scalar.type, scalar.name);
    }
    for (std::size_t i = 0; i < pattern_.steps[index].objects.size(); ++i) {
      given += fmt::format(", sweep_u64 {}", object_name(i));
    }
    for (const Repeat& repeat : pattern_.steps[index].repeat) {
      given += fmt::format(", int {}", repeat.name);
    }
    unit_.text += packing_kernel(pattern_, index, name, given);
    return name;
  }

  static std::string symbol_name(std::size_t constant) {
    return fmt::format("{}{}_symbol", constants_namespace, constant);
  }

  /// A pointer to each variable that is filled, wherever it stands.
  void write_symbols() {
    for (std::size_t i = 0; i < pattern_.constants.size(); ++i) {
      const auto& [name, where] = pattern_.constants[i].symbol;
      unit_.text += placed(where, fmt::format("constexpr auto {} = &", symbol_name(i))) +
                    placed(where, name + ";") + back_to_generated;
      unit_.symbols.push_back(fmt::format("{}::{}", space_, symbol_name(i)));
    }
  }

  static std::string size_in(const std::string& space, std::size_t buffer) {
    return fmt::format("{}::{}{}_size", space, constants_namespace, buffer);
  }

  /// What has the sizes of those elements in its name that the header says nothing of.
  void write_sizes() {
    for (std::size_t i = 0; i < pattern_.buffers.size(); ++i) {
      const Buffer& buffer = pattern_.buffers[i];
      if (pattern_.knows_size(buffer.type)) continue;
      unit_.text +=
          fmt::format("using {}{}_type =\n", constants_namespace, i) +
          placed(buffer.type_where, buffer.type + ";") + back_to_generated +
          fmt::format("constexpr auto {0}{1}_size = &sweep_size_of<sizeof({0}{1}_type)>;\n",
                      constants_namespace, i);
      unit_.symbols.push_back(size_in(space_, i));
    }
  }

  std::string write_fill(std::size_t index) {
    const auto& [symbol, init] = pattern_.constants[index];
    const std::string name = fmt::format("{}_fill_{}", space_, index);
    unit_.text += fmt::format(
        "extern \"C\" __global__ void {}({}, void* sweep_to, sweep_u64 sweep_bytes) {{\n"
        "  using sweep_type = sweep_element<decltype({})>::type;\n"
        "  for (sweep_size i = sweep_thread(); i * sizeof(sweep_type) < sweep_bytes; "
        "i += sweep_threads()) {{\n{}{}{}{}  }}\n}}\n",
        name, buffer_list({}), symbol.text,
        placed(init.where, "static_cast<sweep_type*>(sweep_to)[i] ="),
        placed(init.where, init.text), placed(place_within(init, init.text.size()), ";"),
        back_to_generated);
    return name;
  }

  /// Whether the buffer has floating-point elements of 16 bits in this configuration.
  bool is_half(const Buffer& buffer) const {
    auto type = ElementType::find(buffer.type);
    const Value* value = parameters_->find(buffer.type);
    if (value != nullptr && std::holds_alternative<ElementType>(*value)) {
      type = std::get<ElementType>(*value);
    }
    return type && type->header() != nullptr && type->components() == 1;
  }

  std::string write_init(std::size_t index) {
    const Buffer& buffer = pattern_.buffers[index];
    const std::string name = fmt::format("{}_init_{}", space_, index);
    const CudaExpression& init = *buffer.init;
    // The statement stands on the lines of `init`, its signs where the messages about them point.
    unit_.text += fmt::format(
        "extern \"C\" __global__ void {}({}, sweep_u64 sweep_length) {{\n"
        "  sweep_size i = sweep_thread();\n  if (i < sweep_length) {{\n"
        "{}{}{}{}{}  }}\n}}\n",
        name, buffer_list(index), placed(init.where, buffer.name + "[i]"),
        placed(init.where,
               is_half(buffer) ? fmt::format("= sweep_value<{}>(", cuda_type(buffer.type)) : "="),
        placed(init.where, init.text),
        placed(place_within(init, init.text.size()), is_half(buffer) ? ");" : ";"),
        back_to_generated);
    return name;
  }

  std::string write_check(std::size_t index) {
    return pattern_.verify[index].tolerance ? write_comparison(index) : write_condition(index);
  }

  std::string write_comparison(std::size_t index) {
    const Verification& verification = pattern_.verify[index];
    const Tolerance& tolerance = *verification.tolerance;
    const std::string name = fmt::format("{}_check_{}", space_, index);
    const std::string& holder =
        verification.reference.empty() ? verification.buffer : verification.reference;
    const std::string type =
        cuda_type(std::ranges::find(pattern_.buffers, holder, &Buffer::name)->type);
    std::string values =
        verification.has_array()
            ? "    const auto sweep_expected = sweep_values[i];\n"
            : declaration_of("const auto sweep_expected =", verification.condition) +
                  back_to_generated;
    std::string bounds =
        fmt::format("    sweep_bounds sweep_within;\n    sweep_within.sweep_equal_nan = {};\n",
                    tolerance.equal_nan);
    for (const Tolerance::Bound& bound : tolerance.bounds) {
      bounds += declaration_of(fmt::format("sweep_within.sweep_{} =", bound.key), bound.value);
    }
    bounds += back_to_generated;
    const std::string sums = tolerance.accumulate.empty()
                                 ? "decltype(sweep_component<0>(sweep_actual))"
                                 : cuda_type(tolerance.accumulate);
    unit_.text += fmt::format(
        "extern \"C\" __global__ void {}({}, {}sweep_u64 sweep_begin, sweep_u64 sweep_end, "
        "sweep_failure* sweep_result) {{\n"
        "  sweep_size i = sweep_begin + sweep_thread();\n  if (i < sweep_end) {{\n"
        "    const auto sweep_actual = {}[i];\n{}"
        "    if (sweep_is_equal(sweep_actual, sweep_expected)) return;\n{}"
        "    if (sweep_within.sweep_length > 0) {{\n"
        "      sweep_within.sweep_roundoff = sweep_roundoff<{}>();\n    }}\n"
        "    const auto sweep_off = sweep_compare(sweep_actual, sweep_expected, sweep_within);\n"
        "    if (sweep_off.sweep_is_right) return;\n"
        "    sweep_fail(sweep_result, i);\n    sweep_note(sweep_result, i, sweep_off);\n"
        "    if (sweep_end - sweep_begin == 1) {{\n"
        "      sweep_show_both(sweep_result, sweep_actual, sweep_expected);\n"
        "      sweep_show_distance(sweep_result, sweep_off);\n    }}\n  }}\n}}\n",
        name, buffer_list(pattern_.buffers.size()),
        verification.has_array() ? fmt::format("const {}* sweep_values, ", type) : "",
        verification.buffer, values, bounds, sums);
    return name;
  }

  std::string write_condition(std::size_t index) {
    const CudaExpression& condition = pattern_.verify[index].condition;
    const std::string name = fmt::format("{}_check_{}", space_, index);
    const auto declared = [&](const char* declaration, std::string_view value) {
      const auto begin = static_cast<std::size_t>(value.data() - condition.text.data());
      const Location where = place_within(condition, begin);
      return placed(where, declaration) + placed(where, value) +
             placed(place_within(condition, begin + value.size()), ";");
    };
    std::string test;
    std::string show;
    if (const auto equality = split_equality(condition.text)) {
      test = declared("const auto sweep_actual =", equality->actual) +
             declared("const auto sweep_expected =", equality->expected) +
             placed(condition.where, "if (sweep_actual") +
             placed(place_within(condition, equality->actual.size()), "== sweep_expected) return;");
      show =
          "    if (sweep_end - sweep_begin == 1) {\n"
          "      sweep_show_both(sweep_result, sweep_actual, sweep_expected);\n    }\n";
    } else {
      test = declared("const bool sweep_holds =", condition.text) +
             placed(condition.where, "if (sweep_holds) return;");
    }
    unit_.text += fmt::format(
        "extern \"C\" __global__ void {}({}, sweep_u64 sweep_begin, sweep_u64 sweep_end, "
        "sweep_failure* sweep_result) {{\n"
        "  sweep_size i = sweep_begin + sweep_thread();\n  if (i < sweep_end) {{\n{}{}"
        "    sweep_fail(sweep_result, i);\n{}  }}\n}}\n",
        name, buffer_list(pattern_.buffers.size()), test, back_to_generated, show);
    return name;
  }

  std::span<const Configuration> configurations_;
  const Pattern& pattern_;
  SplitBody body_;
  TextDependence dependence_;
  std::vector<std::string> makers_;
  /// Whether the header names the kernels or lists their arguments.
  bool is_named_ = pattern_.steps.front().arguments.has_value();
  TranslationUnit unit_;
  const Bindings* parameters_ = nullptr;  ///< of the configuration that is being written
  std::string space_;                     ///< its namespace
  bool is_open_ = false;                  ///< whether that has begun
  bool has_body_ = false;                 ///< whether the body stands in it
  // What is written already, by the values that it depends on.
  std::map<std::string, std::string> bodies_;     ///< their namespaces
  std::map<std::string, std::string> functions_;  ///< their names
  std::map<std::string, std::string> constants_;  ///< their namespaces, by name and value
};

}  // namespace

std::uint64_t bytes_in(std::string_view size_name) {
  // As the Itanium ABI mangles it: _Z13sweep_size_ofILy24EEvv.
  constexpr std::string_view mark = "ILy";
  const std::size_t begin = std::min(size_name.find(mark), size_name.size() - mark.size());
  std::uint64_t bytes = 0;
  for (std::size_t at = begin + mark.size(); at < size_name.size(); ++at) {
    if (!is_digit(size_name[at])) break;
    bytes = bytes * 10 + static_cast<std::uint64_t>(size_name[at] - '0');
  }
  return bytes;
}

bool means_of_header(const Pattern& pattern, std::string_view name) {
  const auto has = [&](const auto& list, auto member) {
    return std::ranges::find(list, name, member) != list.end();
  };
  return name == "i" || has(pattern.buffers, &Buffer::name) ||
         has(pattern.arguments, &Argument::name) ||
         std::ranges::any_of(pattern.steps,
                             [&](const Step& step) { return has(step.repeat, &Repeat::name); });
}

TranslationUnit write_translation_unit(std::span<const Configuration> configurations) {
  return UnitWriter(configurations).write();
}

std::string declarations_of(const Configuration& configuration) {
  return UnitWriter({&configuration, 1}).declarations();
}

}  // namespace sweep
