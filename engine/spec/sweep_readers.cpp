#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "engine/search/strategy.h"
#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/metric.h"
#include "engine/spec/sweep.h"
#include "engine/text/expression.h"
#include "engine/text/text_limits.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

void refuse_length(const YamlNode& node, const std::string& name, std::uint64_t length,
                   Diagnostics& diagnostics) {
  diagnostics.error(
      node.where,
      fmt::format("the axis '{}' has {} values; an axis can have {}", name,
                  format_thousands(length), format_thousands(spec_limits::axis_values)),
      "take larger steps, multiply, or list fewer values");
}

/// The values {from, to, step}, which go up or down by a step other than 0.
std::vector<Value> read_range(const YamlNode& node, const std::string& name,
                              Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  const MapReader reader(node, fmt::format("the axis '{}'", name), axis_range_keys, diagnostics);
  const std::string help = "write {from: 1, to: 32}, with step: 4 or multiply: 2 if need be";
  reader.require("from", help);
  reader.require("to", help);
  const auto from = reader.integer("from");
  const auto to = reader.integer("to");
  const auto step = reader.integer("step");
  const auto multiply = reader.integer("multiply");
  const auto refuse = [&](std::string_view key, const char* message) {
    diagnostics.error(node.find(key)->where, message);
  };
  if (step && multiply) refuse("multiply", "'step' and 'multiply' exclude each other");
  if (!from || !to || diagnostics.error_count() > errors_before) return {};
  if (multiply && *multiply < 2) refuse("multiply", "'multiply' must be 2 or more");
  if (multiply && *from < 1) refuse("from", "'from' must be 1 or more to be multiplied");
  if (step == 0) refuse("step", "'step' must not be 0");
  if (diagnostics.error_count() > errors_before) return {};
  const bool rises = multiply || step.value_or(1) > 0;
  if (rises ? *from > *to : *from < *to) {
    diagnostics.error(node.where,
                      fmt::format("the axis '{}' has no values: from {} to {}", name, *from, *to),
                      multiply ? "a range that multiplies can only rise"
                      : rises  ? "a falling range needs a negative step"
                               : "a rising range needs a positive step");
    return {};
  }
  std::vector<Value> values;
  if (multiply) {
    for (Arithmetic next = *from; const auto* value = std::get_if<std::int64_t>(&next);
         next = apply(Operation::multiply, *value, *multiply)) {
      if (*value > *to) break;
      values.emplace_back(*value);
    }
    return values;
  }
  // Modulo 2^64, in which no distance overflows.
  const auto first = static_cast<std::uint64_t>(*from);
  const auto last = static_cast<std::uint64_t>(*to);
  const auto stride = static_cast<std::uint64_t>(step.value_or(1));
  const std::uint64_t steps = rises ? (last - first) / stride : (first - last) / (0 - stride);
  if (steps >= spec_limits::axis_values) {
    refuse_length(node, name, std::max(steps, steps + 1), diagnostics);
    return {};
  }
  for (std::uint64_t i = 0; i <= steps; ++i) {
    values.emplace_back(static_cast<std::int64_t>(first + i * stride));
  }
  return values;
}

std::vector<Value> read_list(std::span<const YamlNode> items, const std::string& name,
                             bool may_repeat, bool are_words, Diagnostics& diagnostics) {
  std::vector<Value> values;
  std::set<Value> seen;
  for (const YamlNode& item : items) {
    if (!item.is_scalar()) {
      diagnostics.error(item.where, fmt::format("a value of '{}' must be an integer, a boolean or "
                                                "an element type",
                                                name));
    }
    const auto expression =
        item.is_scalar() && !are_words ? read_expression(item, name, diagnostics) : std::nullopt;
    auto value = expression ? read_constant(*expression, diagnostics) : std::nullopt;
    if (are_words && item.is_scalar()) value = item.text;
    // More messages would not be shown.
    if (diagnostics.left_out(Severity::error) > 0) break;
    if (!value) continue;
    if (!may_repeat && !seen.insert(*value).second) {
      diagnostics.error(
          item.where, fmt::format("the axis '{}' has the value {} twice", name, to_string(*value)));
    }
    values.push_back(std::move(*value));
  }
  return values;
}

/// A list that lacks its brackets: `1, 2`.
bool is_bare_list(const YamlNode& node) {
  return node.is_scalar() && node.text.find(',') != std::string::npos &&
         node.text.find('(') == std::string::npos;
}

constexpr const char* set_example = "for example --set STRIDE=1,2,4";

/// The part of `source` from byte `begin` to `end` without the blanks around it.
YamlNode trimmed_scalar(const SourcePtr& source, std::size_t begin, std::size_t end) {
  const std::string& text = source->text;
  while (begin < end && text[begin] == ' ') ++begin;
  while (end > begin && text[end - 1] == ' ') --end;
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text.substr(begin, end - begin);
  node.where = {source, 1, begin + 1, std::max<std::size_t>(end - begin, 1)};
  return node;
}

/// The items between the commas that stand outside parentheses.
YamlNode read_list(const SourcePtr& source, std::size_t begin) {
  const std::string& text = source->text;
  YamlNode list;
  list.kind = YamlNode::Kind::sequence;
  list.where = {source, 1, begin + 1, 1};
  int open = 0;
  for (std::size_t at = begin; at <= text.size(); ++at) {
    if (at < text.size()) {
      open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
      if (text[at] != ',' || open > 0) continue;
    }
    list.items.push_back(trimmed_scalar(source, begin, at));
    begin = at + 1;
    open = 0;
  }
  return list;
}

constexpr Patience default_patience{100};

/// What `counters` asks the hardware's counters for, by canonical names: true for the default set,
/// false or off for none, a name, or a list of names.
std::vector<std::string> read_counters(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.is_scalar() && node.text == "true") return {std::string(default_counter_set)};
  if (node.is_scalar() && (node.text == "false" || node.text == "off")) return {};
  if (node.is_map()) {
    diagnostics.error(node.where, "'counters' must be true, false, a name or a list of names",
                      "for example [memory, dram]");
    return {};
  }
  std::vector<std::string> names;
  for (const auto& [name, where] : read_texts(node, "counters", diagnostics)) {
    if (const auto mistake = find_counter_mistake(name)) {
      diagnostics.error(where, mistake->message, mistake->help);
    } else {
      names.push_back(name);
    }
  }
  return canonical_counters(names);
}

/// In the order of the file: the first one decides.
void read_objectives(const YamlNode& tune, const Scope* scope, TuneRules& rules,
                     Diagnostics& diagnostics) {
  for_each_entry(tune, [&](const YamlNode& key, const YamlNode& value) {
    if (key.text != "maximize" && key.text != "minimize") return;
    const Better better = key.text == "maximize" ? Better::higher : Better::lower;
    for (const auto& [name, where] : read_texts(value, key.text, diagnostics)) {
      const auto metric = read_metric(name, where, scope, diagnostics);
      if (!metric) continue;
      if (std::ranges::find(rules.objectives, *metric, &TuneObjective::metric) !=
          rules.objectives.end()) {
        diagnostics.error(where, fmt::format("'{}' is an objective twice", *metric));
      } else {
        rules.objectives.push_back({*metric, better, where});
      }
    }
  });
}

Budget read_budget(const MapReader& tune, Diagnostics& diagnostics) {
  const YamlNode* node = tune.find("budget");
  if (node == nullptr) return {{}, {}, default_patience};
  Budget budget;
  const MapReader reader = tune.map("budget", budget_keys);
  if (node->is_map() && node->entries.empty()) {
    diagnostics.error(node->where, "'budget' sets no limit",
                      "budget: {configurations: 200, seconds: 60, no_better: {by: 1 %, in: 50}}");
  }
  reader.count("configurations", budget.configurations);
  reader.decimal("seconds", budget.seconds, {std::nextafter(0, 1), spec_limits::tune_seconds},
                 "a number above 0 and up to 31536000", "for example 60");
  if (reader.find("no_better") == nullptr) return budget;
  budget.patience = default_patience;
  const MapReader patience = reader.map("no_better", patience_keys);
  patience.count("in", budget.patience->configurations);
  patience.decimal("by", budget.patience->share, {0, std::nextafter(1, 0)},
                   "a share from 0 to less than 1", "for example 1 %, which is 0.01", true);
  return budget;
}

}  // namespace

std::vector<Value> read_axis_values(const YamlNode& node, const std::string& name,
                                    Diagnostics& diagnostics, bool may_repeat, bool are_words) {
  const std::size_t errors_before = diagnostics.error_count();
  std::vector<Value> values;
  if (node.is_null() || (node.is_sequence() && node.items.empty())) {
    diagnostics.error(node.where, fmt::format("the axis '{}' has no values", name),
                      "write a list, or {from: 1, to: 32}");
  } else if (is_bare_list(node)) {
    diagnostics.error(node.where, "a list of values stands in brackets",
                      fmt::format("[{}]", node.text));
  } else if (node.is_map()) {
    values = read_range(node, name, diagnostics);
  } else {
    values = read_list(items_of(node), name, may_repeat, are_words, diagnostics);
  }
  if (values.size() > spec_limits::axis_values) {
    refuse_length(node, name, values.size(), diagnostics);
  }
  return diagnostics.error_count() == errors_before ? values : std::vector<Value>{};
}

std::optional<YamlEntry> read_override(const SourcePtr& source, Diagnostics& diagnostics) {
  const std::string& text = source->text;
  const std::size_t equals = text.find('=');
  YamlNode name = trimmed_scalar(source, 0, std::min(equals, text.size()));
  if (equals == std::string::npos || name.text.empty()) {
    return diagnostics.error({source, 1, 1, std::max<std::size_t>(text.size(), 1)},
                             "this is not NAME=VALUES", set_example);
  }
  const std::size_t first = text.find_first_not_of(' ', equals + 1);
  if (first == std::string::npos) {
    return diagnostics.error(name.where, fmt::format("'{}' gets no value", name.text), set_example);
  }
  const bool is_axis_of_files = text[first] == '{' || text[first] == '[';
  auto values = is_axis_of_files ? read_yaml(source, first, text.size(), diagnostics)
                                 : std::optional(read_list(source, first));
  if (!values) return std::nullopt;
  return YamlEntry{std::move(name), std::move(*values)};
}

void read_measure(const MapReader& sweep_reader, Sweep& sweep, Diagnostics& diagnostics) {
  MeasureRules& rules = sweep.measure;
  const MapReader reader = sweep_reader.map("measure", measure_keys);
  const auto cache =
      reader.choice("cache", cache_state_names, "a state of the cache", "the states are");
  if (cache) rules.cache = static_cast<CacheState>(*cache);
  reader.decimal("noise", rules.noise, {0, 1}, "a share from 0 to 1",
                 "for example 0.5 %, which is 0.005", true);
  reader.decimal("seconds", rules.seconds, {std::nextafter(0, 1), spec_limits::measure_seconds},
                 "a number above 0 and up to 86400", "for example 0.5");
  reader.decimal("energy", rules.energy_seconds,
                 {std::nextafter(0, 1), spec_limits::measure_seconds},
                 "a number above 0 and up to 86400", "for example 2");
  const MapReader samples = reader.map("samples", samples_keys);
  samples.count("min", rules.min_samples, spec_limits::samples);
  samples.count("max", rules.max_samples, spec_limits::samples);
  if (rules.min_samples > rules.max_samples) {
    const bool both = samples.find("min") != nullptr && samples.find("max") != nullptr;
    diagnostics.error(reader.find("samples")->where,
                      fmt::format("the fewest samples ({}) are more than the most ({})",
                                  rules.min_samples, rules.max_samples),
                      both ? "" : "give both min and max");
  }
  rules.caches = reader.truth("caches");
  const YamlNode* counters = reader.find("counters");
  if (counters != nullptr) sweep.counters = read_counters(*counters, diagnostics);
}

TuneRules read_tune_rules(const YamlNode& node, const Scope* scope, Diagnostics& diagnostics) {
  TuneRules rules;
  const std::size_t errors_before = diagnostics.error_count();
  const MapReader reader(node, "tune", tune_keys, diagnostics, scope);
  read_objectives(node, scope, rules, diagnostics);
  if (rules.objectives.empty() && diagnostics.error_count() == errors_before) {
    diagnostics.error(node.where, "'tune' does not say what to search for",
                      "maximize: bandwidth, or minimize: time");
  }
  rules.for_each = reader.names("for_each");
  const std::vector<std::string> names = strategy_names();
  const YamlNode* strategy = reader.find("strategy");
  const std::string wanted = reader.text("strategy");
  if (std::ranges::find(names, wanted) != names.end()) {
    rules.strategy = wanted;
  } else if (strategy != nullptr && strategy->is_scalar()) {
    diagnostics.error(strategy->where, fmt::format("there is no strategy '{}'", wanted),
                      suggest(wanted, names, "the strategies are"));
  }
  rules.budget = read_budget(reader, diagnostics);
  reader.count("seed", rules.seed);
  const YamlNode* cut_off = reader.find("cut_off");
  if (cut_off != nullptr && cut_off->text == "off") {
    rules.cut_off = 0;
  } else {
    reader.decimal("cut_off", rules.cut_off,
                   {std::nextafter(1, 2), std::numeric_limits<double>::infinity()},
                   "a number above 1, or off",
                   "with 1.5 what is 1.5 times slower than the best is dropped early");
  }
  const YamlNode* predictions = reader.find("predictions");
  if (predictions != nullptr && predictions->text == "off") {
    rules.predictions = 0;
  } else {
    reader.count("predictions", rules.predictions);
  }
  return rules;
}

}  // namespace sweep
