#pragma once

#include <rapidcheck.h>

#include <vector>

#include "engine/search/search_space.h"

namespace sweep::testing {

/// A random small space for a property: up to three parameters, any share of the combinations
/// valid, in a random order; it may be empty.
inline SearchSpace arbitrary_space() {
  const auto count = *rc::gen::inRange<std::size_t>(1, 4);
  std::vector<SearchParameter> parameters;
  std::size_t combinations = 1;
  for (std::size_t p = 0; p < count; ++p) {
    const auto values = *rc::gen::inRange<std::size_t>(1, 5);
    const auto ordered = *rc::gen::arbitrary<bool>();
    parameters.push_back({values, ordered});
    combinations *= values;
  }
  const auto chosen = *rc::gen::unique<std::vector<std::size_t>>(
      *rc::gen::inRange<std::size_t>(0, combinations / 2 + 1),
      rc::gen::inRange<std::size_t>(0, combinations));
  std::vector<SearchSpace::Value> rows;
  for (std::size_t number : chosen) {
    for (const SearchParameter& parameter : parameters) {
      rows.push_back(static_cast<SearchSpace::Value>(number % parameter.values));
      number /= parameter.values;
    }
  }
  return {parameters, rows};
}

}  // namespace sweep::testing
