#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sweep {

/// Decides on which side of a split a point belongs.
struct SplitTest {
  double value = 0;
  bool equality = false;

  /// Left is what does not exceed the value, or equals it. A quiet NaN belongs to the right.
  bool left(double x) const { return equality ? x == value : x <= value; }
};

/// The points that a forest learns from, column by column, each number as the bin it falls in: so a
/// split is found by counting, without sorting.
class ForestColumns {
 public:
  static constexpr std::size_t most_bins = 64;

  /// `points` holds one row of `unordered.size()` numbers after the other. Columns that are
  /// unordered are split by equality. A column with more different numbers than `most_bins` is cut
  /// into bins of about as many rows, and counts as ordered.
  ForestColumns(std::span<const double> points, const std::vector<bool>& unordered);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return bins_.size(); }
  std::span<const std::uint8_t> bins(std::size_t column) const { return bins_[column].of_row; }
  std::size_t bin_count(std::size_t column) const { return bins_[column].low.size(); }
  bool by_equality(std::size_t column) const { return bins_[column].equality; }
  /// The test that separates `bin` from the others, or it and those below from `next` and those
  /// above.
  SplitTest test(std::size_t column, std::size_t bin, std::size_t next) const;

 private:
  struct Bins {
    std::vector<std::uint8_t> of_row;
    std::vector<double> low;   ///< the least number in each bin
    std::vector<double> high;  ///< the greatest
    bool equality = false;
  };
  static Bins sort_into_bins(const std::vector<double>& numbers, bool unordered);

  std::size_t rows_ = 0;
  std::vector<Bins> bins_;
};

}  // namespace sweep
