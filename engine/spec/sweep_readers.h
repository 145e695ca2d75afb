#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/spec/sweep.h"
#include "engine/text/diagnostic.h"
#include "engine/text/value.h"
#include "engine/text/yaml.h"

namespace sweep {

/// An axis's values: from a list, a single value, or {from, to} with an optional `step` or
/// `multiply`. Empty, with messages, when there is a mistake or when there are more than a million
/// values. A value may repeat in an axis that moves together with others: the rows differ in
/// another name.
std::vector<Value> read_axis_values(const YamlNode& node, const std::string& name,
                                    Diagnostics& diagnostics, bool may_repeat = false);

/// A `--set` argument taken apart.
struct OverrideParts {
  std::string name;
  Location where;   ///< of the name
  YamlNode values;  ///< as an axis has them in a sweep file
};

/// Splits NAME=VALUES, where VALUES is a comma-separated list, or an axis in braces or brackets.
/// Nothing, with messages, when it is neither.
std::optional<OverrideParts> read_override(const Override& argument, Diagnostics& diagnostics);

/// Reads the value of a sweep file's `measure:` key; what it does not name keeps its default. Its
/// `counters` are no rule of timing: see read_counters.
MeasureRules read_measure_rules(const YamlNode& node, Diagnostics& diagnostics);

/// The canonical names that a sweep file's `measure:` asks the hardware's counters for, by its key
/// `counters`: true for the default set, false or off for none, a name, or a list of names.
std::vector<std::string> read_counters(const YamlNode& measure, Diagnostics& diagnostics);

/// Reads the value of a sweep file's `tune:` key. Metrics and the strategy are checked, the names
/// of `for_each` are not (see check_names).
TuneRules read_tune_rules(const YamlNode& node, Diagnostics& diagnostics);

}  // namespace sweep
