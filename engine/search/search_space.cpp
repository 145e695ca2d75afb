#include "engine/search/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
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

void SearchSpace::set_features(std::size_t count, std::vector<double> features) {
  if (features.size() != count * size_) {
    throw std::invalid_argument(
        fmt::format("{} features are not {} for each of {} rows", features.size(), count, size_));
  }
  feature_count_ = count;
  features_ = std::move(features);
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

namespace {

/// One parameter's values over all configurations.
struct Column {
  SearchParameter parameter;
  std::vector<SearchSpace::Value> numbers;  ///< by configuration
};

bool is_number(const std::optional<Value>& value) {
  return !value || kind_of(*value) == ValueKind::integer || kind_of(*value) == ValueKind::boolean;
}

Column column_of(std::size_t configurations, const std::string& name, const ValueOf& value_of) {
  std::map<std::optional<Value>, std::size_t> numbers;
  std::vector<const std::size_t*> number_of;
  for (std::size_t i = 0; i < configurations; ++i) {
    const Value* value = value_of(i, name);
    const std::size_t next = numbers.size();
    const auto found =
        numbers.try_emplace(value != nullptr ? std::optional(*value) : std::nullopt, next);
    number_of.push_back(&found.first->second);
  }
  if (numbers.size() > std::numeric_limits<SearchSpace::Value>::max() + std::size_t{1}) {
    throw std::invalid_argument(
        fmt::format("'{}' has {} values, too many to search", name, numbers.size()));
  }
  const bool ordered =
      std::ranges::all_of(numbers, [](const auto& entry) { return is_number(entry.first); });
  std::size_t place = 0;
  for (auto& [value, number] : numbers) {
    if (ordered) number = place++;
  }
  Column column{{numbers.size(), ordered}, {}};
  for (const std::size_t* number : number_of) {
    column.numbers.push_back(static_cast<SearchSpace::Value>(*number));
  }
  return column;
}

/// Which configurations are equal in the parameters taken so far, by a number for each.
struct Classes {
  std::vector<std::uint32_t> class_of;
  std::size_t count = 1;

  /// Tells those apart that differ in the column too; false where that is none.
  bool split_by(const Column& column) {
    std::unordered_map<std::uint64_t, std::uint32_t> classes;
    constexpr unsigned bits = std::numeric_limits<SearchSpace::Value>::digits;
    for (std::size_t i = 0; i < class_of.size(); ++i) {
      const std::uint64_t key = (std::uint64_t{class_of[i]} << bits) | column.numbers[i];
      const auto next = static_cast<std::uint32_t>(classes.size());
      class_of[i] = classes.try_emplace(key, next).first->second;
    }
    return std::exchange(count, std::max<std::size_t>(classes.size(), 1)) < classes.size();
  }
};

}  // namespace

SearchSpace encode(std::span<const Bindings> configurations) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> known;
  for (const Bindings& configuration : configurations) {
    for (const auto& [name, value] : configuration.entries()) {
      if (known.insert(name).second) names.push_back(name);
    }
  }
  return encode(configurations.size(), names, [&](std::size_t i, const std::string& name) {
    return configurations[i].find(name);
  });
}

SearchSpace encode(std::size_t configurations, std::span<const std::string> names,
                   const ValueOf& value_of) {
  Classes classes{std::vector<std::uint32_t>(configurations, 0)};
  std::vector<Column> columns;
  for (const std::string& name : names) {
    Column column = column_of(configurations, name, value_of);
    if (classes.split_by(column)) columns.push_back(std::move(column));
  }
  if (columns.empty()) {
    columns.push_back({{1, true}, std::vector<SearchSpace::Value>(configurations, 0)});
  }
  std::vector<SearchParameter> parameters;
  for (const Column& column : columns) parameters.push_back(column.parameter);
  std::vector<SearchSpace::Value> rows;
  rows.reserve(configurations * columns.size());
  for (std::size_t i = 0; i < configurations; ++i) {
    for (const Column& column : columns) rows.push_back(column.numbers[i]);
  }
  return {std::move(parameters), std::move(rows)};
}

}  // namespace sweep
