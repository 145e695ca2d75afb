#pragma once

#include <memory>

#include "engine/search/strategy.h"

namespace sweep {

/// From the best of a few random rows it tries the Hamming neighbours in random order and steps to
/// the first better one. Where no neighbour is better, it starts again: from the best row so far
/// with a few parameters changed, or from a random row.
std::unique_ptr<Strategy> local_search(const SearchSpace& space, std::uint64_t seed);

}  // namespace sweep
