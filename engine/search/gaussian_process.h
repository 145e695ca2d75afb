#pragma once

#include "engine/search/prediction.h"
#include "engine/search/strategy.h"

namespace sweep {

/// Regression by a Gaussian process (Rasmussen and Williams, Gaussian Processes for Machine
/// Learning, 2006, chapters 2 and 5). Points correlate by exp(-sum of w |difference|) over their
/// columns, the Laplace kernel: costs of kernels jump from one value to the next, and this one lets
/// them. The weights w and the share of noise are those of the greatest likelihood that was found.
class GaussianProcess {
 public:
  /// For points of `unordered.size()` numbers. Those of an ordered column are from 0 to 1; those of
  /// an unordered one are the same or not.
  explicit GaussianProcess(std::vector<bool> unordered);

  /// Learns the rows of `points` anew, each of which has a target. `tune` looks for better weights
  /// first, from those there are, which takes many times as long.
  void fit(std::vector<double> points, std::vector<double> targets, bool tune,
           RandomGenerator& random);
  /// Takes for granted that the rows of `points` turn out as expected: the variance near them is
  /// then less (Ginsbourger, Le Riche and Carraro, 2010).
  void believe(std::span<const double> points);
  /// What is expected of each row of `points`; of all the same before anything is learnt.
  std::vector<Prediction> predict(std::span<const double> points) const;

 private:
  std::size_t width() const { return unordered_.size(); }
  double correlation(const double* a, const double* b) const;
  double solve();

  std::vector<bool> unordered_;
  std::vector<double> logarithms_;  ///< of the weights, one for each column, and of the noise
  std::vector<double> weights_;     ///< of the columns
  std::vector<double> points_;      ///< that were learnt
  std::vector<double> targets_;     ///< of each of them
  std::vector<double> root_;        ///< U of U^T U, the points' correlations and noise, by rows
  double mean_ = 0;                 ///< far from all points
  double variance_ = 1;             ///< there
  std::vector<double> pulls_;       ///< of each point on the mean where it correlates by 1
};

}  // namespace sweep
