#pragma once

#include <atomic>

#include "engine/search/search_space.h"
#include "engine/search/strategy.h"

namespace sweep {

/// What every row of a space costs, as a recorded run or a formula knows it; nothing where a row
/// fails. Strategies are compared over it without measuring again.
using CostTable = std::vector<std::optional<double>>;

/// How many rows the strategy tries until it has reached each share (0 to 1) of the best: a cost of
/// best / share at most where costs are above zero, of best * share where they are values to
/// maximise, negated. `most` + 1 where it has not within `most` rows, or there is nothing to reach.
/// Once `stop` is set it ends early.
std::vector<std::size_t> trials_to_shares(Strategy& strategy, const CostTable& costs,
                                          std::span<const double> shares, std::size_t most,
                                          const std::atomic<bool>* stop = nullptr);

/// How many rows one strategy needs to reach one share of the best, over many seeds.
struct Standing {
  std::string strategy;
  double share = 0;
  std::size_t median = 0;
  std::size_t ninetieth = 0;  ///< percentile

  friend bool operator==(const Standing&, const Standing&) = default;
};

/// How a comparison goes on; the result does not depend on it.
struct ComparisonPace {
  std::size_t threads = 1;                  ///< that try seeds side by side
  const std::atomic<bool>* stop = nullptr;  ///< once set, the comparison ends without a result
  /// Told now and then how many of how many courses, one for each name and seed, are done; by one
  /// thread at a time.
  std::function<void(std::size_t done, std::size_t all)> on_progress = {};
};

/// What can be predicted of the costs, of which a search asks for some (`sample_predictions`).
struct KnownPredictions {
  CostTable costs = {};  ///< each row's; empty: nothing is predicted
  std::size_t most = 0;  ///< that a search asks for
  /// Whether each prediction is another row's, anew for each seed: wrong in every way.
  bool are_shuffled = false;
};

/// One for each name and share, in their order; the seeds are 1 to `seeds`. Empty when it was
/// stopped. `costs` has an entry for every row, and every name is one of `strategies`.
std::vector<Standing> compare_strategies(const SearchSpace& space, const CostTable& costs,
                                         std::span<const std::string> names,
                                         std::span<const double> shares, std::size_t seeds,
                                         std::size_t most, const ComparisonPace& pace = {},
                                         const KnownPredictions& predictions = {});

/// What random search without replacement is expected to have found, by the ranks of the costs
/// that are known (Willemsen et al., 2024).
class RandomBaseline {
 public:
  /// At least one cost is known.
  explicit RandomBaseline(const CostTable& costs);

  /// After 1 or more trials: the cost at the rank k (N + 1) / (k + 1), the worst of N being the
  /// first. After one it is the median.
  double after(double trials) const;
  double best() const { return worst_first_.back(); }
  /// The first trials that leave 5 % or less of the way from the median to the best.
  std::size_t budget() const;

 private:
  std::vector<double> worst_first_;
};

/// The P score of Willemsen et al. (2024): the share of the way from the baseline to the best that
/// a strategy has come, the mean over the trials of the baseline's budget. 1 is the best at once.
struct Score {
  std::string strategy;
  double by_evaluations = 0;
  /// The same over as many equal parts of the time that the budget takes on average; nothing where
  /// the times are not known.
  std::optional<double> by_time = {};

  friend bool operator==(const Score&, const Score&) = default;
};

/// One for each name, the mean over the seeds 1 to `seeds`. `seconds` has what trying each row
/// takes, or nothing. Empty when it was stopped, and where all known costs are the same. As for
/// `compare_strategies` otherwise.
std::vector<Score> score_strategies(const SearchSpace& space, const CostTable& costs,
                                    std::span<const double> seconds,
                                    std::span<const std::string> names, std::size_t seeds,
                                    const ComparisonPace& pace = {});

}  // namespace sweep
