#include "engine/search/regression_forest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
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

}  // namespace sweep
