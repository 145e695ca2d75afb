#include "engine/search/regression_forest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace sweep {

ForestColumns::ForestColumns(std::span<const double> points, const std::vector<bool>& unordered) {
  const std::size_t width = unordered.size();
  if (width == 0) return;
  rows_ = points.size() / width;
  std::vector<double> numbers(rows_);
  for (std::size_t column = 0; column < width; ++column) {
    for (std::size_t row = 0; row < rows_; ++row) {
      const double number = points[row * width + column];
      // What is not known stands above all that is: there is an order then.
      numbers[row] = std::isnan(number) ? std::numeric_limits<double>::infinity() : number;
    }
    bins_.push_back(sort_into_bins(numbers, unordered[column]));
  }
}

ForestColumns::Bins ForestColumns::sort_into_bins(const std::vector<double>& numbers,
                                                  bool unordered) {
  std::vector<double> sorted = numbers;
  std::ranges::sort(sorted);
  std::vector<double> distinct = sorted;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());

  Bins bins;
  bins.equality = unordered && distinct.size() <= most_bins;
  if (distinct.size() <= most_bins) {
    bins.low = distinct;
    bins.high = distinct;
  } else {
    std::size_t begin = 0;
    while (begin < sorted.size()) {
      // The last row of a share of those left, and what equals it.
      const std::size_t share = (sorted.size() - begin) / (most_bins - bins.low.size());
      const double high = sorted[begin + std::max<std::size_t>(share, 1) - 1];
      bins.low.push_back(sorted[begin]);
      bins.high.push_back(high);
      begin = static_cast<std::size_t>(std::ranges::upper_bound(sorted, high) - sorted.begin());
    }
  }
  for (const double number : numbers) {
    const auto bin = std::ranges::lower_bound(bins.high, number) - bins.high.begin();
    bins.of_row.push_back(static_cast<std::uint8_t>(bin));
  }
  return bins;
}

SplitTest ForestColumns::test(std::size_t column, std::size_t bin, std::size_t next) const {
  const Bins& bins = bins_[column];
  if (bins.equality) return {bins.low[bin], true};
  // Halfway, so that numbers between those seen go to the nearer side.
  const double middle = bins.high[bin] + (bins.low[next] - bins.high[bin]) / 2;
  return {std::isfinite(middle) ? middle : bins.high[bin], false};
}

namespace {

constexpr std::size_t tree_count = 30;
constexpr std::size_t most_rows = 512;  // of a bootstrap sample: bounds the time of a fit
constexpr std::size_t fewest_to_split = 2;
constexpr double column_share = 0.6;  // of those there are, tried for each split

}  // namespace

/// Grows one tree.
class RegressionForest::Grower {
 public:
  Grower(const ForestColumns& columns, std::span<const double> targets, RandomGenerator& random)
      : columns_(columns), targets_(targets), random_(random), order_(columns.columns()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    tried_columns_ = static_cast<std::size_t>(column_share * static_cast<double>(order_.size()));
    tried_columns_ = std::min(tried_columns_ + 1, order_.size());
  }

  std::vector<Node> grow() {
    sample_.resize(std::min(columns_.rows(), most_rows));
    for (std::size_t& row : sample_) row = random_.below(columns_.rows());
    nodes_.assign(1, {});
    grow(0, 0, sample_.size());
    return std::move(nodes_);
  }

 private:
  /// Makes a node of the sample's rows from `begin` to `end`, and what is below it.
  void grow(std::size_t node, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += targets_[sample_[i]];
    nodes_[node].mean = sum / static_cast<double>(end - begin);
    if (end - begin < fewest_to_split) return;
    const Split split = best_split(begin, end, sum);
    if (split.gain <= 0) return;

    const std::span<const std::uint8_t> bins = columns_.bins(split.column);
    const bool equality = columns_.by_equality(split.column);
    const auto goes_left = [&](std::size_t row) {
      return equality ? bins[row] == split.bin : bins[row] <= split.bin;
    };
    std::size_t middle = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (goes_left(sample_[i])) std::swap(sample_[i], sample_[middle++]);
    }
    const std::size_t left = nodes_.size();
    nodes_.resize(left + 2);
    nodes_[node].column = static_cast<std::uint32_t>(split.column);
    nodes_[node].left = static_cast<std::uint32_t>(left);
    nodes_[node].test = split.test;
    grow(left, begin, middle);
    grow(left + 1, middle, end);
  }

  Split best_split(std::size_t begin, std::size_t end, double sum) {
    // Partial Fisher-Yates: the first places are a random subset.
    Split best;
    for (std::size_t i = 0; i < tried_columns_; ++i) {
      std::swap(order_[i], order_[i + random_.below(order_.size() - i)]);
      improve(best, order_[i], begin, end, sum);
    }
    return best;
  }

  /// The gain is what the split takes from the sum of squared errors.
  void improve(Split& best, std::size_t column, std::size_t begin, std::size_t end, double sum) {
    const std::size_t bins = columns_.bin_count(column);
    if (bins < 2) return;
    std::array<double, ForestColumns::most_bins> counts{};
    std::array<double, ForestColumns::most_bins> sums{};
    const std::span<const std::uint8_t> bin_of = columns_.bins(column);
    for (std::size_t i = begin; i < end; ++i) {
      counts[bin_of[sample_[i]]] += 1;
      sums[bin_of[sample_[i]]] += targets_[sample_[i]];
    }
    const auto count = static_cast<double>(end - begin);
    const double without = sum * sum / count;
    const bool equality = columns_.by_equality(column);
    double left_count = 0;
    double left_sum = 0;
    std::size_t last = bins;  // the last bin that is not empty
    for (std::size_t bin = 0; bin < bins; ++bin) {
      if (counts[bin] == 0) continue;
      if (!equality && last < bins) {
        const double gain = separated(left_count, left_sum, count, sum) - without;
        if (gain > best.gain) best = {column, last, gain, columns_.test(column, last, bin)};
      }
      left_count = equality ? counts[bin] : left_count + counts[bin];
      left_sum = equality ? sums[bin] : left_sum + sums[bin];
      if (equality && left_count < count) {
        const double gain = separated(left_count, left_sum, count, sum) - without;
        if (gain > best.gain) best = {column, bin, gain, columns_.test(column, bin, bin)};
      }
      last = bin;
    }
  }

  static double separated(double left_count, double left_sum, double count, double sum) {
    const double right_sum = sum - left_sum;
    return left_sum * left_sum / left_count + right_sum * right_sum / (count - left_count);
  }

  const ForestColumns& columns_;
  std::span<const double> targets_;
  RandomGenerator& random_;
  std::vector<std::size_t> order_;
  std::size_t tried_columns_ = 0;
  std::vector<std::size_t> sample_;
  std::vector<Node> nodes_;
};

void RegressionForest::fit(const ForestColumns& columns, std::span<const double> targets,
                           RandomGenerator& random) {
  trees_.clear();
  if (columns.rows() == 0 || columns.rows() != targets.size()) return;
  Grower grower(columns, targets, random);
  for (std::size_t i = 0; i < tree_count; ++i) trees_.push_back(grower.grow());
}

double RegressionForest::predict(const std::vector<Node>& tree,
                                 std::span<const double> point) const {
  std::size_t node = 0;
  while (tree[node].left != 0) {
    node = tree[node].left + (tree[node].test.left(point[tree[node].column]) ? 0U : 1U);
  }
  return tree[node].mean;
}

Prediction RegressionForest::predict(std::span<const double> point) const {
  if (trees_.empty()) return {};
  double sum = 0;
  double squares = 0;
  for (const std::vector<Node>& tree : trees_) {
    const double value = predict(tree, point);
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(trees_.size());
  const double mean = sum / count;
  return {mean, std::max(0.0, squares / count - mean * mean)};
}

}  // namespace sweep
