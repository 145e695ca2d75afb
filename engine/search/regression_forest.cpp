#include "engine/search/regression_forest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>

namespace sweep {
namespace {

ForestColumn column_in_bins(const std::vector<double>& numbers, bool unordered) {
  constexpr std::size_t most_bins = ForestColumn::most_bins;
  std::vector<double> sorted = numbers;
  std::ranges::sort(sorted);
  std::vector<double> distinct = sorted;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  ForestColumn column;
  if (distinct.size() <= most_bins) {
    column.by_equality = unordered;
    column.low = distinct;
    column.high = distinct;
  } else {
    std::size_t begin = 0;
    while (begin < sorted.size()) {
      // The last row of a share of those left, and what equals it.
      const std::size_t share = (sorted.size() - begin) / (most_bins - column.low.size());
      const double high = sorted[begin + std::max<std::size_t>(share, 1) - 1];
      column.low.push_back(sorted[begin]);
      column.high.push_back(high);
      begin = static_cast<std::size_t>(std::ranges::upper_bound(sorted, high) - sorted.begin());
    }
  }
  for (const double number : numbers) {
    const auto bin = std::ranges::lower_bound(column.high, number) - column.high.begin();
    column.bin_of.push_back(static_cast<std::uint8_t>(bin));
  }
  return column;
}

}  // namespace

std::vector<ForestColumn> forest_columns(std::span<const double> points,
                                         const std::vector<bool>& unordered) {
  std::vector<ForestColumn> columns;
  const std::size_t width = unordered.size();
  for (std::size_t column = 0; column < width; ++column) {
    std::vector<double> numbers;
    for (std::size_t i = column; i < points.size(); i += width) {
      // What is not known stands above all that is: there is an order then.
      numbers.push_back(std::isnan(points[i]) ? std::numeric_limits<double>::infinity()
                                              : points[i]);
    }
    columns.push_back(column_in_bins(numbers, unordered[column]));
  }
  return columns;
}

SplitTest ForestColumn::test(std::size_t bin, std::size_t next) const {
  if (by_equality) return {low[bin], true};
  // Halfway, so that numbers between those seen go to the nearer side.
  const double middle = high[bin] + (low[next] - high[bin]) / 2;
  return {std::isfinite(middle) ? middle : high[bin], false};
}

/// Grows one tree.
class RegressionForest::Grower {
 public:
  Grower(const std::vector<ForestColumn>& columns, std::span<const double> targets,
         RandomGenerator& random)
      : columns_(columns), targets_(targets), random_(random), order_(columns.size()) {
    constexpr double column_share = 0.6;  // of those there are, tried for each split
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    tried_columns_ = static_cast<std::size_t>(column_share * static_cast<double>(order_.size()));
    tried_columns_ = std::min(tried_columns_ + 1, order_.size());
  }

  std::vector<Node> grow() {
    constexpr std::size_t most_rows = 512;  // of a bootstrap sample: bounds the time of a fit
    sample_.resize(std::min(targets_.size(), most_rows));
    for (std::size_t& row : sample_) row = random_.below(targets_.size());
    nodes_.assign(1, {});
    grow(0, 0, sample_.size());
    return std::move(nodes_);
  }

 private:
  struct Split {
    std::size_t column = 0;
    std::size_t bin = 0;
    double gain = 0;
    SplitTest test;
  };

  /// Makes a node of the sample's rows from `begin` to `end`, and what is below it.
  void grow(std::size_t node, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += targets_[sample_[i]];
    nodes_[node].mean = sum / static_cast<double>(end - begin);
    constexpr std::size_t fewest_to_split = 2;
    if (end - begin < fewest_to_split) return;
    Split split;
    for (std::size_t i = 0; i < tried_columns_; ++i) {
      // Partial Fisher-Yates: the first places are a random subset.
      std::swap(order_[i], order_[i + random_.below(order_.size() - i)]);
      improve(split, order_[i], begin, end, sum);
    }
    if (split.gain <= 0) return;
    const ForestColumn& column = columns_[split.column];
    std::size_t middle = begin;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t bin = column.bin_of[sample_[i]];
      const bool goes_left = column.by_equality ? bin == split.bin : bin <= split.bin;
      if (goes_left) std::swap(sample_[i], sample_[middle++]);
    }
    const std::size_t left = nodes_.size();
    nodes_.resize(left + 2);
    nodes_[node].column = static_cast<std::uint32_t>(split.column);
    nodes_[node].left = static_cast<std::uint32_t>(left);
    nodes_[node].test = split.test;
    grow(left, begin, middle);
    grow(left + 1, middle, end);
  }

  /// The gain is what the split takes from the sum of squared errors.
  void improve(Split& best, std::size_t number, std::size_t begin, std::size_t end,
               double sum) const {
    const ForestColumn& column = columns_[number];
    const std::size_t bins = column.low.size();
    if (bins < 2) return;
    std::array<double, ForestColumn::most_bins> counts{};
    std::array<double, ForestColumn::most_bins> sums{};
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t bin = column.bin_of[sample_[i]];
      counts[bin] += 1;
      sums[bin] += targets_[sample_[i]];
    }
    const auto count = static_cast<double>(end - begin);
    double left_count = 0;
    double left_sum = 0;
    const auto try_split = [&](std::size_t bin, std::size_t next) {
      const double right_sum = sum - left_sum;
      const double gain = left_sum * left_sum / left_count +
                          right_sum * right_sum / (count - left_count) - sum * sum / count;
      if (gain > best.gain) best = {number, bin, gain, column.test(bin, next)};
    };
    std::size_t last = bins;  // the last bin that is not empty
    for (std::size_t bin = 0; bin < bins; ++bin) {
      if (counts[bin] == 0) continue;
      if (column.by_equality) {
        left_count = counts[bin];
        left_sum = sums[bin];
        if (left_count < count) try_split(bin, bin);
      } else {
        if (last < bins) try_split(last, bin);
        left_count += counts[bin];
        left_sum += sums[bin];
      }
      last = bin;
    }
  }

  const std::vector<ForestColumn>& columns_;
  std::span<const double> targets_;
  RandomGenerator& random_;
  std::vector<std::size_t> order_;
  std::size_t tried_columns_ = 0;
  std::vector<std::size_t> sample_;
  std::vector<Node> nodes_;
};

void RegressionForest::fit(const std::vector<ForestColumn>& columns,
                           std::span<const double> targets, RandomGenerator& random) {
  constexpr std::size_t tree_count = 30;
  trees_.clear();
  if (columns.empty() || targets.empty()) return;
  Grower grower(columns, targets, random);
  for (std::size_t i = 0; i < tree_count; ++i) trees_.push_back(grower.grow());
}

Prediction RegressionForest::predict(std::span<const double> point) const {
  if (trees_.empty()) return {};
  double sum = 0;
  double squares = 0;
  for (const std::vector<Node>& tree : trees_) {
    const Node* node = tree.data();
    while (node->left != 0)
      node = &tree[node->left + (node->test.left(point[node->column]) ? 0 : 1)];
    sum += node->mean;
    squares += node->mean * node->mean;
  }
  const auto count = static_cast<double>(trees_.size());
  const double mean = sum / count;
  return {mean, std::max(0.0, squares / count - mean * mean)};
}

namespace {

constexpr std::size_t most_first_rows = 8;     // before the first forest
constexpr std::size_t middle_candidates = 50;  // for the one near the middle
constexpr std::size_t spread_candidates = 20;  // for each of those spread over the space
constexpr double free_answers = 20;            // without a gain, before random rows are tried
constexpr double stuck_answers = 100;          // more of them, after which all would be random
constexpr double most_random = 0.5;            // of the proposals
constexpr std::size_t random_candidates = 300;
constexpr double least_correlation = 0.3;         // of predictions with costs, by their ranks
constexpr std::size_t predicted_candidates = 50;  // the best predicted
constexpr std::size_t best_rows = 5;              // whose neighbours and mutants are candidates too
constexpr int mutants = 10;                       // of each of them
constexpr std::size_t mutated_parameters = 3;
constexpr std::size_t refit_share = 25;   // a new forest whenever 1 / 25 more answers are known
constexpr double deviation_floor = 0.02;  // of a prediction: costs are noisy

double expected_improvement(const Prediction& prediction, double best) {
  const double deviation = std::sqrt(prediction.variance + deviation_floor * deviation_floor);
  const double z = (best - prediction.mean) / deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  return deviation * (z * below + density);
}

class ForestSearch final : public Strategy {
 public:
  ForestSearch(const SearchSpace& space, std::uint64_t seed) : Strategy(space, seed) {
    for (const SearchParameter& parameter : space.parameters()) {
      unordered_.push_back(!parameter.ordered);
    }
    unordered_.resize(unordered_.size() + space.feature_count(), false);
    // A tiny space is soon known: 2 rows of 15, 4 of 40.
    first_rows_ =
        std::min(most_first_rows,
                 static_cast<std::size_t>(std::sqrt(static_cast<double>(space.size())) / 2) + 1);
    if (!space.predictions().empty()) learn_predictions();
  }

 private:
  std::optional<std::size_t> propose() override {
    if (untried_count() == 0) return std::nullopt;
    const std::size_t answers = known_.size() + failed_.size();
    if (proposed_.size() < first_rows_ && answers < first_rows_) {
      proposed_.push_back(first_row());
      return proposed_.back();
    }
    if (known_.empty()) return pick();
    // A forest that has seen nothing good elsewhere stays near the best.
    const double stuck = (static_cast<double>(unchanged_) - free_answers) / stuck_answers;
    if (stuck > 0 && random_.chance(std::min(stuck, most_random))) return pick();
    if (refit()) ranked_.clear();
    while (!ranked_.empty() && !is_untried(ranked_.back().row)) ranked_.pop_back();
    if (ranked_.empty()) rank();
    return ranked_.back().row;
  }

  void learn(std::size_t row) override { unchanged_ = row == best_ ? 0 : unchanged_ + 1; }

  /// Every second row by its prediction, which may be wrong.
  std::size_t first_row() {
    if (proposed_.size() % 2 == 0) {
      if (const auto seed = next_seed()) return *seed;
    }
    if (has_middle_) return spread_row();
    has_middle_ = true;
    return middle_row();
  }

  /// Of some random rows the one nearest the middle: the ends of parameters are seldom good.
  std::size_t middle_row() {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < middle_candidates; ++i) rows.push_back(*pick());
    return *std::ranges::min_element(
        rows, {}, [this](std::size_t row) { return space_.distance_from_middle(row); });
  }

  /// Of some random rows the one farthest from the nearest proposed.
  std::size_t spread_row() {
    std::size_t farthest = *pick();
    double most = -1;
    for (std::size_t i = 0; i < spread_candidates; ++i) {
      const std::size_t row = *pick();
      double nearest = static_cast<double>(unordered_.size());
      for (const std::size_t other : proposed_) {
        nearest = std::min(nearest, space_.distance(row, other));
      }
      if (nearest > most) {
        most = nearest;
        farthest = row;
      }
    }
    return farthest;
  }

  void append_point(std::size_t row, std::vector<double>& points) const {
    const auto values = space_.values(row);
    points.insert(points.end(), values.begin(), values.end());
    const auto features = space_.features(row);
    points.insert(points.end(), features.begin(), features.end());
    if (!predicted_.empty()) points.push_back(trusts_predictions_ ? predicted_[row] : 0);
  }

  /// Each row gets a feature: its prediction, or what a forest that learnt the predictions expects.
  void learn_predictions() {
    const std::span<const double> known = space_.predictions();
    std::vector<double> points;
    std::vector<double> costs;
    for (std::size_t row = 0; row < known.size(); ++row) {
      if (std::isnan(known[row])) continue;
      append_point(row, points);
      costs.push_back(known[row]);
    }
    if (costs.empty()) return;
    const CostScale scale(costs);
    for (double& cost : costs) cost = scale(cost);
    RegressionForest forest;
    forest.fit(forest_columns(points, unordered_), costs, random_);
    std::vector<double> predicted;
    for (std::size_t row = 0; row < space_.size(); ++row) {
      points.clear();
      append_point(row, points);
      predicted.push_back(std::isnan(known[row]) ? forest.predict(points).mean : scale(known[row]));
    }
    predicted_ = std::move(predicted);
    unordered_.push_back(false);
    std::vector<std::size_t> rows(space_.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    random_.shuffle(rows);
    best_predicted_.resize(std::min(rows.size(), predicted_candidates));
    const auto by_prediction = [this](std::size_t row) { return predicted_[row]; };
    std::ranges::partial_sort_copy(rows, best_predicted_, {}, by_prediction, by_prediction);
  }

  /// What does not order the costs known so far is left out.
  void judge_predictions() {
    std::vector<double> costs;
    std::vector<double> predicted;
    for (const std::size_t row : known_) {
      costs.push_back(*cost(row));
      predicted.push_back(predicted_[row]);
    }
    trusts_predictions_ = rank_correlation(costs, predicted) > least_correlation;
  }

  bool refit() {
    const std::size_t answers = known_.size() + failed_.size();
    if (fitted_ > 0 && answers < fitted_ + std::max<std::size_t>(1, fitted_ / refit_share)) {
      return false;
    }
    fitted_ = answers;
    if (!predicted_.empty()) judge_predictions();
    std::vector<double> points;
    for (const std::size_t row : known_) append_point(row, points);
    forest_.fit(forest_columns(points, unordered_), targets(), random_);
    if (failed_.empty()) return true;
    // Which rows fail, as a share of 1.
    std::vector<double> failures(known_.size(), 0);
    for (const std::size_t row : failed_) {
      failures.push_back(1);
      append_point(row, points);
    }
    failures_.fit(forest_columns(points, unordered_), failures, random_);
    return true;
  }

  /// The known costs, scaled; what is worse than the median counts as the median: the trees are to
  /// tell good from better, not bad from worse.
  std::vector<double> targets() {
    std::vector<double> costs;
    for (const std::size_t row : known_) costs.push_back(*cost(row));
    const CostScale scale(costs);
    for (double& cost : costs) cost = scale(cost);
    std::vector<double> sorted = costs;
    std::ranges::sort(sorted);
    least_cost_ = sorted.front();
    const double middle = sorted[(sorted.size() - 1) / 2];
    for (double& cost : costs) cost = std::min(cost, middle);
    return costs;
  }

  std::vector<std::size_t> candidates() {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < random_candidates; ++i) rows.push_back(*pick());
    std::vector<std::size_t> best(std::min(best_rows, known_.size()));
    std::ranges::partial_sort_copy(known_, best, [this](std::size_t a, std::size_t b) {
      return is_better(a, b) || (!is_better(b, a) && a < b);
    });
    for (const std::size_t row : best) {
      for (const std::size_t near : space_.neighbours(row)) {
        if (is_untried(near)) rows.push_back(near);
      }
      for (int i = 0; i < mutants; ++i) {
        const auto mutant = untried_mutant(row, mutated_parameters);
        if (mutant) rows.push_back(*mutant);
      }
    }
    if (trusts_predictions_) {
      std::ranges::copy_if(best_predicted_, std::back_inserter(rows),
                           [this](std::size_t row) { return is_untried(row); });
    }
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    random_.shuffle(rows);  // which of equal ones comes first is chance
    return rows;
  }

  void rank() {
    std::vector<double> point;
    for (const std::size_t row : candidates()) {
      point.clear();
      append_point(row, point);
      const double succeeds = 1 - failures_.predict(point).mean;
      ranked_.push_back(
          {expected_improvement(forest_.predict(point), least_cost_) * succeeds, row});
    }
    std::ranges::stable_sort(ranked_, {}, &Ranked::improvement);
  }

  struct Ranked {
    double improvement = 0;
    std::size_t row = 0;
  };

  std::vector<bool> unordered_;        ///< per column of the forest: parameters, then features
  std::size_t first_rows_ = 0;         ///< to propose before the first forest
  std::vector<std::size_t> proposed_;  ///< of them
  bool has_middle_ = false;            ///< whether one of them is the one near the middle
  std::vector<double> predicted_;      ///< the feature of each row; empty without predictions
  std::vector<std::size_t> best_predicted_;  ///< by it
  bool trusts_predictions_ = true;
  RegressionForest forest_;     ///< of the costs
  RegressionForest failures_;   ///< of the share that fails; without trees when none has
  std::size_t unchanged_ = 0;   ///< answers since one was the best
  std::size_t fitted_ = 0;      ///< answers the forest has learnt from
  double least_cost_ = 0;       ///< that it has learnt, scaled
  std::vector<Ranked> ranked_;  ///< what to propose next, the most promising last
};

}  // namespace

std::unique_ptr<Strategy> forest_search(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<ForestSearch>(space, seed);
}

}  // namespace sweep
