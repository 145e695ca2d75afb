#include "engine/search/genetic_search.h"

#include <algorithm>

#include "engine/search/mutation.h"
#include "engine/search/tried_rows.h"

namespace sweep {
namespace {

constexpr std::size_t population_size = 10;
constexpr std::size_t tournament = 3;
constexpr double mutations_per_child = 1.5;
constexpr int attempts = 30;          // to breed a child that is valid and untried
constexpr std::size_t patience = 40;  // children without a change before it is renewed
constexpr std::size_t kept_when_renewed = 2;

class GeneticSearch final : public Strategy {
 public:
  GeneticSearch(const SearchSpace& space, std::uint64_t seed)
      : space_(space), random_(seed), tried_(space.size()) {}

  std::optional<std::size_t> ask() override {
    std::optional<std::size_t> row;
    if (strangers_ > 0) {
      --strangers_;
    } else if (!members_.empty()) {
      row = child();
    }
    if (!row) row = tried_.pick(random_);
    if (row) tried_.take(*row);
    return row;
  }

  void tell(std::size_t row, std::optional<double> cost) override {
    if (!tried_.record(row, cost)) return;
    ++unchanged_;
    if (tried_.cost(row)) enter(row);
    if (unchanged_ >= patience) renew();
  }

 private:
  /// Members stand in the order of their costs.
  void enter(std::size_t row) {
    const auto place = std::ranges::upper_bound(
        members_, row, [this](std::size_t a, std::size_t b) { return tried_.better(a, b); });
    if (place == members_.end() && members_.size() >= population_size) return;
    members_.insert(place, row);
    if (members_.size() > population_size) members_.pop_back();
    unchanged_ = 0;
  }

  void renew() {
    unchanged_ = 0;
    members_.resize(std::min(members_.size(), kept_when_renewed));
    strangers_ = population_size - members_.size();
  }

  std::size_t parent() {
    std::size_t place = members_.size();
    for (std::size_t i = 0; i < tournament; ++i) {
      place = std::min(place, random_.below(members_.size()));
    }
    return members_[place];
  }

  std::optional<std::size_t> child() {
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::optional<std::size_t> row = space_.find(bred_values());
      if (row && tried_.untried(*row)) return row;
    }
    return untried_mutant(space_, tried_, parent(), 2, random_);
  }

  std::vector<SearchSpace::Value> bred_values() {
    const std::span<const SearchSpace::Value> mother = space_.values(parent());
    const std::span<const SearchSpace::Value> father = space_.values(parent());
    std::vector<SearchSpace::Value> values(mother.begin(), mother.end());
    const double mutation = mutations_per_child / static_cast<double>(values.size());
    for (std::size_t p = 0; p < values.size(); ++p) {
      if (random_.chance(0.5)) values[p] = father[p];
      if (random_.chance(mutation)) {
        values[p] = other_value(space_.parameters()[p], values[p], random_);
      }
    }
    return values;
  }

  const SearchSpace& space_;
  RandomGenerator random_;
  TriedRows tried_;
  std::vector<std::size_t> members_;
  std::size_t strangers_ = population_size;  ///< random rows still to propose
  std::size_t unchanged_ = 0;                ///< answers since a member changed
};

}  // namespace

std::unique_ptr<Strategy> genetic_search(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<GeneticSearch>(space, seed);
}

}  // namespace sweep
