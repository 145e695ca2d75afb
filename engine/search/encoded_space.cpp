#include "engine/search/encoded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace sweep {
namespace {

using Cell = std::optional<Value>;

/// One parameter's values over all configurations.
struct Column {
  EncodedParameter parameter;
  std::vector<SearchSpace::Value> numbers;  ///< by configuration
  bool ordered = true;
};

std::vector<std::string> names_of(std::span<const Bindings> configurations) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> known;
  for (const Bindings& configuration : configurations) {
    for (const auto& [name, value] : configuration.entries()) {
      if (known.insert(name).second) names.push_back(name);
    }
  }
  return names;
}

bool is_number(const Cell& cell) {
  return !cell || kind_of(*cell) == ValueKind::integer || kind_of(*cell) == ValueKind::boolean;
}

Column column_of(std::size_t configurations, const std::string& name, const ValueOf& value_of) {
  Column column{{name, {}}, {}, true};
  std::vector<Cell>& values = column.parameter.values;
  std::vector<std::size_t> seen;  // a place in `values` for each configuration
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < configurations; ++i) {
    const Value* value = value_of(i, name);
    const std::string text = value != nullptr ? to_string(*value) : std::string();
    const auto [found, is_new] = places.try_emplace(text, values.size());
    seen.push_back(found->second);
    if (is_new) values.push_back(value != nullptr ? Cell(*value) : Cell());
  }
  constexpr std::size_t most_values =
      std::numeric_limits<SearchSpace::Value>::max() + std::size_t{1};
  if (values.size() > most_values) {
    throw std::invalid_argument(
        fmt::format("'{}' has {} values, too many to search", name, values.size()));
  }
  column.ordered = std::ranges::all_of(values, is_number);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (column.ordered) std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<SearchSpace::Value> number_of(values.size());
  std::vector<Cell> in_order;
  for (const std::size_t place : order) {
    number_of[place] = static_cast<SearchSpace::Value>(in_order.size());
    in_order.push_back(values[place]);
  }
  values = std::move(in_order);
  for (const std::size_t place : seen) column.numbers.push_back(number_of[place]);
  return column;
}

/// Which configurations are equal in the parameters taken so far.
class Classes {
 public:
  explicit Classes(std::size_t configurations) : class_of_(configurations, 0) {}

  /// Whether configurations of one class never differ in the column.
  bool decide(const Column& column) const {
    constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> number_of(count_, unknown);
    for (std::size_t i = 0; i < class_of_.size(); ++i) {
      std::uint32_t& number = number_of[class_of_[i]];
      if (number == unknown) number = column.numbers[i];
      if (number != column.numbers[i]) return false;
    }
    return true;
  }

  void split_by(const Column& column) {
    std::unordered_map<std::uint64_t, std::uint32_t> classes;
    constexpr unsigned bits = std::numeric_limits<SearchSpace::Value>::digits;
    for (std::size_t i = 0; i < class_of_.size(); ++i) {
      const std::uint64_t key = (std::uint64_t{class_of_[i]} << bits) | column.numbers[i];
      const auto next = static_cast<std::uint32_t>(classes.size());
      class_of_[i] = classes.try_emplace(key, next).first->second;
    }
    count_ = std::max<std::size_t>(classes.size(), 1);
  }

 private:
  std::vector<std::uint32_t> class_of_;
  std::size_t count_ = 1;
};

std::vector<Column> telling_columns(std::size_t configurations, std::span<const std::string> names,
                                    const ValueOf& value_of) {
  Classes classes(configurations);
  std::vector<Column> columns;
  std::optional<Column> constant;
  for (const std::string& name : names) {
    Column column = column_of(configurations, name, value_of);
    if (classes.decide(column)) {
      if (!constant) constant = std::move(column);
      continue;
    }
    classes.split_by(column);
    columns.push_back(std::move(column));
  }
  if (columns.empty()) {
    Column nothing{{"", {Cell()}}, {}, true};
    nothing.numbers.resize(configurations);
    columns.push_back(constant ? std::move(*constant) : std::move(nothing));
  }
  return columns;
}

}  // namespace

EncodedSpace encode(std::span<const Bindings> configurations) {
  return encode(
      configurations.size(), names_of(configurations),
      [&](std::size_t i, const std::string& name) { return configurations[i].find(name); });
}

EncodedSpace encode(std::size_t configurations, std::span<const std::string> names,
                    const ValueOf& value_of) {
  std::vector<Column> columns = telling_columns(configurations, names, value_of);
  std::vector<SearchParameter> parameters;
  for (const Column& column : columns) {
    parameters.push_back({column.parameter.values.size(), column.ordered});
  }
  std::vector<SearchSpace::Value> rows;
  rows.reserve(configurations * columns.size());
  for (std::size_t i = 0; i < configurations; ++i) {
    for (const Column& column : columns) rows.push_back(column.numbers[i]);
  }
  EncodedSpace encoded{{}, SearchSpace(std::move(parameters), std::move(rows))};
  for (Column& column : columns) encoded.parameters.push_back(std::move(column.parameter));
  return encoded;
}

}  // namespace sweep
