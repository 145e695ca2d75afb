#include "engine/search/strategy.h"

#include <array>

#include "engine/search/annealing_search.h"
#include "engine/search/exhaustive_search.h"
#include "engine/search/forest_search.h"
#include "engine/search/genetic_search.h"
#include "engine/search/local_search.h"
#include "engine/search/random_search.h"

namespace sweep {
namespace {

struct Entry {
  StrategyDescription description;
  std::unique_ptr<Strategy> (*make)(const SearchSpace& space, std::uint64_t seed) = nullptr;
};

const std::array<Entry, 6>& entries() {
  static const std::array<Entry, 6> all = {{
      {{"exhaustive", "every configuration, in order"},
       [](const SearchSpace& space, std::uint64_t /*seed*/) { return exhaustive_search(space); }},
      {{"random", "configurations at random; as good as any where nearly all are equal"},
       random_search},
      {{"local", "greedy steps to better neighbours, with restarts"}, local_search},
      {{"annealing", "steps to neighbours, worse ones too while it is hot; reheated"},
       annealing_search},
      {{"genetic", "crosses and mutates the best so far; for good points that lie scattered"},
       genetic_search},
      {{"forest", "a random forest learns the costs and proposes where better ones are likely"},
       forest_search},
  }};
  return all;
}

}  // namespace

std::span<const StrategyDescription> strategies() {
  static const std::vector<StrategyDescription> all = [] {
    std::vector<StrategyDescription> result;
    for (const Entry& entry : entries()) result.push_back(entry.description);
    return result;
  }();
  return all;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> result;
  for (const Entry& entry : entries()) result.push_back(entry.description.name);
  return result;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace& space,
                                        std::uint64_t seed) {
  for (const Entry& entry : entries()) {
    if (entry.description.name == name) return entry.make(space, seed);
  }
  return nullptr;
}

}  // namespace sweep
