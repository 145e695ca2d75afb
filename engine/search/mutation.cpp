#include "engine/search/mutation.h"

#include <vector>

namespace sweep {
namespace {

constexpr int step_attempts = 30;

}  // namespace

SearchSpace::Value other_value(const SearchParameter& parameter, SearchSpace::Value value,
                               RandomGenerator& random) {
  using Value = SearchSpace::Value;
  if (parameter.values < 2) return value;
  if (parameter.ordered && random.chance(0.5)) {
    const bool up = value == 0 || (value + 1U < parameter.values && random.chance(0.5));
    return static_cast<Value>(up ? value + 1 : value - 1);
  }
  const std::size_t drawn = random.below(parameter.values - 1);
  return static_cast<Value>(drawn < value ? drawn : drawn + 1);
}

std::optional<std::size_t> untried_mutant(const SearchSpace& space, const TriedRows& tried,
                                          std::size_t row, std::size_t parameters,
                                          RandomGenerator& random) {
  const std::span<const SearchSpace::Value> own = space.values(row);
  for (int attempt = 0; attempt < step_attempts; ++attempt) {
    std::vector<SearchSpace::Value> values(own.begin(), own.end());
    for (std::size_t i = 0; i < parameters; ++i) {
      const std::size_t p = random.below(values.size());
      values[p] = other_value(space.parameters()[p], values[p], random);
    }
    const std::optional<std::size_t> found = space.find(values);
    if (found && tried.untried(*found)) return found;
  }
  return std::nullopt;
}

}  // namespace sweep
