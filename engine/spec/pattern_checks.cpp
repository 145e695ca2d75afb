#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "engine/spec/compile_rules.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/named_kernel.h"
#include "engine/spec/pattern.h"
#include "engine/spec/pattern_header.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

class Checks {
 public:
  Checks(Pattern& pattern, HeaderReading& header, Diagnostics& diagnostics)
      : pattern_(pattern), header_(header), diagnostics_(diagnostics) {}

  void run() {
    check_directives();
    check_kernel();
    for (Step& step : header_.reference) check_named_kernel(step);
    if (!diagnostics_.has_errors()) check_defaults();
  }

 private:
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
      std::string_view word;
      for (std::size_t at = 0; at < condition.size(); at += std::max<std::size_t>(word.size(), 1)) {
        word = word_at(condition, at);
        if (pattern_.find_parameter(word) == nullptr || pattern_.compile.defines_macro(word)) {
          continue;
        }
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

  /// Whether what the pattern includes could not all be read, so that it lacks what it should have.
  bool lacks_files() const {
    return std::ranges::any_of(diagnostics_.list(), [&](const Diagnostic& each) {
      return each.severity == Severity::error && each.where.source != nullptr &&
             (each.where.source != pattern_.source || each.where.line >= pattern_.body_line);
    });
  }

  /// A kernel that the header names, or whose arguments it lists; the compiler sees the rest.
  void check_named_kernel(Step& step) {
    const std::string name = kernel_name(pattern_, step);
    std::vector<std::string> names;
    for (const KernelDeclaration& each : kernels_of(pattern_)) {
      if (!is_among(names, each.name)) names.push_back(each.name);
    }
    Location where = step.kernel.where;
    if (step.kernel.text.empty()) where = {pattern_.source, 0, 0, 1};
    if (!is_among(names, name) && !may_hide_kernels(pattern_) && !lacks_files()) {
      diagnostics_.error(
          where,
          fmt::format("there is no kernel '{}' in this file, nor in one that it includes", name),
          names.empty() ? "#include the file in which it is" : suggest(name, names, "there are"));
    }
    step.scope = implied_scope(pattern_, step);
    const auto kernel = find_kernel(pattern_, step);
    if (!kernel || !step.arguments || header_.lacks_kernel_parameters) return;
    std::vector<KernelArgument>& listed = *step.arguments;
    if (!takes(*kernel, listed.size())) {
      diagnostics_.error(
          listed.empty() ? where : listed.front().value.where,
          fmt::format("the kernel takes {}, but the header gives {}",
                      count_of(kernel->parameters.size(), "parameter"), listed.size()),
          "it is " + to_string(*kernel));
      return;
    }
    const std::vector<KernelParameter>& parameters = kernel->parameters;
    const bool has_pack = std::ranges::any_of(parameters, &KernelParameter::is_pack);
    if (!has_pack && overloads_of(pattern_, step).size() > 1) {
      step.parameter_count = parameters.size();
    }
    // What one step reads, another may write.
    const bool is_only = pattern_.steps.size() == 1 && &step == &pattern_.steps.front();
    for (std::size_t i = 0; i < listed.size() && is_only; ++i) {
      if (i >= parameters.size() || parameters[i].is_pack()) break;
      const auto buffer = std::ranges::find(pattern_.buffers, listed[i].value.text, &Buffer::name);
      if (buffer != pattern_.buffers.end()) buffer->is_const = parameters[i].is_const;
    }
    while (!has_pack && listed.size() < parameters.size()) {
      listed.push_back({{parameters[listed.size()].default_value, where}});
    }
  }

  void check_kernel() {
    const Step& only = pattern_.steps.front();
    if (pattern_.steps.size() > 1 || !only.kernel.text.empty() || only.arguments) {
      for (Step& step : pattern_.steps) check_named_kernel(step);
      return;
    }
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
    const std::string own_namespace = "every configuration has a namespace of its own";
    if (found->is_extern_c) {
      diagnostics_.error(where, "the kernel is declared extern",
                         "leave 'extern \"C\"' out: " + own_namespace);
    }
    if (found->is_in_namespace) {
      diagnostics_.error(where, "the kernel is declared in a namespace",
                         "move it out: " + own_namespace);
    }
    if (!header_.lacks_kernel_parameters) check_signature(*found, where);
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
      if (passed[i].is_buffer) pattern_.buffers[i].is_const = parameter.is_const;
      const std::string& name = passed[i].name;
      if (passed[i].type.empty() || is_among(header_.mistyped, name)) continue;
      std::string_view given = parameter.type;
      const bool is_pointer = given.ends_with('*');
      if (is_pointer) given.remove_suffix(1);
      std::string mistake;
      if (is_pointer != passed[i].is_buffer ||
          canonical_type(given) != canonical_type(passed[i].type)) {
        mistake = fmt::format("'{}' is passed as '{}', but this parameter has the type '{}'", name,
                              passed[i].full_type(), parameter.type);
      } else if (parameter.name != name && is_among(header_.names, parameter.name)) {
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
    try {
      compiler_options(defaults);
      macro_lines(defaults);
    } catch (const InputError& error) {
      diagnostics_.add_all(error.diagnostics());
      return;
    }
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
    for (const HeaderFigure& figure : header_.figures) {
      check_value(figure.expression, environment, figure.what, figure.least);
    }
    if (!diagnostics_.has_errors()) check_data(environment);
  }

  void check_data(const Bindings& environment) {
    const auto check = [&](const std::optional<DataFile>& file, const Buffer& buffer) {
      if (!file) return;
      const std::string reason = why_not_fitting(*file, buffer, environment);
      if (!reason.empty()) diagnostics_.error(file->where, reason, defaults_);
    };
    for (const Buffer& buffer : pattern_.buffers) check(buffer.file, buffer);
    const auto buffer_called = [&](const std::string& name) {
      return std::ranges::find(pattern_.buffers, name, &Buffer::name);
    };
    for (const Verification& each : pattern_.verify) {
      const Buffer& compared = *buffer_called(each.buffer);
      check(each.file, compared);
      if (each.reference.empty()) continue;
      const auto expected = buffer_called(each.reference);
      if (expected == pattern_.buffers.end()) {
        std::vector<std::string> names;
        for (const Buffer& buffer : pattern_.buffers) names.push_back(buffer.name);
        diagnostics_.error(each.condition.where,
                           fmt::format("there is no buffer '{}'", each.reference),
                           suggest(each.reference, names, "the buffers are"));
        continue;
      }
      const std::string reason = why_not_fitting(*expected, compared, environment);
      if (!reason.empty()) diagnostics_.error(each.condition.where, reason, defaults_);
    }
  }

  /// The value, or nothing, with a message, when there is none or it is below `least`.
  std::optional<std::int64_t> check_value(const Expression& expression, const Bindings& environment,
                                          const std::string& what, std::int64_t least) {
    const auto value = value_of(expression, environment, diagnostics_);
    if (!value) return std::nullopt;
    const std::int64_t number = std::get<std::int64_t>(*value);
    if (number >= least) return number;
    return diagnostics_.error(
        expression.where(),
        fmt::format("with the defaults {} is {}, but {} is the least", what, number, least),
        defaults_);
  }

  Pattern& pattern_;
  HeaderReading& header_;
  Diagnostics& diagnostics_;
  std::string defaults_;  ///< "BLOCK=256 N=1024"
};

}  // namespace

void check_pattern(Pattern& pattern, HeaderReading& header, Diagnostics& diagnostics) {
  Checks(pattern, header, diagnostics).run();
}

}  // namespace sweep
