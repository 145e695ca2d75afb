#pragma once

#include <string>
#include <vector>

#include "engine/spec/pattern.h"
#include "engine/spec/sweep.h"

namespace sweep {

/// The names of the sweeps that come with the program.
const std::vector<std::string>& shipped_sweeps();

/// One of them, as its file has it.
Sweep shipped_sweep(const std::string& name);

/// At most `most` configurations of a sweep, the first and the last among them.
std::vector<Configuration> some_configurations(const Sweep& sweep, std::size_t most);

/// So many configurations of a sweep, drawn at random by a fixed seed; all if there are no more.
std::vector<Configuration> drawn_configurations(const Sweep& sweep, std::size_t count);

/// A configuration of a pattern that comes with the program.
Configuration shipped_configuration(const std::string& pattern, const Bindings& given);

}  // namespace sweep
