#include "engine/search/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace sweep {

SearchSpace::SearchSpace(std::vector<SearchParameter> parameters, std::vector<Value> rows)
    : parameters_(std::move(parameters)), rows_(std::move(rows)) {
  if (!parameters_.empty()) size_ = rows_.size() / parameters_.size();
  sorted_.resize(size_);
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  std::ranges::stable_sort(sorted_, std::ranges::lexicographical_compare,
                           [this](std::uint32_t row) { return values(row); });
  std::size_t first = size_;
  std::size_t second = size_;  // the first row that is equal to one before it
  for (std::size_t i = 1; i < size_; ++i) {
    if (sorted_[i] < second && std::ranges::equal(values(sorted_[i - 1]), values(sorted_[i]))) {
      first = sorted_[i - 1];
      second = sorted_[i];
    }
  }
  if (second < size_) {
    throw std::invalid_argument(fmt::format("the rows {} and {} are the same", first, second));
  }
}

std::optional<std::size_t> SearchSpace::find(std::span<const Value> values) const {
  const auto found =
      std::ranges::lower_bound(sorted_, values, std::ranges::lexicographical_compare,
                               [this](std::uint32_t row) { return this->values(row); });
  if (found == sorted_.end() || !std::ranges::equal(this->values(*found), values)) {
    return std::nullopt;
  }
  return *found;
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

double SearchSpace::distance(std::size_t a, std::size_t b) const {
  double sum = 0;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const int difference = std::abs(values(a)[p] - values(b)[p]);
    if (difference == 0) continue;
    const SearchParameter& parameter = parameters_[p];
    sum += parameter.ordered ? difference / static_cast<double>(parameter.values - 1) : 1;
  }
  return sum;
}

double SearchSpace::distance_from_middle(std::size_t row) const {
  double sum = 0;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const SearchParameter& parameter = parameters_[p];
    if (!parameter.ordered || parameter.values < 2) continue;
    sum += std::abs(values(row)[p] / static_cast<double>(parameter.values - 1) - 0.5);
  }
  return sum;
}

namespace {

/// One parameter's values over all configurations.
struct Column {
  SearchParameter parameter;
  std::vector<SearchSpace::Value> numbers;  ///< by configuration
};

bool is_number(const Value& value) {
  return kind_of(value) == ValueKind::integer || kind_of(value) == ValueKind::boolean;
}

Column column_of(std::size_t configurations, const std::string& name, const ValueOf& value_of) {
  std::map<std::optional<Value>, std::size_t> numbers;
  std::vector<const std::size_t*> number_of;
  bool ordered = true;
  for (std::size_t i = 0; i < configurations; ++i) {
    const Value* value = value_of(i, name);
    ordered = ordered && (value == nullptr || is_number(*value));
    const auto key = value != nullptr ? std::optional(*value) : std::nullopt;
    number_of.push_back(&numbers.try_emplace(key, numbers.size()).first->second);
  }
  if (numbers.size() > std::numeric_limits<SearchSpace::Value>::max() + std::size_t{1}) {
    throw std::invalid_argument(
        fmt::format("'{}' has {} values, too many to search", name, numbers.size()));
  }
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
