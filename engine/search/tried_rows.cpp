#include "engine/search/tried_rows.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace sweep {

TriedRows::TriedRows(std::size_t count)
    : untried_(count), place_(count), costs_(count), answered_(count) {
  std::iota(untried_.begin(), untried_.end(), 0U);
  std::iota(place_.begin(), place_.end(), 0U);
}

std::optional<std::size_t> TriedRows::pick(RandomGenerator& random) const {
  if (untried_.empty()) return std::nullopt;
  return untried_[random.below(untried_.size())];
}

std::size_t TriedRows::take(std::size_t row) {
  const std::uint32_t place = place_[row];
  if (place == taken) return row;
  untried_[place] = untried_.back();
  place_[untried_[place]] = place;
  untried_.pop_back();
  place_[row] = taken;
  return row;
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

}  // namespace sweep
