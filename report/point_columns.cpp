#include "report/point_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "engine/spec/value_words.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

/// A share in percent with two digits or so: 0.12 is "12", 0.034 "3.4", 0.9995 "99.95".
std::string percent_text(double share) {
  const double figure = share * 100;
  const double nearest_end = share < 1 ? std::min(figure, 100 - figure) : figure;
  const int decimals = nearest_end >= 9.95 ? 0 : nearest_end >= 0.995 ? 1 : 2;
  return fmt::format("{:.{}f}", figure, share < 0.9 || figure >= 99 ? decimals : 0);
}

/// By the hardware and by the emulator.
std::optional<std::pair<double, double>> counts_of(const PointRecord& point,
                                                   const std::string& metric) {
  const auto hardware = figure_of(point, {metric, Origin::hardware});
  const auto emulated = figure_of(point, {metric, Origin::emulated});
  if (point.status != PointStatus::ok || !hardware || !emulated) return std::nullopt;
  return std::pair(*hardware, *emulated);
}

bool agree(const std::string& metric, double hardware, double emulated) {
  const CountTolerance& tolerance = definition_of(metric).tolerance;
  const double difference = std::abs(emulated - hardware);
  return difference <= tolerance.absolute || difference <= tolerance.relative * std::abs(hardware);
}

}  // namespace

std::optional<double> figure_of(const PointRecord& point, const MetricColumn& column) {
  for (const Metric& metric : point.metrics) {
    if (metric.name == column.name && metric.origin == column.origin) return metric.value;
  }
  return std::nullopt;
}

const MetricDefinition& definition_of(const std::string& metric) {
  static const MetricDefinition unknown;
  const MetricDefinition* definition = find_metric(metric);
  return definition != nullptr ? *definition : unknown;
}

std::string unit_of(const std::string& metric) {
  const std::string& unit = definition_of(metric).unit;
  return unit != "1" ? unit : std::string();
}

Better better_of(const std::string& metric) {
  return definition_of(metric).better;
}

bool is_time(const MetricColumn& column) {
  return has_times(column.origin) && unit_of(column.name) == "us";
}

std::string word_of(const std::string& metric, double figure) {
  const std::vector<std::string_view>& words = definition_of(metric).words;
  const bool is_one = figure >= 0 && figure < static_cast<double>(words.size());
  return is_one ? std::string(words[static_cast<std::size_t>(figure)]) : std::string();
}

MetricColumn column_of(const TuningRecord& tuning) {
  return {tuning.metric, tuning.origin};
}

Better better_for(const MetricColumn& column, const std::optional<TuningRecord>& tuning) {
  return tuning && column_of(*tuning) == column ? tuning->better : better_of(column.name);
}

std::string heading_of(const MetricColumn& column) {
  std::string heading = column.name;
  if (const std::string unit = unit_of(column.name); !unit.empty()) heading += " [" + unit + "]";
  if (column.origin == Origin::hardware) heading += ", hardware counter";
  if (column.origin == Origin::predicted) heading += ", predicted";
  if (column.origin == Origin::emulated) heading += ", emulated";
  return heading;
}

std::vector<MetricColumn> metric_columns(std::span<const PointRecord* const> points) {
  std::vector<std::string> names = metric_names();
  std::set<std::string> known(names.begin(), names.end());
  std::set<MetricColumn> present;
  for (const PointRecord* point : points) {
    for (const Metric& metric : point->metrics) {
      if (known.insert(metric.name).second) names.push_back(metric.name);
      present.insert({metric.name, metric.origin});
    }
  }
  std::vector<MetricColumn> columns;
  for (const std::string& name : names) {
    for (const Origin origin : all_origins) {
      if (present.contains({name, origin})) columns.push_back({name, origin});
    }
  }
  return columns;
}

bool any_has(std::span<const PointRecord* const> points, const MetricColumn& column) {
  return std::ranges::any_of(
      points, [&](const PointRecord* point) { return figure_of(*point, column).has_value(); });
}

std::optional<MetricColumn> choose_metric(std::span<const PointRecord* const> points,
                                          std::span<const std::string> names) {
  std::vector<MetricChoice> choices;
  for (const std::string& name : names) choices.push_back({name});
  return choose_metric(points, choices);
}

std::optional<MetricColumn> choose_metric(std::span<const PointRecord* const> points,
                                          std::span<const MetricChoice> choices) {
  for (const auto& [name, only] : choices) {
    for (const Origin origin : all_origins) {
      if (only.value_or(origin) == origin && any_has(points, {name, origin})) {
        return MetricColumn{name, origin};
      }
    }
  }
  return std::nullopt;
}

std::string times_text(double factor) {
  constexpr int most = 6;
  if (factor >= 9.995) return fmt::format("{:.1f}", factor);
  const double beyond = factor - 1;
  const int decimals = beyond > 0 ? 1 - static_cast<int>(std::floor(std::log10(beyond))) : 2;
  return fmt::format("{:.{}f}", factor, std::clamp(decimals, 2, most));
}

std::string describe_difference(double ratio, const MetricColumn& metric) {
  if (is_time(metric)) {
    return ratio >= 1 ? times_text(ratio) + " times slower"
                      : times_text(1 / ratio) + " times faster";
  }
  constexpr double twice = 2;
  if (ratio >= twice) return times_text(ratio) + " times as much";
  return fmt::format("{} % {}", percent_text(std::abs(ratio - 1)), ratio >= 1 ? "more" : "less");
}

std::string beside_the_best(const std::string& difference) {
  return difference + (difference.ends_with("as much") ? " as the best" : " than the best");
}

std::string describe_tolerance(const std::string& metric) {
  const CountTolerance& tolerance = definition_of(metric).tolerance;
  std::string text = fmt::format("within {} percentage points", tolerance.absolute);
  if (unit_of(metric) != "%") {
    text = fmt::format("within {:g} %", tolerance.relative * 100);
    if (tolerance.absolute > 0) text += fmt::format(" or {}", tolerance.absolute);
  }
  return text;
}

std::optional<double> count_difference(const PointRecord& point, const std::string& metric) {
  const auto counts = counts_of(point, metric);
  if (!counts) return std::nullopt;
  const auto [hardware, emulated] = *counts;
  const double difference = emulated - hardware;
  if (unit_of(metric) == "%" || difference == 0) return difference;
  if (hardware == 0) return std::copysign(std::numeric_limits<double>::infinity(), difference);
  return difference / std::abs(hardware) * 100;
}

std::string describe_difference(const PointRecord& point, const std::string& metric) {
  const double difference = *count_difference(point, metric);
  const std::string figure =
      std::isfinite(difference) ? format_figure(std::abs(difference)) : "infinitely many";
  return fmt::format("{}{} {}", difference < 0 ? "-" : "+", figure,
                     unit_of(metric) == "%" ? "percentage points" : "%");
}

std::vector<std::string> counted_twice(std::span<const PointRecord* const> points) {
  std::vector<std::string> metrics;
  for (const MetricColumn& column : metric_columns(points)) {
    const bool is_counted = std::ranges::any_of(points, [&](const PointRecord* point) {
      return counts_of(*point, column.name).has_value();
    });
    if (column.origin == Origin::hardware && definition_of(column.name).is_comparable &&
        is_counted) {
      metrics.push_back(column.name);
    }
  }
  return metrics;
}

std::vector<CountAgreement> compare_counts(std::span<const PointRecord* const> points) {
  std::vector<CountAgreement> agreements;
  for (const std::string& metric : counted_twice(points)) {
    CountAgreement& agreement = agreements.emplace_back();
    agreement.metric = metric;
    double largest = 0;
    for (const PointRecord* point : points) {
      const auto counts = counts_of(*point, metric);
      if (!counts) continue;
      if (agree(metric, counts->first, counts->second)) {
        ++agreement.agreeing;
      } else {
        agreement.disagreeing.push_back(point);
      }
      const double difference = std::abs(*count_difference(*point, metric));
      if (difference > largest) {
        largest = difference;
        agreement.farthest = point;
      }
    }
  }
  return agreements;
}

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
  if (number != nullptr) {
    if (const std::string word = value_word(name, *number); !word.empty()) {
      return fmt::format("{} ({})", *number, word);
    }
  }
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
  ParameterValues sorted = parameter;
  if (sorted.is_numeric()) sorted.sort();
  std::vector<std::string> values;
  for (const Value& value : sorted.values()) values.push_back(sorted.show(value));
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
    for (const ParameterValues& own : parameters_of(points)) {
      if (own.varies()) varying.insert(own.name);
    }
  }
  if (!is_crowded) return {};
  constexpr std::size_t most_with_values = 3;
  std::vector<std::string> over;
  for (const ParameterValues& parameter : parameters) {
    if (parameter.is_derived || !varying.contains(parameter.name)) continue;
    over.push_back(varying.size() > most_with_values ? parameter.name
                                                     : with_values(parameter, most_values));
  }
  if (over.empty()) {
    return fmt::format("A configuration measured more than once shows its {}", shown);
  }
  return fmt::format("Each {}: the {} over {}", place, shown, in_words(over));
}

}  // namespace sweep
