#pragma once

#include <memory>

#include "engine/search/strategy.h"

namespace sweep {

/// Every row in a random order.
std::unique_ptr<Strategy> random_search(const SearchSpace& space, std::uint64_t seed);

}  // namespace sweep
