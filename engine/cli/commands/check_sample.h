#pragma once

#include <cstddef>
#include <vector>

#include "engine/space/enumerate.h"

namespace sweep {

/// Configurations of a tuned sweep that are likely to show its mistakes: their places in the
/// space, rising, `most` at the most. Of each group and pattern these are the default
/// configuration, the ones nearest to it with one axis at its smallest or largest value (its first
/// or last one where it has no numbers), and those with all axes there; of each pattern one with
/// each value of each axis; and a random sample, the same at every call. Where that is too much,
/// each kind has its share.
std::vector<std::size_t> check_sample(const Sweep& sweep, const Space& space,
                                      const std::vector<TuningGroup>& groups, std::size_t most);

}  // namespace sweep
