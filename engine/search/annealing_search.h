#pragma once

#include <memory>

#include "engine/search/strategy.h"

namespace sweep {

/// It begins at the best of a few random rows. From the current row it tries a random Hamming
/// neighbour; it always steps to a better one, and to one that is worse by d with probability
/// exp(-d / T) (Metropolis). Costs are compared by their ratio where all have one sign, and T is a
/// share of their spread so far. T falls with every row tried; when it is cold, it is heated again
/// and goes on from the best row or a random one.
std::unique_ptr<Strategy> annealing_search(const SearchSpace& space, std::uint64_t seed);

}  // namespace sweep
