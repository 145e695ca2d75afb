#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/yaml.h"

namespace sweep {

// The names that a table and a chart of a report are laid out by.

/// The metrics under `key`, a name or a list of them, by today's names. A name that is neither a
/// metric's nor a hardware counter's is an error, as is an empty list.
std::vector<std::string> read_metric_names(const YamlNode& node, std::string_view key,
                                           Diagnostics& diagnostics);

/// Adds an error for each of `names` that `scope` does not know, at its place, or at `otherwise`
/// where it has none.
void check_layout_names(std::span<const std::string> names, std::span<const Location> places,
                        const Location& otherwise, const Scope& scope, Diagnostics& diagnostics);

}  // namespace sweep
