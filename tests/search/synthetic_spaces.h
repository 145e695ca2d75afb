#pragma once

#include <string>
#include <vector>

#include "engine/search/comparison.h"
#include "engine/search/search_space.h"

namespace sweep::testing {

/// A space whose costs are known: what strategies are tried on.
struct SyntheticSpace {
  std::string name;
  SearchSpace space;
  CostTable costs;
};

/// One valley, a little noise.
SyntheticSpace smooth_space();
/// A kernel's parameters that act on each other: cliffs where registers, shared memory or threads
/// run out, 30 % of the combinations invalid.
SyntheticSpace rugged_space();
/// The same, where a seventh of the rows fails when it is tried.
SyntheticSpace failing_space();
/// Bound by memory: six rows in ten are within 5 % of the best, whatever the parameters.
SyntheticSpace flat_space();
/// Pairs of parameters of which only certain combinations are good: to leave one for a better one,
/// both must change.
SyntheticSpace scattered_space();

std::vector<SyntheticSpace> synthetic_spaces();

}  // namespace sweep::testing
