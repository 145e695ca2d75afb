#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/search/forest_columns.h"
#include "engine/search/random_generator.h"

namespace sweep {

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
  void fit(const ForestColumns& columns, std::span<const double> targets, RandomGenerator& random);
  /// `point` has one number per column. Without trees the mean and the variance are 0.
  Prediction predict(std::span<const double> point) const;

 private:
  struct Node {
    std::uint32_t column = 0;
    std::uint32_t left = 0;  ///< the right child follows it; 0 in a leaf
    SplitTest test;
    double mean = 0;
  };

  struct Split {
    std::size_t column = 0;
    std::size_t bin = 0;
    double gain = 0;
    SplitTest test;
  };

  class Grower;

  double predict(const std::vector<Node>& tree, std::span<const double> point) const;

  std::vector<std::vector<Node>> trees_;
};

}  // namespace sweep
