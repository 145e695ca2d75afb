#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/pattern.h"
#include "engine/spec/pattern_header.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

class Checks {
 public:
  Checks(const Pattern& pattern, HeaderGaps gaps, Diagnostics& diagnostics)
      : pattern_(pattern),
        gaps_(std::move(gaps)),
        diagnostics_(diagnostics),
        scope_(scope_of(pattern)) {}

  void run() {
    for (const Parameter& parameter : pattern_.parameters) check_name(parameter);
    for (const Struct& type : pattern_.structs) check_name(type);
    for (const Buffer& buffer : pattern_.buffers) check_name(buffer);
    for (const Argument& argument : pattern_.arguments) check_name(argument);
    check_parameters();
    check_expressions();
    check_types();
    check_directives();
    check_kernel();
    if (!diagnostics_.has_errors()) check_defaults();
  }

 private:
  void check_name(const auto& named) {
    const std::string& name = named.name;
    const std::string_view reason = why_not_a_name(name);
    if (!reason.empty()) {
      diagnostics_.error(named.where, fmt::format("'{}' {}", name, reason), "choose another name");
    } else if (name == pattern_.name) {
      diagnostics_.error(named.where, fmt::format("'{}' is the kernel's name", name),
                         "choose another name");
    } else if (is_among(names_, name)) {
      diagnostics_.error(named.where, fmt::format("the name '{}' is used twice", name),
                         "parameters, structs, buffers and arguments share one set of names");
    }
    names_.push_back(name);
  }

  static bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  }

  bool has_known_kind(const std::string& name) const {
    return !gaps_.names && !is_among(gaps_.unknown_kinds, name);
  }

  void check_parameters() {
    Scope before;
    for (const Parameter& parameter : pattern_.parameters) {
      check_default(parameter, before);
      if (has_known_kind(parameter.name)) check_bounds(parameter);
      before.add(parameter.name, parameter.kind);
    }
  }

  void check_default(const Parameter& parameter, const Scope& before) {
    // A default that is not an expression at all has its message already.
    if (parameter.default_value.where().source == nullptr) return;
    const std::string what = fmt::format("the default of '{}'", parameter.name);
    for (const std::string& name : parameter.default_value.names()) {
      if (before.kind_of(name) || pattern_.find_parameter(name) == nullptr) continue;
      diagnostics_.error(parameter.default_value.where(),
                         fmt::format("{} uses '{}', which is not declared before it", what, name));
      return;
    }
    if (!has_known_kind(parameter.name)) {
      HeaderGaps others = gaps_;
      std::erase(others.unknown_kinds, parameter.name);
      if (!others.concern(parameter.default_value)) {
        parameter.default_value.check(before, diagnostics_);
      }
    } else if (!gaps_.concern(parameter.default_value)) {
      check_kind(parameter.default_value, before, parameter.kind, what, diagnostics_,
                 parameter.kind == ValueKind::boolean ? "write true, false or a comparison" : "");
    }
  }

  void check_bounds(const Parameter& parameter) {
    const auto refuse = [&](const char* why) {
      diagnostics_.error(parameter.where, fmt::format("'{}' is {}: {}", parameter.name,
                                                      describe(parameter.kind), why));
    };
    const bool is_integer = parameter.kind == ValueKind::integer;
    if (!is_integer && (parameter.min || parameter.max)) refuse("it has no min or max");
    if (!is_integer && !parameter.device.empty()) refuse("a figure of the device is an integer");
    if (parameter.min && parameter.max && *parameter.min > *parameter.max) {
      diagnostics_.error(parameter.where,
                         fmt::format("the min of '{}' is above its max", parameter.name));
    }
  }

  void check_integer(const Expression& expression, std::string_view what, const Scope& scope) {
    if (gaps_.concern(expression)) return;
    check_kind(expression, scope, ValueKind::integer, what, diagnostics_);
  }

  /// An expression that comes to an integer.
  struct Figure {
    const Expression& expression;
    std::string what;
    std::optional<std::int64_t> least;  ///< that it may be
  };

  std::vector<Figure> figures() const {
    std::vector<Figure> figures;
    for (const Buffer& buffer : pattern_.buffers) {
      figures.push_back({buffer.length, fmt::format("the length of '{}'", buffer.name), 1});
    }
    for (const Argument& argument : pattern_.arguments) {
      figures.push_back({argument.value, fmt::format("the value of '{}'", argument.name), {}});
    }
    const LaunchShape& launch = pattern_.launch;
    for (const Expression& extent : launch.grid) figures.push_back({extent, "the grid", 1});
    for (const Expression& extent : launch.block) figures.push_back({extent, "the block", 1});
    figures.push_back({launch.shared, "shared memory", 0});
    figures.push_back({pattern_.useful.read, "useful read", 0});
    figures.push_back({pattern_.useful.write, "useful write", 0});
    figures.push_back({pattern_.useful.shared, "useful shared", 0});
    return figures;
  }

  void check_expressions() {
    Scope before;
    for (const Parameter& parameter : pattern_.parameters) {
      before.add(parameter.name, parameter.kind);
    }
    for (const Struct& type : pattern_.structs) {
      check_integer(type.size, fmt::format("the size of '{}'", type.name), before);
      before.add(type.size_name(), ValueKind::integer);
    }
    for (const Expression& condition : pattern_.require) {
      if (gaps_.concern(condition)) continue;
      check_kind(condition, scope_, ValueKind::boolean, "a requirement", diagnostics_,
                 "write a comparison");
    }
    for (const Figure& figure : figures()) check_integer(figure.expression, figure.what, scope_);
  }

  void check_types() {
    std::vector<std::string> known;
    for (const Parameter& parameter : pattern_.parameters) {
      if (parameter.kind == ValueKind::element || !has_known_kind(parameter.name)) {
        known.push_back(parameter.name);
      }
    }
    for (const Struct& type : pattern_.structs) known.push_back(type.name);
    known.insert(known.end(), ElementType::names().begin(), ElementType::names().end());
    for (const Buffer& buffer : pattern_.buffers) check_buffer_type(buffer, known);
    for (const Argument& argument : pattern_.arguments) check_argument_type(argument);
  }

  void check_buffer_type(const Buffer& buffer, const std::vector<std::string>& known) {
    const bool is_known = ElementType::find(buffer.type) || is_among(known, buffer.type);
    if (is_known || buffer.type.empty() || gaps_.names) return;
    mistyped_.push_back(buffer.name);
    const std::string meant = did_you_mean(buffer.type, known);
    diagnostics_.error(
        buffer.type_where,
        fmt::format("the buffer '{}' has the unknown type '{}'", buffer.name, buffer.type),
        meant.empty() ? "a struct of the pattern's own is declared with structs: {NAME: size}"
                      : meant);
  }

  void check_argument_type(const Argument& argument) {
    const auto type = ElementType::find(argument.type);
    // `float1` and its like have one component, but are structs.
    const bool is_scalar = type && type->header() == nullptr && type->components() == 1 &&
                           !type->name().ends_with('1');
    if (argument.type.empty() || is_scalar) return;
    mistyped_.push_back(argument.name);
    diagnostics_.error(argument.type_where,
                       fmt::format("'{}' is not a type that an argument can have", argument.type),
                       "use an integer type, float or double");
  }

  Location place_in_body(std::size_t offset, std::size_t length) const {
    const std::size_t body_begin = pattern_.source->text.size() - pattern_.body.size();
    return location_at(pattern_.source, body_begin + offset, std::max<std::size_t>(length, 1));
  }

  /// Parameters are constants of C++: a condition of the preprocessor takes their names for 0.
  void check_directives() {
    constexpr std::array conditions = {"if", "elif", "ifdef", "ifndef", "elifdef", "elifndef"};
    for (const Directive& directive : find_directives(pattern_.body)) {
      if (std::ranges::find(conditions, directive.name) == conditions.end()) continue;
      const std::string condition = blank_non_code(directive.text);
      const std::size_t begin = directive.offset + directive.length - condition.size();
      for (std::size_t at = 0, end = 0; at < condition.size(); at = std::max(end, at + 1)) {
        for (end = at; end < condition.size() && is_word(condition[end]);) ++end;
        const std::string word = condition.substr(at, end - at);
        if (pattern_.find_parameter(word) == nullptr) continue;
        diagnostics_.error(
            place_in_body(begin + at, word.size()),
            fmt::format("'{}' is a constant, which #{} does not see", word, directive.name),
            instead_of(directive.name, condition));
        break;
      }
    }
  }

  /// What to write instead of a condition of the preprocessor.
  static std::string instead_of(std::string_view directive, const std::string& condition) {
    std::istringstream pieces(condition);
    std::vector<std::string> kept;
    for (std::string piece; pieces >> piece;) {
      if (piece != "\\") kept.push_back(piece);
    }
    const bool has_value = directive == "if" || directive == "elif";
    if (!has_value || condition.find("defined") != std::string::npos) {
      return "a parameter always has a value: leave the condition out, or use if constexpr";
    }
    return fmt::format("use if constexpr ({})", fmt::join(kept, " "));
  }

  void check_kernel() {
    if (const std::string_view reason = why_not_a_name(pattern_.name); !reason.empty()) {
      diagnostics_.error(
          {pattern_.source, 0, 0, 1},
          fmt::format("the file's name is the kernel's, but '{}' {}", pattern_.name, reason),
          "rename the file");
      return;
    }
    const std::vector<KernelDeclaration> kernels = find_kernels(pattern_.body);
    const auto found = std::ranges::find(kernels, pattern_.name, &KernelDeclaration::name);
    if (found == kernels.end()) {
      std::vector<std::string> names;
      for (const KernelDeclaration& kernel : kernels) names.push_back(kernel.name);
      diagnostics_.error({pattern_.source, 0, 0, 1},
                         fmt::format("there is no kernel '{}' in this file", pattern_.name),
                         names.empty() ? fmt::format("write __global__ void {}(...)", pattern_.name)
                                       : fmt::format("the kernel must have the file's name; "
                                                     "there is: {}",
                                                     fmt::join(names, ", ")));
      return;
    }
    const Location where = place_in_body(found->offset, found->name.size());
    if (found->is_template) {
      diagnostics_.error(where, "the kernel is a template",
                         "parameters are constants in a pattern: use them instead of template "
                         "arguments");
    }
    constexpr const char* own_namespace = "every configuration has a namespace of its own";
    if (found->is_extern_c) {
      diagnostics_.error(where, "the kernel is declared extern",
                         fmt::format("leave 'extern \"C\"' out: {}", own_namespace));
    }
    if (found->is_in_namespace) {
      diagnostics_.error(where, "the kernel is declared in a namespace",
                         fmt::format("move it out: {}", own_namespace));
    }
    if (!gaps_.kernel_parameters) check_signature(*found, where);
  }

  /// What the kernel is called with, by the header.
  struct Passed {
    const std::string& name;
    const std::string& type;
    bool is_buffer;

    std::string full_type() const { return type + (is_buffer ? "*" : ""); }
  };

  void check_signature(const KernelDeclaration& kernel, const Location& where) {
    std::vector<Passed> passed;
    for (const Buffer& one : pattern_.buffers) passed.push_back({one.name, one.type, true});
    for (const Argument& one : pattern_.arguments) passed.push_back({one.name, one.type, false});
    std::vector<std::string> expected;
    for (const Passed& each : passed) expected.push_back(each.full_type() + ' ' + each.name);
    const std::string help =
        fmt::format("the header describes {}({})", kernel.name, fmt::join(expected, ", "));
    if (kernel.parameters.size() != passed.size()) {
      diagnostics_.error(where,
                         fmt::format("the kernel takes {}, but the header has {} and {}",
                                     count_of(kernel.parameters.size(), "parameter"),
                                     count_of(pattern_.buffers.size(), "buffer"),
                                     count_of(pattern_.arguments.size(), "argument")),
                         help);
      return;
    }
    for (std::size_t i = 0; i < passed.size(); ++i) {
      const KernelParameter& parameter = kernel.parameters[i];
      const std::string& name = passed[i].name;
      if (passed[i].type.empty() || is_among(mistyped_, name)) continue;
      std::string_view given = parameter.type;
      const bool is_pointer = given.ends_with('*');
      if (is_pointer) given.remove_suffix(1);
      std::string mistake;
      if (is_pointer != passed[i].is_buffer ||
          canonical_type(given) != canonical_type(passed[i].type)) {
        mistake = fmt::format("'{}' is passed as '{}', but this parameter has the type '{}'", name,
                              passed[i].full_type(), parameter.type);
      } else if (parameter.name != name && is_among(names_, parameter.name)) {
        mistake = fmt::format("'{}' stands where '{}' is passed", parameter.name, name);
      }
      if (mistake.empty()) continue;
      diagnostics_.error(place_in_body(parameter.offset, parameter.length), mistake, help);
    }
  }

  /// The default configuration must be a good one: it is what `sweep check` compiles.
  void check_defaults() {
    Configuration defaults;
    try {
      defaults = resolve(std::make_shared<Pattern>(pattern_), {});
    } catch (const InputError& error) {
      diagnostics_.add_all(error.diagnostics());
      return;
    }
    defaults_ = to_string(defaults.parameters);
    Bindings environment = defaults.parameters;
    for (const Struct& type : pattern_.structs) {
      const std::string what = fmt::format("the size of '{}'", type.name);
      const auto size = check_value(type.size, environment, what, 1);
      if (!size) return;
      environment.set(type.size_name(), *size);
    }
    for (const Expression& condition : pattern_.require) {
      const auto holds = value_of(condition, environment, diagnostics_);
      if (!holds || std::get<bool>(*holds)) continue;
      diagnostics_.error(condition.where(), "the defaults do not satisfy this requirement",
                         defaults_);
    }
    for (const Figure& figure : figures()) {
      if (figure.least) {
        check_value(figure.expression, environment, figure.what, *figure.least);
      } else {
        value_of(figure.expression, environment, diagnostics_);
      }
    }
  }

  /// The value, or nothing, with a message, when there is none or it is below `least`.
  std::optional<std::int64_t> check_value(const Expression& expression, const Bindings& environment,
                                          const std::string& what, std::int64_t least) {
    const auto value = value_of(expression, environment, diagnostics_);
    if (!value) return std::nullopt;
    const std::int64_t number = std::get<std::int64_t>(*value);
    if (number >= least) return number;
    diagnostics_.error(
        expression.where(),
        fmt::format("with the defaults {} is {}, but {} is the least", what, number, least),
        defaults_);
    return std::nullopt;
  }

  const Pattern& pattern_;
  HeaderGaps gaps_;
  Diagnostics& diagnostics_;
  Scope scope_;
  std::vector<std::string> names_;     ///< of parameters, structs, buffers and arguments
  std::vector<std::string> mistyped_;  ///< buffers and arguments of a type there is not
  std::string defaults_;               ///< "BLOCK=256 N=1024"
};

}  // namespace

void check_pattern(const Pattern& pattern, HeaderGaps gaps, Diagnostics& diagnostics) {
  Checks(pattern, std::move(gaps), diagnostics).run();
}

}  // namespace sweep
