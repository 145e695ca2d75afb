#include "engine/run/statistics.h"

#include <algorithm>
#include <cmath>

namespace sweep {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> result(samples.begin(), samples.end());
  std::ranges::sort(result);
  return result;
}

/// The largest rank k such that fewer than k of `count` samples lie below the median with a
/// probability of at most 2.5 %: the interval runs from the k-th smallest to the k-th largest. 1 if
/// there is none.
std::size_t lower_rank(std::size_t count) {
  constexpr double most = 0.025;
  const auto n = static_cast<double>(count);
  double cumulative = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto x = static_cast<double>(k);
    cumulative += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) -
                           n * std::log(2.0));
    if (cumulative > most) return std::max<std::size_t>(k, 1);
  }
  return 1;
}

double quantile_of_sorted(const std::vector<double>& ordered, double share) {
  const double position = std::clamp(share, 0.0, 1.0) * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  return std::lerp(ordered[below], ordered[above], position - static_cast<double>(below));
}

bool is_figure(double value) {
  return std::isfinite(value) && value > 0;
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
  const std::size_t rank = lower_rank(ordered.size());
  return {ordered[rank - 1], ordered[ordered.size() - rank]};
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

bool is_better(double a, double b, Better better) {
  return better == Better::higher ? a > b : a < b;
}

bool PairedComparison::is_different() const {
  return rounds >= fewest_for_interval && (low > 1 || high < 1);
}

std::optional<PairedComparison> compare_paired(std::span<const double> first,
                                               std::span<const double> second) {
  std::vector<double> logarithms;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (!is_figure(first[i]) || !is_figure(second[i])) continue;
    logarithms.push_back(std::log(first[i]) - std::log(second[i]));
  }
  if (logarithms.empty()) return std::nullopt;
  const Interval interval = median_interval(logarithms);
  return PairedComparison{std::exp(interval.low), std::exp(median(logarithms)),
                          std::exp(interval.high), logarithms.size()};
}

std::vector<std::size_t> worth_comparing(std::span<const RankedFigure> figures, Better better,
                                         double margin, std::size_t most) {
  std::vector<std::size_t> order;
  if (better == Better::neither) return order;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (is_figure(figures[i].median)) order.push_back(i);
  }
  if (order.empty()) return order;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return is_better(figures[a].median, figures[b].median, better);
  });
  const RankedFigure& best = figures[order.front()];
  std::erase_if(order, [&](std::size_t i) {
    const auto& [figure, interval] = figures[i];
    const bool overlap = interval.low <= best.interval.high && best.interval.low <= interval.high;
    return !overlap && !(std::abs(figure - best.median) <= margin * best.median);
  });
  if (order.size() > most) order.resize(most);
  return order;
}

std::vector<std::size_t> round_order(std::size_t count, std::size_t round) {
  std::vector<std::size_t> order(count);
  for (std::size_t place = 0; place < count; ++place) {
    // 0, n-1, 1, n-2, ...: the steps between neighbours all differ, so turning the row round gives
    // each pair of neighbours once.
    const std::size_t zigzag = place % 2 == 0 ? place / 2 : count - (place + 1) / 2;
    order[place] = (zigzag + round) % count;
  }
  // An odd count has each step twice one way and never the other; the mirrored rows mend that.
  if (count > 0 && (round / count) % 2 == 1) std::ranges::reverse(order);
  return order;
}

}  // namespace sweep
