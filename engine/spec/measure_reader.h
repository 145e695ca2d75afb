#pragma once

#include "engine/spec/sweep.h"
#include "engine/text/yaml.h"

namespace sweep {

/// Reads the value of a sweep file's `measure:` key; what it does not name keeps its default. Its
/// `counters` are no rule of timing: see read_counters.
MeasureRules read_measure_rules(const YamlNode& node, Diagnostics& diagnostics);

}  // namespace sweep
