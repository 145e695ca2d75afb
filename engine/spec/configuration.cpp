#include "engine/spec/configuration.h"

namespace sweep {

std::string to_string(const Configuration& configuration) {
  const std::string parameters = to_string(configuration.parameters);
  return configuration.pattern->name + (parameters.empty() ? "" : " ") + parameters;
}

Configuration resolve(const PatternPtr& pattern, const Bindings& given) {
  Configuration configuration{pattern, {}};
  for (const Parameter& parameter : pattern->parameters) {
    const Value* value = given.find(parameter.name);
    Value chosen =
        value != nullptr ? *value : parameter.default_value.evaluate(configuration.parameters);
    std::string violation = why_out_of_bounds(parameter, chosen);
    if (!violation.empty()) {
      throw InputError(parameter.where, std::move(violation));
    }
    configuration.parameters.set(parameter.name, std::move(chosen));
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
