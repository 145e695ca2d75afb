#pragma once

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

/// What a forest expects: the mean of its trees, and their variance, which is large where nothing
/// alike was seen.
struct Prediction {
  double mean = 0;
  double variance = 0;
};

/// A random forest (Breiman, 2001): regression trees, each grown over a bootstrap sample, with a
/// random subset of the columns to choose each split from.
class RegressionForest {
 public:
  /// Grows the trees anew. `targets` has one number per row of `columns`. Without rows it forgets
  /// all.
  void fit(const std::vector<ForestColumn>& columns, std::span<const double> targets,
           RandomGenerator& random);
  /// `point` has one number per column. Without trees the mean and the variance are 0.
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

/// A random forest learns the costs so far from the parameters and the space's features, and the
/// row with the greatest expected improvement (Jones, Schonlau and Welch, 1998) is proposed, out of
/// random rows and those near the best. Once rows have failed, a second forest learns which, and
/// the improvement counts as much as the row is likely not to fail. The longer nothing gets better,
/// the more proposals are random rows. It begins with a row near the middle of the ordered
/// parameters and rows that lie far from each other. Where costs are predicted, every second of
/// these is one of the best predicted, and the prediction is a feature: a wrong one costs little,
/// since trees do not split by what says nothing.
std::unique_ptr<Strategy> forest_search(const SearchSpace& space, std::uint64_t seed);

}  // namespace sweep
