#pragma once

#include "engine/search/prediction.h"
#include "engine/search/strategy.h"

namespace sweep {

/// Decides on which side of a split a point belongs.
struct SplitTest {
  double value = 0;
  bool equality = false;

  /// Left is what does not exceed the value, or equals it. A quiet NaN belongs to the right.
  bool left(double x) const { return equality ? x == value : x <= value; }
};

/// A column of the points that a forest learns from, each number as the bin it falls in: so a split
/// is found by counting, without sorting.
struct ForestColumn {
  static constexpr std::size_t most_bins = 64;

  std::vector<std::uint8_t> bin_of;  ///< each row
  std::vector<double> low;           ///< the least number in each bin
  std::vector<double> high;          ///< the greatest
  bool by_equality = false;

  /// The test that separates `bin` from the others, or it and those below from `next` and those
  /// above.
  SplitTest test(std::size_t bin, std::size_t next) const;
};

/// `points` holds one row of `unordered.size()` numbers after the other. Columns that are unordered
/// are split by equality. A column with more different numbers than `most_bins` is cut into bins of
/// about as many rows, and counts as ordered.
std::vector<ForestColumn> forest_columns(std::span<const double> points,
                                         const std::vector<bool>& unordered);

/// A random forest (Breiman, 2001): regression trees, each grown over a bootstrap sample, with a
/// random subset of the columns to choose each split from.
class RegressionForest {
 public:
  /// Grows the trees anew. `targets` has one number per row of `columns`. Without rows it forgets
  /// all.
  void fit(const std::vector<ForestColumn>& columns, std::span<const double> targets,
           RandomGenerator& random);
  /// The mean of the trees, and their variance; 0 without trees. `point` has one number per column.
  Prediction predict(std::span<const double> point) const;

 private:
  struct Node {
    std::uint32_t column = 0;
    std::uint32_t left = 0;  ///< the right child follows it; 0 in a leaf
    SplitTest test;
    double mean = 0;
  };
  class Grower;

  std::vector<std::vector<Node>> trees_;
};

}  // namespace sweep
