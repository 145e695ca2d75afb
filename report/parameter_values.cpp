#include "report/parameter_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/store/record.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {

Bindings environment_of(const PointRecord& point) {
  return with_pattern(point.key.pattern_name, point.key.parameters);
}

bool ParameterValues::is_numeric() const {
  return !values_.empty() && std::ranges::all_of(values_, [](const Value& value) {
    return kind_of(value) == ValueKind::integer;
  });
}

void ParameterValues::add(const Value& value) {
  if (!ranks_.emplace(value, values_.size()).second) return;
  values_.push_back(value);
  constexpr std::int64_t large = 64 * Ki;
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number % Ki != 0) are_multiples_of_kibi_ = false;
  if (number != nullptr && *number >= large) has_large_ = true;
}

void ParameterValues::sort() {
  std::ranges::sort(values_);
  for (std::size_t i = 0; i < values_.size(); ++i) ranks_[values_[i]] = i;
}

std::size_t ParameterValues::rank_of(const Value& value) const {
  const auto found = ranks_.find(value);
  return found != ranks_.end() ? found->second : values_.size();
}

std::string ParameterValues::show(const Value& value) const {
  const auto* number = std::get_if<std::int64_t>(&value);
  // Small numbers are easy to read as they are.
  const bool in_binary_units = are_multiples_of_kibi_ && has_large_;
  if (number != nullptr && in_binary_units) return format_count(*number);
  return to_string(value);
}

std::vector<ParameterValues> parameters_of(std::span<const PointRecord* const> points) {
  std::vector<ParameterValues> parameters;
  std::map<std::string, std::size_t> places;
  std::map<std::string, std::size_t> uses;
  std::map<std::string, std::size_t> derived;
  for (const PointRecord* point : points) {
    const Bindings environment = environment_of(*point);
    for (const auto& [name, value] : environment.entries()) {
      const auto [place, is_new] = places.emplace(name, parameters.size());
      if (is_new) parameters.emplace_back(name);
      parameters[place->second].add(value);
      ++uses[name];
    }
    for (const std::string& name : point->derived) ++derived[name];
  }
  for (ParameterValues& parameter : parameters) {
    parameter.in_every_point = uses[parameter.name] == points.size();
    parameter.is_derived = derived[parameter.name] == uses[parameter.name];
  }
  return parameters;
}

std::vector<ParameterValues> telling_parameters(const std::vector<ParameterValues>& parameters,
                                                std::span<const std::string> without) {
  std::vector<ParameterValues> told = parameters;
  // One that only some patterns have tells nothing that the pattern's name does not.
  std::erase_if(told, [&](const ParameterValues& parameter) {
    return parameter.values().size() < 2 || parameter.is_derived ||
           std::ranges::find(without, parameter.name) != without.end();
  });
  return told.empty() ? parameters : told;
}

std::string describe(const Bindings& environment, std::span<const ParameterValues> parameters) {
  std::vector<std::string> texts;
  for (const ParameterValues& parameter : parameters) {
    const Value* value = environment.find(parameter.name);
    if (value != nullptr) texts.push_back(parameter.name + " = " + parameter.show(*value));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string describe(const PointRecord& point, std::span<const ParameterValues> parameters) {
  return describe(environment_of(point), parameters);
}

std::string describe_group(const Bindings& group, std::span<const std::string> for_each,
                           std::span<const ParameterValues> parameters) {
  std::vector<std::string> texts;
  for (const std::string& name : for_each) {
    const Value* value = group.find(name);
    const ParameterValues* known = find_parameter(parameters, name);
    texts.push_back(value == nullptr   ? "without " + name
                    : known != nullptr ? name + " = " + known->show(*value)
                                       : name + " = " + to_string(*value));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string with_values(const ParameterValues& parameter, std::size_t most) {
  if (parameter.values().size() > most) {
    return fmt::format("{} ({} values)", parameter.name, parameter.values().size());
  }
  std::vector<std::string> values;
  for (const Value& value : parameter.values()) values.push_back(parameter.show(value));
  return fmt::format("{} ({})", parameter.name, fmt::join(values, ", "));
}

const ParameterValues* find_parameter(std::span<const ParameterValues> parameters,
                                      const std::string& name) {
  const auto found = std::ranges::find(parameters, name, &ParameterValues::name);
  return found != parameters.end() ? &*found : nullptr;
}

bool holds(const Expression& condition, const PointRecord& point) {
  const Bindings environment = environment_of(point);
  Diagnostics ignored;
  if (condition.check(scope_of(environment), ignored) != ValueKind::boolean) return false;
  try {
    return condition.evaluate_boolean(environment);
  } catch (const InputError&) {
    return false;
  }
}

namespace {

bool have_same(const Bindings& a, const Bindings& b, const std::string& name) {
  const Value* left = a.find(name);
  const Value* right = b.find(name);
  return left == nullptr ? right == nullptr : right != nullptr && *left == *right;
}

}  // namespace

PointList matching_points(std::span<const StoredPoint> points, std::span<const std::string> needed,
                          const std::optional<Expression>& where) {
  PointList matching;
  for (const StoredPoint& stored : points) {
    const Bindings environment = environment_of(stored.point);
    const bool has_all = std::ranges::all_of(
        needed, [&](const std::string& name) { return environment.find(name) != nullptr; });
    if (has_all && (!where || holds(*where, stored.point))) matching.push_back(&stored.point);
  }
  return matching;
}

const PointRecord* best_point(const PointList& points, const MetricColumn& metric, Better better) {
  const bool lower_is_better = better == Better::lower;
  const PointRecord* best = nullptr;
  double best_figure = 0;
  for (const PointRecord* point : points) {
    const auto figure = figure_of(*point, metric);
    if (point->status != PointStatus::ok || !figure || !std::isfinite(*figure)) continue;
    if (best != nullptr && (lower_is_better ? *figure >= best_figure : *figure <= best_figure)) {
      continue;
    }
    best = point;
    best_figure = *figure;
  }
  return best;
}

std::string describe_choice(std::string_view place, std::string_view shown,
                            std::span<const PointList> places,
                            std::span<const ParameterValues> parameters) {
  constexpr std::size_t most_values = 8;
  bool is_crowded = false;
  std::set<std::string> varying;
  for (const PointList& points : places) {
    if (points.size() < 2) continue;
    is_crowded = true;
    const Bindings first = environment_of(*points.front());
    for (const PointRecord* point : points) {
      const Bindings environment = environment_of(*point);
      for (const ParameterValues& parameter : parameters) {
        if (!have_same(first, environment, parameter.name)) varying.insert(parameter.name);
      }
    }
  }
  if (!is_crowded) return {};
  std::vector<std::string> over;
  for (const ParameterValues& parameter : parameters) {
    if (parameter.is_derived || !varying.contains(parameter.name)) continue;
    over.push_back(with_values(parameter, most_values));
  }
  if (over.empty()) {
    return fmt::format("A configuration measured more than once shows its {}", shown);
  }
  return fmt::format("Each {}: the {} over {}", place, shown, in_words(over));
}

}  // namespace sweep
