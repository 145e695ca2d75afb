#pragma once

#include <memory>

#include "engine/search/strategy.h"

namespace sweep {

/// A population of random rows; then each proposal is a child of two of its members, the better
/// ones more often: each parameter from one of them, some of them changed. A child replaces the
/// worst member when it is better. A population that has long not changed keeps its best members
/// and is filled with random rows again.
std::unique_ptr<Strategy> genetic_search(const SearchSpace& space, std::uint64_t seed);

}  // namespace sweep
