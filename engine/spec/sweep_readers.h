#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/spec/map_reader.h"
#include "engine/spec/sweep.h"

namespace sweep {

/// An axis's values: from a list, a single value, or {from, to} with an optional `step` or
/// `multiply`. Empty, with messages, when there is a mistake or when there are more than a million
/// values. A value may repeat in an axis that moves together with others: the rows differ in
/// another name.
std::vector<Value> read_axis_values(const YamlNode& node, const std::string& name,
                                    Diagnostics& diagnostics, bool may_repeat = false);

/// Splits NAME=VALUES into the name and the values as an axis has them in a sweep file, where
/// VALUES is a comma-separated list, or an axis in braces or brackets. Nothing, with messages, when
/// it is neither.
std::optional<YamlEntry> read_override(const SourcePtr& source, Diagnostics& diagnostics);

/// Reads a sweep file's `measure:` key; what it does not name keeps its default.
void read_measure(const MapReader& sweep_reader, Sweep& sweep, Diagnostics& diagnostics);

/// Reads the value of a sweep file's `tune:` key. The names of `for_each` are those that `scope`
/// knows, if one is given.
TuneRules read_tune_rules(const YamlNode& node, const Scope* scope, Diagnostics& diagnostics);

}  // namespace sweep
