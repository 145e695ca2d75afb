#include "engine/search/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sweep {
namespace {

std::size_t hash_of(std::span<const SearchSpace::Value> values) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  for (const SearchSpace::Value value : values) {
    hash = (hash ^ value) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32U;
  }
  return static_cast<std::size_t>(hash);
}

}  // namespace

SearchSpace::SearchSpace(std::vector<SearchParameter> parameters, std::vector<Value> rows)
    : parameters_(std::move(parameters)), rows_(std::move(rows)) {
  const std::size_t width = parameters_.size();
  if (width == 0 ? !rows_.empty() : rows_.size() % width != 0) {
    throw std::invalid_argument(
        fmt::format("{} values do not fill rows of {}", rows_.size(), width));
  }
  size_ = width == 0 ? 0 : rows_.size() / width;
  if (size_ >= std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument(fmt::format("{} rows are too many to search", size_));
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] >= parameters_[i % width].values) {
      throw std::invalid_argument(fmt::format("row {} has value {} of a parameter with {} values",
                                              i / width, rows_[i], parameters_[i % width].values));
    }
  }
  index_rows();
}

void SearchSpace::set_features(std::size_t count, FeatureSource source) {
  feature_count_ = source ? count : 0;
  feature_source_ = std::move(source);
  features_.assign(feature_count_ > 0 ? size_ : 0, {});
}

std::span<const SearchSpace::Value> SearchSpace::values(std::size_t row) const {
  return std::span(rows_).subspan(row * parameters_.size(), parameters_.size());
}

/// Where these values stand in the table, or the free place where they would.
std::size_t SearchSpace::slot_of(std::span<const Value> values) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(values) & mask;
  while (slots_[slot] != 0 && !std::ranges::equal(this->values(slots_[slot] - 1), values)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void SearchSpace::index_rows() {
  slots_.assign(std::bit_ceil(2 * size_ + 1), 0);
  for (std::size_t row = 0; row < size_; ++row) {
    const std::size_t slot = slot_of(values(row));
    if (slots_[slot] != 0) {
      throw std::invalid_argument(
          fmt::format("the rows {} and {} are the same", slots_[slot] - 1, row));
    }
    slots_[slot] = static_cast<std::uint32_t>(row + 1);
  }
}

std::optional<std::size_t> SearchSpace::find(std::span<const Value> values) const {
  if (values.size() != parameters_.size()) return std::nullopt;
  const std::size_t entry = slots_[slot_of(values)];
  return entry == 0 ? std::nullopt : std::optional(entry - 1);
}

std::vector<std::size_t> SearchSpace::neighbours(std::size_t row) const {
  std::vector<std::size_t> result;
  const std::span<const Value> own = values(row);
  std::vector<Value> changed(own.begin(), own.end());
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    for (std::size_t value = 0; value < parameters_[p].values; ++value) {
      if (value == own[p]) continue;
      changed[p] = static_cast<Value>(value);
      if (const std::optional<std::size_t> found = find(changed)) result.push_back(*found);
    }
    changed[p] = own[p];
  }
  return result;
}

std::span<const double> SearchSpace::features(std::size_t row) const {
  if (feature_count_ == 0) return {};
  std::vector<double>& known = features_[row];
  if (known.empty()) {
    std::vector<double> given = feature_source_(row);
    if (given.size() != feature_count_) {
      throw std::invalid_argument(fmt::format("row {} has {} features, where {} are expected", row,
                                              given.size(), feature_count_));
    }
    known = std::move(given);
  }
  return known;
}

}  // namespace sweep
