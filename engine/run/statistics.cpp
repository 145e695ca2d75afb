#include "engine/run/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sweep {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> result(samples.begin(), samples.end());
  std::ranges::sort(result);
  return result;
}

/// The largest k such that fewer than k of `count` samples lie below the median with a probability
/// of at most 2.5 %: the interval runs from the k-th smallest to the k-th largest. 0 if there is
/// none.
std::size_t lower_rank(std::size_t count) {
  constexpr double tail = 0.025;
  const auto n = static_cast<double>(count);
  double cumulative = 0;
  std::size_t rank = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto x = static_cast<double>(k);
    cumulative += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) -
                           n * std::log(2.0));
    if (cumulative > tail) break;
    rank = k + 1;
  }
  return rank;
}

}  // namespace

double median(std::span<const double> samples) {
  const std::vector<double> ordered = sorted(samples);
  const std::size_t middle = ordered.size() / 2;
  return ordered.size() % 2 == 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2;
}

Interval median_interval(std::span<const double> samples) {
  const std::vector<double> ordered = sorted(samples);
  const std::size_t rank = std::max<std::size_t>(lower_rank(ordered.size()), 1);
  return {ordered[rank - 1], ordered[ordered.size() - rank]};
}

}  // namespace sweep
