#include "engine/run/paired_comparison.h"

#include <algorithm>
#include <cmath>

namespace sweep {
namespace {

bool is_figure(double value) {
  return std::isfinite(value) && value > 0;
}

bool overlap(const Interval& a, const Interval& b) {
  return a.low <= b.high && b.low <= a.high;
}

}  // namespace

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
    const double away = std::abs(figures[i].median - best.median);
    return !overlap(figures[i].interval, best.interval) && !(away <= margin * best.median);
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
