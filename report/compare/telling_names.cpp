#include "report/compare/telling_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace sweep {
namespace {

/// Whether the configurations of some pattern differ in it.
bool varies_within_a_pattern(std::span<const ConfigurationComparison> configurations,
                             const std::string& name) {
  std::map<std::string, const Value*> first;
  for (const ConfigurationComparison& configuration : configurations) {
    const Value* value = configuration.parameters.find(name);
    const auto [known, is_new] = first.emplace(configuration.pattern, value);
    if (is_new) continue;
    const Value* other = known->second;
    if ((other == nullptr) != (value == nullptr)) return true;
    if (value != nullptr && *other != *value) return true;
  }
  return false;
}

bool tell_apart(std::span<const Bindings> environments,
                std::span<const ParameterValues* const> parameters) {
  std::set<std::string> seen;
  for (const Bindings& environment : environments) {
    std::string identity;
    for (const ParameterValues* parameter : parameters) {
      const Value* value = environment.find(parameter->name);
      identity += value != nullptr ? to_string(*value) + '\n' : std::string("\n\n");
    }
    if (!seen.insert(std::move(identity)).second) return false;
  }
  return true;
}

}  // namespace

std::vector<ParameterValues> telling_names(
    std::span<const ConfigurationComparison> configurations) {
  std::vector<PointRecord> records(configurations.size());
  std::vector<const PointRecord*> points;
  std::vector<Bindings> environments;
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].key.pattern_name = configurations[i].pattern;
    records[i].key.parameters = configurations[i].parameters;
    points.push_back(&records[i]);
    environments.push_back(environment_of(records[i]));
  }
  const std::vector<ParameterValues> parameters = parameters_of(points);
  std::vector<const ParameterValues*> told;
  for (const ParameterValues& parameter : parameters) {
    const bool tells = parameter.name == "pattern"
                           ? parameter.varies()
                           : varies_within_a_pattern(configurations, parameter.name);
    if (tells) told.push_back(&parameter);
  }
  if (tell_apart(environments, told)) {
    for (std::size_t i = told.size(); i-- > 1;) {
      std::vector<const ParameterValues*> fewer = told;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (tell_apart(environments, fewer)) told = std::move(fewer);
    }
  }
  std::vector<ParameterValues> names;
  for (const ParameterValues* parameter : told) names.push_back(*parameter);
  return names.empty() ? parameters : names;
}

}  // namespace sweep
