#include "engine/search/forest_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace sweep
