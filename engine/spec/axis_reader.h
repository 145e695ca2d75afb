#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/value.h"
#include "engine/text/yaml.h"

namespace sweep {

/// An axis's values: from a list, a single value, or {from, to} with an optional `step` or
/// `multiply`. Empty, with messages, when there is a mistake, when a value stands there twice, or
/// when there are more than a million values.
std::vector<Value> read_axis_values(const YamlNode& node, const std::string& name,
                                    Diagnostics& diagnostics);

/// The same for one name of a group of axes that move together, where a value may repeat: the rows
/// differ in another name.
std::vector<Value> read_zip_values(const YamlNode& node, const std::string& name,
                                   Diagnostics& diagnostics);

}  // namespace sweep
