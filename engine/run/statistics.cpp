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

/// The ranks of an interval, and how likely it is that fewer samples than `rank` lie below the
/// median.
struct Rank {
  std::size_t rank = 0;
  double tail = 0;
};

/// The largest rank k such that fewer than k of `count` samples lie below the median with a
/// probability of at most 2.5 %: the interval runs from the k-th smallest to the k-th largest. 1 if
/// there is none.
Rank lower_rank(std::size_t count) {
  constexpr double most = 0.025;
  const auto n = static_cast<double>(count);
  Rank found;
  double cumulative = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto x = static_cast<double>(k);
    cumulative += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) -
                           n * std::log(2.0));
    if (k > 0 && cumulative > most) break;
    found = {k + 1, cumulative};
  }
  return found;
}

double quantile_of_sorted(const std::vector<double>& ordered, double share) {
  const double position = std::clamp(share, 0.0, 1.0) * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  return std::lerp(ordered[below], ordered[above], position - static_cast<double>(below));
}

}  // namespace

double median(std::span<const double> samples) {
  const std::vector<double> ordered = sorted(samples);
  const std::size_t middle = ordered.size() / 2;
  return ordered.size() % 2 == 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2;
}

double quantile(std::span<const double> samples, double share) {
  return quantile_of_sorted(sorted(samples), share);
}

Interval median_interval(std::span<const double> samples) {
  const std::vector<double> ordered = sorted(samples);
  const std::size_t rank = lower_rank(ordered.size()).rank;
  return {ordered[rank - 1], ordered[ordered.size() - rank]};
}

double interval_confidence(std::size_t count) {
  return count == 0 ? 0 : std::max(0.0, 1 - 2 * lower_rank(count).tail);
}

Interval far_fences(std::span<const double> samples) {
  constexpr double ranges = 3;
  constexpr double least_share = 0.01;
  const std::vector<double> ordered = sorted(samples);
  const double first = quantile_of_sorted(ordered, 0.25);
  const double third = quantile_of_sorted(ordered, 0.75);
  const double distance =
      std::max(ranges * (third - first), least_share * quantile_of_sorted(ordered, 0.5));
  return {first - distance, third + distance};
}

}  // namespace sweep
