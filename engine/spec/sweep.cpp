#include "engine/spec/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "engine/spec/compile_rules.h"
#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/place.h"
#include "engine/spec/value_words.h"
#include "engine/text/diagnostic.h"

namespace sweep {

std::string to_string(const MeasureRules& rules) {
  const std::string energy =
      rules.energy_seconds > 0 ? fmt::format(", energy: {}", rules.energy_seconds) : "";
  return fmt::format("cache: {}, noise: {} %, samples: {}..{}, seconds: {}{}{}",
                     cache_state_names.at(static_cast<std::size_t>(rules.cache)), rules.noise * 100,
                     rules.min_samples, rules.max_samples, rules.seconds, energy,
                     rules.caches ? ", caches: true" : "");
}

std::string counting_rules_text(const MeasureRules& rules) {
  if (!rules.caches) return "caches: false";
  return fmt::format("cache: {}, caches: true",
                     cache_state_names.at(static_cast<std::size_t>(rules.cache)));
}

bool models_caches(std::string_view rules_text) {
  return rules_text.ends_with("caches: true");
}

namespace {

/// Puts `axis`, which has one name, in the place of the axis of that name, or last. No axis has
/// the name together with others.
void replace_axis(std::vector<Axis>& axes, const Axis& axis) {
  const auto found = std::ranges::find(axes, axis.names, &Axis::names);
  if (found != axes.end()) {
    *found = axis;
  } else {
    axes.push_back(axis);
  }
}

class SweepParser {
 public:
  SweepParser(const SourcePtr& source, const std::filesystem::path& path,
              const PatternLookup& lookup)
      : lookup_(lookup) {
    sweep_.name = path.stem().string();
    sweep_.path = path;
    sweep_.source = source;
  }

  Sweep parse(const std::vector<SourcePtr>& overrides) {
    if (const auto root = read_yaml(sweep_.source, diagnostics_)) {
      if (root->is_null()) {
        diagnostics_.error({sweep_.source, 0, 0, 1}, "this sweep is empty",
                           "a sweep names at least a pattern: pattern: stride");
      } else {
        read_root(*root, overrides);
      }
    }
    if (diagnostics_.has_errors()) throw InputError(in_reading_order(diagnostics_));
    return std::move(sweep_);
  }

 private:
  void read_root(const YamlNode& root, const std::vector<SourcePtr>& overrides) {
    const MapReader reader(root, "a sweep", sweep_keys, diagnostics_);
    if (!root.is_map()) return;
    sweep_.summary = reader.text("summary");
    read_patterns(root, reader);
    if (const YamlNode* rules = reader.find("compile")) {
      for (PatternPtr& pattern : sweep_.patterns) {
        // A mistake of the rules is none of the next pattern's.
        PatternPtr changed = with_compile_rules(pattern, *rules, diagnostics_);
        if (changed == nullptr) break;
        pattern = std::move(changed);
      }
    }
    for (const PatternPtr& pattern : sweep_.patterns) {
      for (const Parameter& parameter : pattern->parameters) {
        if (!scope_.kind_of(parameter.name)) scope_.add(parameter.name, parameter.kind);
      }
    }
    scope_.add("pattern", ValueKind::word);
    if (const YamlNode* axes = reader.find("axes")) {
      for_each_axis(*axes, "axes", "STRIDE: [1, 2, 4]",
                    [&](const YamlNode&, Axis axis) { sweep_.axes.push_back(std::move(axis)); });
    }
    if (const YamlNode* zip = reader.find("zip")) read_zip(*zip);
    read_metrics(reader.find("metrics"));
    sweep_.where = read_expressions(reader.find("where"), "where", diagnostics_);
    read_measure(reader, sweep_, diagnostics_);
    // Without its patterns every name would be unknown.
    const Scope* scope = patterns_complete_ ? &scope_ : nullptr;
    if (const YamlNode* tune = reader.find("tune")) {
      sweep_.tune = read_tune_rules(*tune, scope, diagnostics_);
    }
    sweep_.report = read_report_layout(reader.find("report"), scope, diagnostics_);
    const MapReader emulator = reader.map("emulator", emulator_keys);
    if (const YamlNode* set = emulator.find("set")) {
      for_each_axis(*set, "set", "emulator: {set: {N: 1 Mi}}",
                    [&](const YamlNode& name, Axis axis) {
                      if (check_moves_alone(name)) sweep_.emulator_set.push_back(std::move(axis));
                    });
    }
    sweep_.expect = read_expectations(reader.find("expect"), scope, diagnostics_);
    constexpr double usual_energy_seconds = 1;
    if (sweep_.measure.energy_seconds == 0 && names_metric("energy")) {
      sweep_.measure.energy_seconds = usual_energy_seconds;
    }
    for (const SourcePtr& replacement : overrides) apply(replacement);
    if (patterns_complete_) check_conditions();
  }

  void read_patterns(const YamlNode& root, const MapReader& reader) {
    const YamlNode* one = reader.find("pattern");
    const YamlNode* several = reader.find("patterns");
    const char* help = "write pattern: stride, or patterns: [offset, stride]";
    if ((one != nullptr) == (several != nullptr)) {
      diagnostics_.error(one == nullptr ? root.where : several->where,
                         one == nullptr ? "a sweep needs the key 'pattern'"
                                        : "'pattern' and 'patterns' exclude each other",
                         help);
      patterns_complete_ = false;
      return;
    }
    const YamlNode& node = one != nullptr ? *one : *several;
    std::vector<std::string> seen;
    for (const auto& [name, where] : read_texts(node, "pattern", diagnostics_)) {
      if (std::ranges::find(seen, name) != seen.end()) {
        diagnostics_.error(where, fmt::format("the pattern '{}' is named twice", name));
        continue;
      }
      seen.push_back(name);
      PatternPtr pattern = lookup_(name, where, diagnostics_);
      if (pattern == nullptr) {
        patterns_complete_ = false;
      } else {
        sweep_.patterns.push_back(std::move(pattern));
      }
    }
    if (seen.empty()) {
      patterns_complete_ = false;
      if (!diagnostics_.has_errors()) diagnostics_.error(node.where, "no pattern is named", help);
    }
  }

  /// Before everything that may name a metric.
  void read_metrics(const YamlNode* node) {
    sweep_.metrics = read_own_metrics(node, diagnostics_);
    forget_own_metrics();
    forget_value_words();
    std::vector<OwnMetric> before;
    for (const PatternPtr& pattern : sweep_.patterns) {
      for (const OwnMetric& metric : pattern->metrics) check_is_alike(metric, *pattern, before);
      define_own_metrics(pattern->metrics);
    }
    define_own_metrics(sweep_.metrics);
    for (const OwnMetric& metric : sweep_.metrics) {
      const auto same = std::ranges::find(before, metric.name, &OwnMetric::name);
      if (same == before.end()) continue;
      diagnostics_.error(metric.where,
                         fmt::format("'{}' is a metric of the pattern already", metric.name),
                         fmt::format("it is {} there", same->value.text()));
    }
    if (patterns_complete_) check_own_metrics(sweep_.metrics, before, all_names(), diagnostics_);
  }

  /// Whether something of the sweep, or of its patterns' own metrics, asks for the metric.
  bool names_metric(const std::string& name) const {
    const auto has = [&](const std::vector<std::string>& names) {
      return std::ranges::find(names, name) != names.end();
    };
    const auto is_chosen = [&](const std::vector<MetricChoice>& choices) {
      return std::ranges::find(choices, name, &MetricChoice::name) != choices.end();
    };
    const auto is_ingredient = [&](const OwnMetric& metric) { return has(metric.value.names()); };
    const auto is_side = [&](const ExpectationSide& side) {
      const auto* metric = std::get_if<MetricName>(&side.value);
      return metric != nullptr && metric->name == name;
    };
    const ReportLayout& report = sweep_.report;
    return (sweep_.tune &&
            std::ranges::find(sweep_.tune->objectives, name, &TuneObjective::metric) !=
                sweep_.tune->objectives.end()) ||
           std::ranges::any_of(report.tables,
                               [&](const auto& table) { return has(table.values); }) ||
           (report.charts && std::ranges::any_of(*report.charts,
                                                 [&](const ChartLayout& chart) {
                                                   return has(chart.values) ||
                                                          is_chosen(chart.x_metrics) ||
                                                          is_chosen(chart.y_metrics);
                                                 })) ||
           std::ranges::any_of(sweep_.expect,
                               [&](const Expectation& expectation) {
                                 return is_side(expectation.left) || is_side(expectation.right);
                               }) ||
           std::ranges::any_of(sweep_.metrics, is_ingredient) ||
           std::ranges::any_of(sweep_.patterns, [&](const PatternPtr& pattern) {
             return std::ranges::any_of(pattern->metrics, is_ingredient);
           });
  }

  /// Adds an error where two patterns call different things by one name.
  void check_is_alike(const OwnMetric& metric, const Pattern& pattern,
                      std::vector<OwnMetric>& before) {
    const auto other = std::ranges::find(before, metric.name, &OwnMetric::name);
    if (other == before.end()) {
      before.push_back(metric);
    } else if (other->unit != metric.unit || other->better != metric.better) {
      diagnostics_.error(metric.where,
                         fmt::format("the metric '{}' of '{}' has another unit or direction than "
                                     "that of another pattern of this sweep: {} [{}], not {} [{}]",
                                     metric.name, pattern.name, to_string(metric.better),
                                     metric.unit, to_string(other->better), other->unit),
                         "give them different names");
    }
    if (scope_.kind_of(metric.name)) {
      diagnostics_.error(
          metric.where,
          fmt::format("'{}' is a parameter of another pattern of this sweep", metric.name),
          "choose another name for the metric");
    }
  }

  /// Those of points, and the sizes of the patterns' structs.
  Scope all_names() const {
    Scope scope = scope_;
    for (const PatternPtr& pattern : sweep_.patterns) {
      for (const Struct& type : pattern->structs) scope.add(type.size_name(), ValueKind::integer);
    }
    return scope;
  }

  /// Adds an error when an axis cannot have this name; false when its values mean nothing then.
  bool check_axis_name(const YamlNode& name) {
    if (name.text == "pattern") {
      diagnostics_.error(name.where, "'pattern' is an axis of its own",
                         "the sweep file names them: patterns: [offset, stride]");
      return false;
    }
    if (patterns_complete_ && !scope_.kind_of(name.text)) {
      std::vector<std::string> parameters = scope_.names();
      std::erase(parameters, "pattern");
      diagnostics_.error(name.where, fmt::format("there is no parameter '{}'", name.text),
                         suggest(name.text, parameters, "the parameters are"));
    }
    return true;
  }

  /// The axis with the values under its name, which may be none, with errors; nothing when no axis
  /// can have the name.
  std::optional<Axis> read_axis(const YamlNode& name, const YamlNode& node) {
    if (!check_axis_name(name)) return std::nullopt;
    Axis axis{{name.text}, {}, name.where};
    for (Value& value : read_values(name.text, node, false)) {
      axis.rows.push_back({std::move(value)});
    }
    return axis;
  }

  /// Adds an error too at the first value that a pattern's parameter cannot have.
  std::vector<Value> read_values(const std::string& name, const YamlNode& node, bool may_repeat) {
    // Parameters of one name may differ in kind; the first pattern's says what the values are.
    const bool are_words = scope_.kind_of(name) == ValueKind::word;
    std::vector<Value> values = read_axis_values(node, name, diagnostics_, may_repeat, are_words);
    for (const PatternPtr& pattern : sweep_.patterns) {
      const Parameter* parameter = pattern->find_parameter(name);
      if (!patterns_complete_ || parameter == nullptr) continue;
      const auto wrong = std::ranges::find_if(values, [&](const Value& value) {
        return kind_of(value) != parameter->kind || !why_out_of_bounds(*parameter, value).empty();
      });
      if (wrong == values.end()) continue;
      const auto place = static_cast<std::size_t>(wrong - values.begin());
      const Location& where = node.is_sequence() ? node.items[place].where : node.where;
      if (const ValueKind kind = kind_of(*wrong); kind != parameter->kind) {
        diagnostics_.error(
            where, fmt::format("'{}' of the pattern '{}' is {}, but {} is {}", name, pattern->name,
                               describe(*parameter), sweep::to_string(*wrong), describe(kind)));
      } else if (kind == ValueKind::word) {
        diagnostics_.error(where, why_out_of_bounds(*parameter, *wrong),
                           suggest(std::get<std::string>(*wrong),
                                   std::vector<std::string>(place_names.begin(), place_names.end()),
                                   "the places are"));
      } else {
        diagnostics_.error(where, why_out_of_bounds(*parameter, *wrong),
                           fmt::format("the pattern '{}' sets this limit", pattern->name));
      }
    }
    return values;
  }

  /// Calls `take` with each axis of a map of them, which is the value of `key`.
  template <class Take>
  void for_each_axis(const YamlNode& node, const char* key, const char* help, Take take) {
    if (!node.is_map()) {
      diagnostics_.error(
          node.where, fmt::format("'{}' must be a map of parameters and their values", key), help);
    }
    for_each_entry(node, [&](const YamlNode& name, const YamlNode& value) {
      if (auto axis = read_axis(name, value)) take(name, std::move(*axis));
    });
  }

  void read_zip(const YamlNode& node) {
    const std::string help = "zip: [{ROWS: [8, 16], TILE: [32, 64]}]";
    if (!node.is_sequence()) {
      diagnostics_.error(node.where, "'zip' must be a list of maps", help);
      return;
    }
    for (const YamlNode& group : node.items) {
      if (group.is_map() && !group.entries.empty()) {
        read_zip_group(group);
      } else {
        diagnostics_.error(group.where, "a group of 'zip' must be a map of parameters", help);
      }
    }
  }

  void read_zip_group(const YamlNode& group) {
    const std::size_t errors_before = diagnostics_.error_count();
    Axis axis{{}, {}, group.entries.front().key.where};
    for_each_entry(group, [&](const YamlNode& key, const YamlNode& value) {
      if (!check_axis_name(key)) return;
      if (is_axis(sweep_.axes, key.text)) {
        diagnostics_.error(key.where, fmt::format("'{}' is an axis twice", key.text));
      }
      const std::vector<Value> values = read_values(key.text, value, true);
      if (!values.empty()) add_column(axis, key, values);
    });
    if (diagnostics_.error_count() == errors_before) check_rows_differ(axis);
    sweep_.axes.push_back(std::move(axis));
  }

  void add_column(Axis& axis, const YamlNode& key, const std::vector<Value>& values) {
    if (axis.names.empty()) axis.rows.resize(values.size());
    if (values.size() != axis.rows.size()) {
      diagnostics_.error(
          key.where,
          fmt::format("'{}' has {} value{} where '{}' has {}", key.text, values.size(),
                      values.size() == 1 ? "" : "s", axis.names.front(), axis.rows.size()),
          "axes that move together have equally many values");
      return;
    }
    axis.names.push_back(key.text);
    for (std::size_t row = 0; row < values.size(); ++row) axis.rows[row].push_back(values[row]);
  }

  void check_rows_differ(const Axis& axis) {
    std::map<std::vector<Value>, std::size_t> seen;
    for (std::size_t row = 0; row < axis.rows.size(); ++row) {
      const auto [first, is_new] = seen.try_emplace(axis.rows[row], row);
      if (is_new) continue;
      diagnostics_.error(axis.where,
                         fmt::format("places {} and {} of this group have the same values",
                                     first->second + 1, row + 1));
      return;
    }
  }

  void apply(const SourcePtr& replacement) {
    const auto parts = read_override(replacement, diagnostics_);
    const auto axis = parts ? read_axis(parts->key, parts->value) : std::nullopt;
    if (!axis || !check_moves_alone(parts->key)) return;
    replace_axis(sweep_.axes, *axis);
    // What a person types goes before what the file says.
    std::erase_if(sweep_.emulator_set,
                  [&](const Axis& other) { return other.names == axis->names; });
  }

  /// Adds an error when the name is that of an axis that moves together with others.
  bool check_moves_alone(const YamlNode& name) {
    for (const Axis& axis : sweep_.axes) {
      if (axis.names.size() < 2 || std::ranges::find(axis.names, name.text) == axis.names.end()) {
        continue;
      }
      std::vector<std::string> others = axis.names;
      std::erase(others, name.text);
      diagnostics_.error(name.where,
                         fmt::format("'{}' moves together with {} in this sweep", name.text,
                                     fmt::join(others, ", ")),
                         "an axis of 'zip' cannot be replaced alone");
      return false;
    }
    return true;
  }

  void check_conditions() {
    const Scope scope = all_names();
    const auto is_unquoted = [&](const std::string& name) {
      return !scope.kind_of(name) && std::ranges::any_of(sweep_.patterns, [&](const auto& pattern) {
        return pattern->name == name;
      });
    };
    for (const Expression& condition : sweep_.where) {
      const std::vector<std::string> names = condition.names();
      // A pattern's name without quotes would be taken for a parameter's.
      const auto unquoted = std::ranges::find_if(names, is_unquoted);
      if (unquoted != names.end()) {
        diagnostics_.error(condition.where(),
                           fmt::format("the pattern '{}' stands without quotes", *unquoted),
                           fmt::format("pattern == '{}'", *unquoted));
      } else if (check_kind(condition, scope, ValueKind::boolean, "a condition of 'where'",
                            diagnostics_, "write a comparison") &&
                 std::ranges::none_of(sweep_.patterns, [&](const PatternPtr& pattern) {
                   return applies_to(condition, *pattern);
                 })) {
        diagnostics_.error(condition.where(),
                           "no pattern has all the parameters of this condition");
      }
    }
  }

  const PatternLookup& lookup_;
  Sweep sweep_;
  Diagnostics diagnostics_;
  bool patterns_complete_ = true;
  Scope scope_;  ///< what a point has: every parameter of every pattern, and "pattern"
};

}  // namespace

void apply_emulator_set(Sweep& sweep) {
  for (const Axis& axis : sweep.emulator_set) replace_axis(sweep.axes, axis);
}

bool is_axis(const std::vector<Axis>& axes, std::string_view name) {
  return std::ranges::any_of(axes, [&](const Axis& axis) {
    return std::ranges::find(axis.names, name) != axis.names.end();
  });
}

std::vector<std::string> derived_parameters(const Pattern& pattern, const std::vector<Axis>& axes) {
  std::vector<std::string> derived;
  for (const Parameter& parameter : pattern.parameters) {
    const bool follows =
        std::ranges::any_of(parameter.default_value.names(),
                            [&](const std::string& name) { return pattern.declares(name); });
    if (follows && !is_axis(axes, parameter.name)) derived.push_back(parameter.name);
  }
  return derived;
}

std::vector<OwnMetric> own_metrics_of(const Sweep& sweep, const Pattern& pattern) {
  std::vector<OwnMetric> metrics = pattern.metrics;
  metrics.insert(metrics.end(), sweep.metrics.begin(), sweep.metrics.end());
  return metrics;
}

bool applies_to(const Expression& condition, const Pattern& pattern) {
  return std::ranges::all_of(condition.names(), [&](const std::string& name) {
    return name == "pattern" || pattern.declares(name) || ElementType::find(name).has_value();
  });
}

std::int64_t device_figure(const DeviceFigures& figures, std::string_view name) {
  if (name == device_figure_names[0]) return figures.multiprocessors;
  return name == device_figure_names[1] ? figures.l2_bytes : 0;
}

bool apply_device_figures(Sweep& sweep, const DeviceFigures& figures) {
  bool has_applied = false;
  for (const PatternPtr& pattern : sweep.patterns) {
    for (const Parameter& parameter : pattern->parameters) {
      if (parameter.device.empty() || is_axis(sweep.axes, parameter.name)) continue;
      const std::int64_t figure = device_figure(figures, parameter.device);
      if (figure <= 0) continue;
      sweep.axes.push_back({{parameter.name}, {{Value(figure)}}, parameter.where});
      has_applied = true;
    }
  }
  return has_applied;
}

Sweep parse_sweep(const SourcePtr& source, const std::filesystem::path& path,
                  const PatternLookup& lookup, const std::vector<SourcePtr>& overrides) {
  return SweepParser(source, path, lookup).parse(overrides);
}

}  // namespace sweep
