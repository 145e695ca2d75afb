#pragma once

#include <cstddef>
#include <optional>

#include "engine/search/random_generator.h"
#include "engine/search/search_space.h"
#include "engine/search/tried_rows.h"

namespace sweep {

/// Another value of the parameter: one step away as often as any other where it is ordered.
/// A parameter with one value keeps it.
SearchSpace::Value other_value(const SearchParameter& parameter, SearchSpace::Value value,
                               RandomGenerator& random);

/// An untried row that differs from `row` in at most that many parameters; nothing when a number of
/// attempts has met none that is valid.
std::optional<std::size_t> untried_mutant(const SearchSpace& space, const TriedRows& tried,
                                          std::size_t row, std::size_t parameters,
                                          RandomGenerator& random);

}  // namespace sweep
