#include "engine/spec/pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/pattern_header.h"
#include "engine/text/read_source.h"
#include "engine/text/yaml.h"

namespace sweep {
namespace {

/// An expression stands on lines of its own in what is compiled.
void refuse_directives(const CudaExpression& expression, Diagnostics& diagnostics) {
  if (!may_hold_directive(expression.text)) return;
  diagnostics.error(expression.where, "an expression can hold no preprocessor line",
                    "put it into the pattern's code");
}

/// Notes which buffers the kernel takes as pointers to const.
void note_const_buffers(Pattern& pattern) {
  for (const KernelDeclaration& kernel : find_kernels(pattern.body)) {
    if (kernel.name != pattern.name) continue;
    const std::size_t count = std::min(kernel.parameters.size(), pattern.buffers.size());
    for (std::size_t i = 0; i < count; ++i) {
      pattern.buffers[i].is_const = kernel.parameters[i].is_const;
    }
  }
}

/// The value a parameter takes after those in `before`.
Value value_for(const Parameter& parameter, const Bindings& given, const Bindings& before) {
  const Value* value = given.find(parameter.name);
  Value chosen = value != nullptr ? *value : parameter.default_value.evaluate(before);
  std::string violation = why_out_of_bounds(parameter, chosen);
  if (violation.empty()) return chosen;
  throw InputError(parameter.where, std::move(violation));
}

}  // namespace

const Parameter* Pattern::find_parameter(std::string_view wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &Parameter::name);
  return found != parameters.end() ? &*found : nullptr;
}

bool Pattern::declares(std::string_view wanted) const {
  return find_parameter(wanted) != nullptr ||
         std::ranges::find(structs, wanted, &Struct::name) != structs.end();
}

std::vector<std::string> Pattern::parameter_names() const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

std::string why_out_of_bounds(const Parameter& parameter, const Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) return {};
  if (parameter.min && *number < *parameter.min) {
    return fmt::format("{} = {} is below the min of {}", parameter.name, *number, *parameter.min);
  }
  if (parameter.max && *number > *parameter.max) {
    return fmt::format("{} = {} is above the max of {}", parameter.name, *number, *parameter.max);
  }
  return {};
}

PatternPtr parse_pattern(const SourcePtr& source, const std::filesystem::path& path,
                         Diagnostics& diagnostics,
                         const std::vector<std::filesystem::path>& include_folders) {
  Diagnostics found;
  auto pattern = std::make_shared<Pattern>();
  pattern->name = path.stem().string();
  pattern->path = path;
  pattern->source = source;
  const auto layout = check_text(source, 0, source->text.size(), TextKind::code, found)
                          ? find_header(source, found)
                          : std::nullopt;
  if (layout && check_code_shape(source, layout->body_begin, found)) {
    pattern->body = source->text.substr(layout->body_begin);
    const std::string_view before = std::string_view(source->text).substr(0, layout->body_begin);
    pattern->body_line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
    pattern->included =
        read_included_files(source, layout->body_begin, path, include_folders, found);
    pattern->included_text = joined_text(pattern->included);
    auto header = read_yaml(source, layout->header_begin, layout->header_end, found);
    if (header) {
      if (header->is_null()) header->where = layout->where;
      HeaderGaps gaps = read_header(*header, *pattern, found);
      for (const Buffer& buffer : pattern->buffers) {
        if (buffer.init) check_expression_shape(buffer.init->text, buffer.init->where, found);
      }
      for (const Verification& verification : pattern->verify) {
        check_expression_shape(verification.condition.text, verification.condition.where, found);
      }
      check_pattern(*pattern, std::move(gaps), found);
      note_const_buffers(*pattern);
      for (const Buffer& buffer : pattern->buffers) {
        if (buffer.init) refuse_directives(*buffer.init, found);
      }
      for (const Verification& check : pattern->verify) refuse_directives(check.condition, found);
    }
  }
  diagnostics.add_all(in_reading_order(found));
  return found.has_errors() ? nullptr : pattern;
}

Scope scope_of(const Pattern& pattern) {
  Scope scope;
  for (const Parameter& parameter : pattern.parameters) scope.add(parameter.name, parameter.kind);
  for (const Struct& type : pattern.structs) scope.add(type.size_name(), ValueKind::integer);
  return scope;
}

std::string to_string(const Configuration& configuration) {
  const std::string parameters = to_string(configuration.parameters);
  return configuration.pattern->name + (parameters.empty() ? "" : " ") + parameters;
}

Configuration resolve(const PatternPtr& pattern, const Bindings& given) {
  Configuration configuration{pattern, {}};
  for (const Parameter& parameter : pattern->parameters) {
    configuration.parameters.set(parameter.name,
                                 value_for(parameter, given, configuration.parameters));
  }
  return configuration;
}

Bindings environment_of(const Configuration& configuration) {
  Bindings environment = configuration.parameters;
  for (const Struct& type : configuration.pattern->structs) {
    environment.set(type.size_name(), type.size.evaluate_integer(environment));
  }
  return environment;
}

}  // namespace sweep
