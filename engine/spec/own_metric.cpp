#include "engine/spec/own_metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/pattern_header.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

constexpr const char* own_metric_help =
    "for example gflops: {value: 2 * N / time / 1e9, unit: GFLOP/s, better: higher}";

/// Why a metric of one's own cannot be called so, as in "is a metric already"; empty if it can.
std::string why_not_a_metric(const std::string& name) {
  constexpr std::array<std::string_view, 4> words = {"pattern", "true", "false", "sizeof"};
  const bool is_plain =
      !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, is_word);
  if (!is_plain) return "is not a name of letters, digits and '_'";
  if (name.size() > spec_limits::name_bytes) return "is too long for a name";
  if (std::ranges::find(words, name) != words.end()) return "has a meaning of its own";
  if (ElementType::find(name)) return "is an element type";
  const auto table = metric_definitions();
  const auto known = std::ranges::find_if(table, [&](const MetricDefinition& metric) {
    return metric.name == name || metric.old_name == name;
  });
  if (known == table.end()) return {};
  return known->name == name ? "is a metric already" : "is nvprof's name of " + known->name;
}

/// Why reports cannot show this beside figures; empty if they can.
std::string_view why_not_a_unit(std::string_view unit) {
  constexpr std::size_t most = 24;
  if (unit.empty()) return "is empty";
  if (unit.size() > most) return "is longer than 24 bytes";
  const bool has_mark = std::ranges::any_of(unit, [](char c) {
    return static_cast<unsigned char>(c) < ' ' ||
           std::string_view("[](){},;\"'`|<>\\\x7f").find(c) != std::string_view::npos;
  });
  if (has_mark) return "has brackets, quotes or other marks";
  return unit.front() == ' ' || unit.back() == ' ' ? "begins or ends with a blank" : "";
}

/// Calls `visit` with the node of each name in the formula.
template <class Visit>
void for_each_name(const Expression::Node& node, const Visit& visit) {
  if (node.operation == Operation::name) visit(node);
  for (const auto& operand : node.operands) for_each_name(*operand, visit);
}

/// The power of the time that a formula goes with: -1 for 2 * N / time; nothing where it goes with
/// none, as in time + 1.
std::optional<int> power_of_time(const Expression::Node& node) {
  using enum Operation;
  const auto power = [&](std::size_t i) { return power_of_time(*node.operands[i]); };
  if (node.operation == name) {
    const MetricDefinition* metric = find_metric(node.name);
    if (metric == nullptr || metric->relation == TimeRelation::unrelated) return 0;
    return metric->relation == TimeRelation::proportional ? 1 : -1;
  }
  if (node.operation == multiply || node.operation == divide) {
    const auto left = power(0);
    const auto right = power(1);
    if (!left || !right) return std::nullopt;
    return node.operation == multiply ? *left + *right : *left - *right;
  }
  std::set<std::optional<int>> powers;
  for (std::size_t i = 0; i < node.operands.size(); ++i) powers.insert(power(i));
  if (powers.empty()) return 0;
  const bool keeps = node.operation == add || node.operation == subtract || node.operation == min ||
                     node.operation == max || node.operation == plus;
  if (powers.size() == 1 && (keeps || *powers.begin() == 0)) return *powers.begin();
  return std::nullopt;
}

MetricDefinition definition_from(const OwnMetric& own) {
  MetricDefinition metric;
  metric.name = own.name;
  metric.unit = own.unit;
  metric.better = own.better;
  metric.meaning = own.help.empty() ? own.value.text() : own.help + ": " + own.value.text();
  metric.group = "Of one's own";
  metric.is_comparable = false;
  constexpr int beside_the_time = 5;
  metric.headline = beside_the_time;
  bool is_measured = false;
  bool is_counted = false;
  for (const std::string& name : own.value.names()) {
    const MetricDefinition* of = find_metric(name);
    const bool needs_counts = of != nullptr
                                  ? of->needs_counts || of->origins.front() != Origin::measured
                                  : is_counter_name(name);
    is_counted = is_counted || needs_counts;
    is_measured = is_measured || (of != nullptr && of->origins.front() == Origin::measured);
  }
  metric.needs_counts = is_counted;
  metric.origins = {Origin::measured, Origin::predicted};
  if (!is_measured) metric.origins = {Origin::hardware, Origin::emulated};
  const auto power = power_of_time(own.value.root());
  if (power == 1) metric.relation = TimeRelation::proportional;
  if (power == -1) metric.relation = TimeRelation::inverse;
  return metric;
}

/// The metric's value of the first origin that has one.
const Metric* first_of(std::span<const Metric> metrics, std::string_view name) {
  const Metric* first = nullptr;
  for (const Metric& metric : metrics) {
    const bool is_earlier = first == nullptr || metric.origin < first->origin;
    if (metric.name == name && is_earlier) first = &metric;
  }
  return first;
}

}  // namespace

std::vector<OwnMetric> read_own_metrics(const YamlNode* node, Diagnostics& diagnostics) {
  std::vector<OwnMetric> metrics;
  if (node == nullptr) return metrics;
  if (!node->is_map() || node->entries.empty()) {
    diagnostics.error(node->where, "'metrics' must be a map of names", own_metric_help);
    return metrics;
  }
  for_each_entry(*node, [&](const YamlNode& key, const YamlNode& value) {
    OwnMetric metric{key.text, {}};
    metric.where = key.where;
    if (const std::string reason = why_not_a_metric(key.text); !reason.empty()) {
      diagnostics.error(key.where, fmt::format("'{}' {}", key.text, reason),
                        "choose another name for the metric");
    }
    std::optional<Expression> formula;
    if (value.is_scalar()) {
      formula = read_real_expression(value, "value", diagnostics);
    } else {
      const MapReader reader(value, fmt::format("the metric '{}'", key.text), own_metric_keys,
                             diagnostics);
      const YamlNode* text = reader.require("value", own_metric_help);
      if (text != nullptr) formula = read_real_expression(*text, "value", diagnostics);
      if (const YamlNode* unit = reader.find("unit")) {
        metric.unit = read_text(*unit, "unit", diagnostics).value_or("1");
        if (const std::string_view reason = why_not_a_unit(metric.unit); !reason.empty()) {
          diagnostics.error(unit->where, fmt::format("the unit '{}' {}", metric.unit, reason),
                            "for example unit: GFLOP/s; without the key there is none");
        }
      }
      const auto better =
          reader.choice("better", better_names, "a direction", "the directions are");
      if (better) metric.better = static_cast<Better>(*better);
      metric.help = reader.text("help");
    }
    if (!formula) return;
    metric.value = std::move(*formula);
    metrics.push_back(std::move(metric));
  });
  return metrics;
}

void check_own_metrics(std::span<const OwnMetric> metrics, std::span<const OwnMetric> before,
                       const Scope& scope, Diagnostics& diagnostics) {
  std::set<std::string> known;
  for (const OwnMetric& metric : before) known.insert(metric.name);
  for (const OwnMetric& metric : metrics) {
    if (scope.kind_of(metric.name)) {
      diagnostics.error(metric.where, fmt::format("'{}' is a parameter already", metric.name),
                        "choose another name for the metric");
    }
    Scope names = scope;
    bool are_known = true;
    for_each_name(metric.value.root(), [&](const Expression::Node& node) {
      const std::string& name = node.name;
      if (names.kind_of(name) || name.starts_with("sizeof(") || ElementType::find(name)) return;
      const auto table = metric_definitions();
      const bool is_built_in =
          std::ranges::find(table, name, &MetricDefinition::name) != table.end();
      if (is_built_in || known.contains(name) || is_counter_name(name)) {
        names.add(name, ValueKind::integer);
        return;
      }
      are_known = false;
      const bool is_later = std::ranges::find(metrics, name, &OwnMetric::name) != metrics.end();
      if (is_later) {
        diagnostics.error(node.where, fmt::format("'{}' uses '{}', which is not declared before it",
                                                  metric.name, name));
        return;
      }
      const std::string meant = did_you_mean(name, scope.names());
      diagnostics.error(node.where, fmt::format("there is no metric or parameter '{}'", name),
                        meant.empty() ? suggest_metric(name) : meant);
    });
    known.insert(metric.name);
    if (!are_known) continue;
    const auto kind = metric.value.check(names, diagnostics);
    if (!kind || *kind == ValueKind::integer) continue;
    diagnostics.error(metric.value.where(),
                      fmt::format("the metric '{}' must be a number, but this is {}", metric.name,
                                  describe(*kind)),
                      *kind == ValueKind::boolean ? "write X ? 1 : 0 for a boolean X" : "");
  }
}

void define_own_metrics(std::span<const OwnMetric> metrics) {
  for (const OwnMetric& metric : metrics) define_own_metric(definition_from(metric));
}

void define_metrics_of_pattern(const std::string& pattern_text) {
  Diagnostics ignored;
  const auto header = read_stored_header(pattern_text, ignored);
  const YamlNode* metrics = header ? header->find("metrics") : nullptr;
  if (metrics != nullptr && metrics->is_map())
    define_own_metrics(read_own_metrics(metrics, ignored));
}

void derive_metrics(std::span<const OwnMetric> own, const Bindings& environment,
                    std::vector<Metric>& metrics) {
  if (own.empty()) return;
  std::erase_if(metrics, [&](const Metric& metric) {
    return std::ranges::find(own, metric.name, &OwnMetric::name) != own.end();
  });
  if (metrics.empty()) return;
  const Origin of_point = std::ranges::min(metrics, {}, &Metric::origin).origin;
  for (const OwnMetric& metric : own) {
    std::optional<Origin> origin;
    const auto lookup = [&](std::string_view name) -> RealValue {
      if (const Value* value = environment.find(name)) return real_value(*value);
      const Metric* ingredient = first_of(metrics, name);
      if (ingredient == nullptr) return {};
      origin = std::min(origin.value_or(ingredient->origin), ingredient->origin);
      const bool is_own = std::ranges::find(own, name, &OwnMetric::name) != own.end();
      const MetricDefinition* definition = is_own ? nullptr : find_metric(name);
      return definition != nullptr ? ingredient->value * in_base_unit(definition->unit)
                                   : ingredient->value;
    };
    if (const auto value = evaluate_real(metric.value, lookup)) {
      metrics.push_back({metric.name, origin.value_or(of_point), *value});
    }
  }
}

}  // namespace sweep
