#pragma once

#include <memory>

#include "engine/search/strategy.h"

namespace sweep {

/// A random forest learns the costs so far from the parameters and the space's features, and the
/// row with the greatest expected improvement (Jones, Schonlau and Welch, 1998) is proposed, out of
/// random rows and those near the best. Once rows have failed, a second forest learns which, and
/// the improvement counts as much as the row is likely not to fail. It begins with rows that lie
/// far from each other.
std::unique_ptr<Strategy> forest_search(const SearchSpace& space, std::uint64_t seed);

}  // namespace sweep
