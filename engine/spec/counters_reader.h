#pragma once

#include <string>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/yaml.h"

namespace sweep {

/// The canonical names that a sweep file's `measure:` asks the hardware's counters for, by its key
/// `counters`: true for the default set, false or off for none, a name, or a list of names.
std::vector<std::string> read_counters(const YamlNode& measure, Diagnostics& diagnostics);

}  // namespace sweep
