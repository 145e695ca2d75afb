#include "engine/spec/configuration.h"

namespace sweep {

std::string to_string(const Configuration& configuration) {
  const std::string parameters = to_string(configuration.parameters);
  return configuration.pattern->name + (parameters.empty() ? "" : " ") + parameters;
}

namespace {

/// The value a parameter takes after those in `before`.
Value value_for(const Parameter& parameter, const Bindings& given, const Bindings& before) {
  const Value* value = given.find(parameter.name);
  Value chosen = value != nullptr ? *value : parameter.default_value.evaluate(before);
  std::string violation = why_out_of_bounds(parameter, chosen);
  if (violation.empty()) return chosen;
  throw InputError(parameter.where, std::move(violation));
}

}  // namespace

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
    environment.set("sizeof(" + type.name + ")", type.size.evaluate_integer(environment));
  }
  return environment;
}

}  // namespace sweep
