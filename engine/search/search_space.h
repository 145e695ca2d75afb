#pragma once

#include <functional>

#include "engine/text/value.h"

namespace sweep {

/// A parameter as a search sees it: its values are the numbers 0 to `values` - 1.
struct SearchParameter {
  std::size_t values = 0;
  bool ordered = true;  ///< whether neighbouring numbers are values that resemble each other
};

/// The valid configurations of a tuning run: each is a row, one value number per parameter.
class SearchSpace {
 public:
  using Value = std::uint16_t;

  /// `rows` holds one row's values after the other. Throws std::invalid_argument where a row comes
  /// twice.
  SearchSpace(std::vector<SearchParameter> parameters, std::vector<Value> rows);

  /// What the rows' costs are predicted to be, one for each; a quiet NaN where nothing is. They
  /// need not have the costs' unit: what counts is which are less.
  void set_predictions(std::vector<double> costs) { predictions_ = std::move(costs); }

  std::size_t size() const { return size_; }
  std::span<const SearchParameter> parameters() const { return parameters_; }
  std::span<const Value> values(std::size_t row) const {
    return std::span(rows_).subspan(row * parameters_.size(), parameters_.size());
  }
  /// The row with these values, if it is valid.
  std::optional<std::size_t> find(std::span<const Value> values) const;
  /// The rows that differ in exactly one parameter (Hamming neighbours), in the order of the
  /// parameters and of their values.
  std::vector<std::size_t> neighbours(std::size_t row) const;

  /// How unlike two rows are: the sum over the parameters of the difference, as a share of the
  /// largest; 1 for other values of one that is unordered.
  double distance(std::size_t a, std::size_t b) const;
  /// How far a row is from the middle of the ordered parameters, in the same shares.
  double distance_from_middle(std::size_t row) const;

  /// Empty where nothing is predicted.
  std::span<const double> predictions() const { return predictions_; }

 private:
  std::vector<SearchParameter> parameters_;
  std::vector<Value> rows_;
  std::size_t size_ = 0;
  std::vector<std::uint32_t> sorted_;  ///< the rows in the order of their values
  std::vector<double> predictions_;
};

/// Configurations as a strategy sees them: row i is configuration i.
///
/// A parameter whose value follows from those before it, as constants and defaults do, is left out,
/// so that configurations are neighbours that differ in what was chosen. Numbers and booleans are
/// ordered by their value; what is not a number, by where it comes first, which counts as
/// unordered. Not to have the parameter is a value too, the first of numbers. Where nothing varies
/// one parameter is left.
///
/// Throws std::invalid_argument when two configurations are the same, and for a parameter of more
/// than 65,536 values.
SearchSpace encode(std::span<const Bindings> configurations);

/// What a configuration has for the parameter; null where it does not have it.
using ValueOf = std::function<const Value*(std::size_t configuration, const std::string& name)>;

/// The same for so many configurations whose parameters are among `names`, and in their order.
SearchSpace encode(std::size_t configurations, std::span<const std::string> names,
                   const ValueOf& value_of);

}  // namespace sweep
