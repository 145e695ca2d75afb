#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/jit/compiler.h"
#include "engine/spec/named_kernel.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

/// The compiler's text from behind `mark` up to `end`; nothing where one of them is not there.
std::optional<std::string> text_between(std::string_view text, std::string_view mark,
                                        std::string_view end) {
  const std::size_t begin = text.find(mark);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t stop = text.find(end, begin + mark.size());
  if (stop == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(begin + mark.size(), stop - begin - mark.size()));
}

/// A type as its user writes it: without the namespace that a configuration has.
std::string as_written(std::string type) {
  // A constant's value is what counts.
  if (type.starts_with("const ") && !type.ends_with('*')) type.erase(0, 6);
  constexpr std::string_view space = "sweep_c";
  for (std::size_t at = type.find(space); at != std::string::npos; at = type.find(space, at)) {
    std::size_t end = at + space.size();
    while (end < type.size() && is_digit(type[end])) ++end;
    type.erase(at, type.compare(end, 2, "::") == 0 ? end + 2 - at : end - at);
  }
  constexpr std::pair<std::string_view, std::string_view> words[] = {{"__nv_bool", "bool"},
                                                                     {" *", "*"}};
  for (const auto& [from, to] : words) {
    for (std::size_t at = type.find(from); at != std::string::npos; at = type.find(from, at)) {
      type.replace(at, from.size(), to);
    }
  }
  return type;
}

/// Of a value that is of another type than the kernel's parameter: what it is, and what it should
/// be, in any of the compiler's wordings.
std::optional<std::pair<std::string, std::string>> types_in(std::string_view message) {
  const auto pair = [&](std::string_view before, std::string_view between, const char* end) {
    auto given = text_between(message, before, "\"");
    auto wanted = text_between(message, between, end);
    // The parameter's type has a name of the engine's.
    const auto behind = text_between(message, "::sweep_type\" (aka \"", "\")");
    if (behind) wanted = behind;
    return given && wanted ? std::optional(std::pair(std::move(*given), std::move(*wanted)))
                           : std::nullopt;
  };
  if (message.starts_with("no instance of overloaded function \"sweep_given<")) {
    auto given = text_between(message, "argument types are: (", ")");
    auto wanted = text_between(message, "[with P=", "]");
    if (given && wanted) return std::pair(std::move(*given), std::move(*wanted) + " *");
  }
  if (auto types = pair("argument of type \"", "parameter of type \"", "\"")) return types;
  if (auto types = pair("to convert from \"", "\" to \"", "\"")) return types;
  return pair("conversion function from \"", "\" to \"", "\"");
}

class Explainer {
 public:
  Explainer(const Pattern& pattern, std::vector<Diagnostic> found)
      : pattern_(pattern), found_(std::move(found)) {}

  Diagnostics explain() {
    for (Diagnostic& each : found_) explain_size(each);
    for (const Step& step : pattern_.steps) {
      if (step.arguments) explain_step(step);
    }
    Diagnostics errors;
    for (Diagnostic& each : found_) errors.add(std::move(each));
    return errors;
  }

 private:
  bool is_on_line_of(const Diagnostic& each, const Location& where) const {
    return each.where.source == pattern_.source && each.where.line == where.line;
  }

  /// A struct of another size than the header's.
  void explain_size(Diagnostic& each) const {
    const auto is = text_between(each.message, "a value of type \"sweep_bytes<", "ULL>");
    const auto header = text_between(each.message, "an entity of type \"sweep_bytes<", "ULL>");
    if (!is || !header) return;
    const auto type = std::ranges::find_if(pattern_.structs, [&](const Struct& one) {
      return is_on_line_of(each, one.where) && one.where.column == each.where.column;
    });
    if (type == pattern_.structs.end()) return;
    each.where.length = type->name.size();
    each.message =
        fmt::format("{} has {} bytes, but the header gives {}", type->name, *is, *header);
    each.help = fmt::format("write structs: {{{}: {}}}", type->name, *is);
  }

  bool is_of_kernel(const Diagnostic& each, const Step& step) const {
    return !step.kernel.text.empty() && is_on_line_of(each, step.kernel.where);
  }

  /// Which argument of the step's the message is about, from 0.
  std::optional<std::size_t> argument_of(const Diagnostic& each, const Step& step) const {
    std::optional<std::size_t> found;
    std::size_t nearest = 0;
    const auto note = [&](std::size_t index, const CudaExpression& value) {
      const Location& where = value.where;
      if (!is_on_line_of(each, where) || where.column > std::max<std::size_t>(each.where.column, 1))
        return;
      if (found && where.column < nearest) return;
      found = index;
      nearest = where.column;
    };
    for (std::size_t i = 0; i < step.arguments->size(); ++i) {
      const KernelArgument& argument = (*step.arguments)[i];
      note(i, argument.value);
      for (const KernelArgument::Field& field : argument.fields) note(i, field.value);
    }
    return found;
  }

  void explain_step(const Step& step) {
    const auto kernel = find_kernel(pattern_, step);
    const auto of_kernel = [&](const Diagnostic& each) { return is_of_kernel(each, step); };
    // Where the kernel's name is wrong, what follows from that is left out.
    if (std::ranges::any_of(found_, of_kernel)) {
      std::erase_if(found_, [&](const Diagnostic& each) {
        return !of_kernel(each) && argument_of(each, step);
      });
    }
    // A list is no value of an array, either.
    if (std::ranges::any_of(found_, is_unassignable)) {
      std::erase_if(found_, [&](const Diagnostic& each) {
        return each.message == "too many initializer values" && argument_of(each, step);
      });
    }
    for (Diagnostic& each : found_) {
      const auto argument = argument_of(each, step);
      if (!of_kernel(each) && !argument) continue;
      if (kernel) each.help = fmt::format("the kernel is {}", to_string(*kernel));
      if (of_kernel(each)) {
        explain_name(each, step, kernel);
      } else {
        explain_argument(each, (*step.arguments)[*argument], *argument, kernel);
      }
    }
  }

  void explain_name(Diagnostic& each, const Step& step,
                    const std::optional<KernelDeclaration>& kernel) const {
    const std::vector<KernelDeclaration> overloads = overloads_of(pattern_, step);
    const auto [written, types] = split_kernel(step.kernel.text);
    const std::string_view name =
        written.empty() ? pattern_.name : written.substr(0, written.find('('));
    const bool is_template = kernel && kernel->is_template;
    const auto undefined = text_between(each.message, "identifier \"", "\" is undefined");
    std::string message;
    if (overloads.size() > 1) each.help = how_to_choose(overloads, name);
    if (each.message == "cannot deduce \"auto\" type" && overloads.size() > 1) {
      message = fmt::format("there are {} kernels '{}'", overloads.size(), name);
    } else if (each.message == "cannot deduce \"auto\" type" && is_template) {
      message = name.ends_with('>')
                    ? fmt::format("the template arguments of '{}' are too few or do not fit", name)
                    : fmt::format("'{}' lacks template arguments", name);
      each.help = fmt::format("none is deduced, give all of them: it is {}", to_string(*kernel));
    } else if (types && each.message.starts_with("cannot determine which instance")) {
      message = fmt::format("no kernel '{}' has the parameters ({})", name, *types);
    } else if (undefined && is_template &&
               std::ranges::find(kernel->template_parameters, *undefined,
                                 &TemplateParameter::name) != kernel->template_parameters.end()) {
      message = fmt::format("a default value names the template's parameter '{}'", *undefined);
      each.help = fmt::format("give that argument: it is {}", to_string(*kernel));
    }
    if (message.empty()) return;
    each.message = message;
    each.where.column = step.kernel.where.column;
    each.where.length = name.size();
  }

  static bool is_unassignable(const Diagnostic& each) {
    return each.message == "expression must be a modifiable lvalue";
  }

  static void explain_argument(Diagnostic& each, const KernelArgument& argument, std::size_t index,
                               const std::optional<KernelDeclaration>& kernel) {
    const bool is_known = kernel && index < kernel->parameters.size();
    const bool has_constructor = each.message.starts_with("no instance of constructor") ||
                                 each.message.starts_with("no default constructor");
    if (!argument.fields.empty() && has_constructor) {
      each.where = argument.value.where;
      each.help = fmt::format("a type with constructors has no fields to give: write {}(...)",
                              is_known ? kernel->parameters[index].type : "TYPE");
      return;
    }
    if (!argument.fields.empty() && is_unassignable(each)) {
      each.message = "the field is an array or constant and cannot be assigned";
      each.help = "give an array's elements one by one: {fields: {\"x[0]\": 1, \"x[1]\": 2}}";
      return;
    }
    const auto types = argument.fields.empty() ? types_in(each.message) : std::nullopt;
    if (!types) return;
    const std::string name = is_known ? kernel->parameters[index].name : "";
    constexpr std::size_t longest = 40;
    const std::string& text = argument.value.text;
    const bool is_short = text.size() <= longest && text.find('\n') == std::string::npos;
    each.message =
        fmt::format("argument {}{} is {}, but the kernel's parameter{} is {}", index + 1,
                    is_short ? fmt::format(", '{}',", text) : "", as_written(types->first),
                    name.empty() ? "" : " '" + name + "'", as_written(types->second));
  }

  const Pattern& pattern_;
  std::vector<Diagnostic> found_;
};

}  // namespace

Diagnostics explain_header_mistakes(const Diagnostics& found, const Pattern& pattern) {
  return Explainer(pattern, found.list()).explain();
}

}  // namespace sweep
