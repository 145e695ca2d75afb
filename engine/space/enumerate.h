#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/spec/configuration.h"
#include "engine/spec/sweep.h"

namespace sweep {

/// What one constraint took out of a space.
struct Removed {
  std::string constraint;  ///< as the user wrote it
  std::string origin;      ///< "the sweep", or "pattern NAME"
  std::uint64_t count = 0;
};

/// The configurations of a sweep, in the order of its file: patterns outermost, the last axis
/// innermost.
struct Space {
  std::vector<Configuration> configurations;
  std::uint64_t combinations = 0;  ///< before any constraint
  std::vector<Removed> removed;    ///< one per constraint, in the order they are tried
};

/// Enumerates the sweep's space. An axis that a pattern has no parameter for is left out of that
/// pattern's combinations. A combination counts as removed by the first constraint it breaks: the
/// pattern's own come first. A combination whose defaults break their parameter's bounds, or fail,
/// is removed too if a constraint on the other parameters removes it, or by the bound. Throws
/// InputError when an expression fails for some combination all the same, or
/// when there are more than a million combinations.
Space enumerate(const Sweep& sweep);

}  // namespace sweep
