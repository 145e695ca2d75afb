#include "engine/search/tried_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace sweep {

std::size_t RandomGenerator::below(std::size_t count) {
  if (count < 2) return 0;
  // The largest multiple of `count`: a draw above it would favour the small remainders.
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = most - most % count;
  std::uint64_t drawn = engine_();
  while (drawn >= limit) drawn = engine_();
  return static_cast<std::size_t>(drawn % count);
}

double RandomGenerator::unit() {
  constexpr int unused_bits = 11;  // of 64, so that the double's 53 bits are exact
  return static_cast<double>(engine_() >> unused_bits) * 0x1p-53;
}

TriedRows::TriedRows(std::size_t count)
    : untried_(count), place_(count), costs_(count), answered_(count) {
  std::iota(untried_.begin(), untried_.end(), 0U);
  std::iota(place_.begin(), place_.end(), 0U);
}

std::optional<std::size_t> TriedRows::pick(RandomGenerator& random) const {
  if (untried_.empty()) return std::nullopt;
  return untried_[random.below(untried_.size())];
}

void TriedRows::take(std::size_t row) {
  const std::uint32_t place = place_[row];
  if (place == taken) return;
  untried_[place] = untried_.back();
  place_[untried_[place]] = place;
  untried_.pop_back();
  place_[row] = taken;
}

bool TriedRows::record(std::size_t row, std::optional<double> cost) {
  if (row >= place_.size()) throw std::out_of_range("the search space has no such row");
  if (answered_[row]) return false;
  take(row);
  answered_[row] = true;
  if (!cost || !std::isfinite(*cost)) {
    failed_.push_back(row);
    return true;
  }
  costs_[row] = cost;
  known_.push_back(row);
  if (!best_ || better(row, *best_)) best_ = row;
  return true;
}

bool TriedRows::better(std::size_t row, std::size_t other) const {
  return costs_[row] && (!costs_[other] || *costs_[row] < *costs_[other]);
}

SearchSpace::Value other_value(const SearchParameter& parameter, SearchSpace::Value value,
                               RandomGenerator& random) {
  if (parameter.values < 2) return value;
  if (parameter.ordered && random.chance(0.5)) {
    const bool up = value == 0 || (value + 1U < parameter.values && random.chance(0.5));
    return static_cast<SearchSpace::Value>(up ? value + 1 : value - 1);
  }
  const std::size_t drawn = random.below(parameter.values - 1);
  return static_cast<SearchSpace::Value>(drawn < value ? drawn : drawn + 1);
}

std::optional<std::size_t> untried_mutant(const SearchSpace& space, const TriedRows& tried,
                                          std::size_t row, std::size_t parameters,
                                          RandomGenerator& random) {
  constexpr int attempts = 30;
  const std::span<const SearchSpace::Value> own = space.values(row);
  for (int attempt = 0; attempt < attempts; ++attempt) {
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

CostScale::CostScale(std::span<const double> costs) {
  if (costs.empty()) return;
  if (std::ranges::all_of(costs, [](double cost) { return cost > 0; })) sign_ = 1;
  if (std::ranges::all_of(costs, [](double cost) { return cost < 0; })) sign_ = -1;
}

double CostScale::operator()(double cost) const {
  return sign_ == 0 ? cost : sign_ * std::log(sign_ * cost);
}

}  // namespace sweep
