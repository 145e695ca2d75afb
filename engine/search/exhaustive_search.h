#pragma once

#include <memory>

#include "engine/search/strategy.h"

namespace sweep {

/// Every row in order.
std::unique_ptr<Strategy> exhaustive_search(const SearchSpace& space);

}  // namespace sweep
