#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sweep {

/// A parameter as a search sees it: its values are the numbers 0 to `values` - 1.
struct SearchParameter {
  std::size_t values = 0;
  bool ordered = true;  ///< whether neighbouring numbers are values that resemble each other
};

/// What is known of a row before it is timed, the emulator's counts for instance: always the same
/// figures in the same order, quiet NaNs where one is not known.
using FeatureSource = std::function<std::vector<double>(std::size_t row)>;

/// The valid configurations of a tuning run: each is a row, one value number per parameter.
class SearchSpace {
 public:
  using Value = std::uint16_t;

  /// `rows` holds one row's values after the other. Throws std::invalid_argument where they do not
  /// fill whole rows, a value is not one of its parameter's, a row comes twice, or there are more
  /// rows than a 32-bit number counts.
  SearchSpace(std::vector<SearchParameter> parameters, std::vector<Value> rows);

  /// Gives every row `count` features; the source is asked at most once per row, when a strategy
  /// first wants them.
  void set_features(std::size_t count, FeatureSource source);

  std::size_t size() const { return size_; }
  std::span<const SearchParameter> parameters() const { return parameters_; }
  std::span<const Value> values(std::size_t row) const;
  /// The row with these values, if it is valid.
  std::optional<std::size_t> find(std::span<const Value> values) const;
  /// The rows that differ in exactly one parameter (Hamming neighbours), in the order of the
  /// parameters and of their values.
  std::vector<std::size_t> neighbours(std::size_t row) const;

  std::size_t feature_count() const { return feature_count_; }
  /// Throws std::invalid_argument when the source gives another number of them, and what the
  /// source throws. Not for several threads at once: it fills in what was not asked for before.
  std::span<const double> features(std::size_t row) const;

 private:
  std::size_t slot_of(std::span<const Value> values) const;
  void index_rows();

  std::vector<SearchParameter> parameters_;
  std::vector<Value> rows_;
  std::size_t size_ = 0;
  std::vector<std::uint32_t> slots_;  ///< a hash table of rows + 1, 0 where free
  std::size_t feature_count_ = 0;
  FeatureSource feature_source_;
  mutable std::vector<std::vector<double>> features_;
};

}  // namespace sweep
