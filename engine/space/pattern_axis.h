#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/spec/sweep.h"

namespace sweep {

/// An axis of a sweep as one pattern sees it: only the names it has, each row once.
struct PatternAxis {
  std::vector<std::string> names;
  std::vector<std::vector<Value>> rows;
};

/// The axes that the pattern has parameters for, in the sweep's order.
std::vector<PatternAxis> axes_of(const Sweep& sweep, const Pattern& pattern);

/// How many combinations the axes make; nothing when 64 bits do not hold that.
std::optional<std::uint64_t> combinations_of(const std::vector<PatternAxis>& axes);

}  // namespace sweep
