#include "report/compare/ratio.h"

#include <cmath>
#include <limits>

namespace sweep {
namespace {

/// Totals that are scaled from a share of the blocks are off by some units in the last place.
constexpr double rounding = 1e-9;

bool is_positive(double value) {
  return std::isfinite(value) && value > 0;
}

double divided(double after, double before) {
  if (before > 0) return after / before;
  return after > 0 ? std::numeric_limits<double>::infinity() : 1;
}

/// How far the ends of an interval lie from its figure, as logarithms.
struct Distances {
  double down = 0;
  double up = 0;
};

std::optional<Distances> distances_of(double value, const std::optional<Interval>& interval) {
  if (!interval) return std::nullopt;
  if (interval->low == value && interval->high == value) return Distances{};
  if (!is_positive(value) || !is_positive(interval->low) || !is_positive(interval->high)) {
    return std::nullopt;
  }
  return Distances{std::fmax(0, std::log(value / interval->low)),
                   std::fmax(0, std::log(interval->high / value))};
}

}  // namespace

Ratio ratio_of(const ComparedFigure& before, const ComparedFigure& after) {
  Ratio ratio{divided(after.value, before.value), {}};
  const auto of_before = distances_of(before.value, before.interval);
  const auto of_after = distances_of(after.value, after.interval);
  if (!of_before || !of_after) return ratio;
  ratio.interval = Interval{ratio.value * std::exp(-std::hypot(of_after->down, of_before->up)),
                            ratio.value * std::exp(std::hypot(of_after->up, of_before->down))};
  return ratio;
}

Ratio inverse(const Ratio& ratio) {
  Ratio inverted{1 / ratio.value, {}};
  if (ratio.interval) {
    inverted.interval = Interval{1 / ratio.interval->high, 1 / ratio.interval->low};
  }
  return inverted;
}

std::optional<Ratio> geometric_mean(std::span<const Ratio> ratios) {
  double sum = 0;
  Distances squares;
  bool has_interval = true;
  double count = 0;
  for (const Ratio& ratio : ratios) {
    if (!is_positive(ratio.value)) continue;
    sum += std::log(ratio.value);
    ++count;
    const auto distances = distances_of(ratio.value, ratio.interval);
    has_interval = has_interval && distances.has_value();
    if (!distances) continue;
    squares.down += distances->down * distances->down;
    squares.up += distances->up * distances->up;
  }
  if (count == 0) return std::nullopt;
  Ratio mean{std::exp(sum / count), {}};
  if (has_interval) {
    mean.interval = Interval{mean.value * std::exp(-std::sqrt(squares.down) / count),
                             mean.value * std::exp(std::sqrt(squares.up) / count)};
  }
  return mean;
}

Side side_of(const Ratio& ratio, double threshold) {
  const Interval interval = ratio.interval.value_or(Interval{ratio.value, ratio.value});
  const double most = (1 + threshold) * (1 + rounding);
  const double least = 1 / most;
  if (interval.low > most) return Side::above;
  if (interval.high < least) return Side::below;
  return interval.low >= least && interval.high <= most ? Side::within : Side::across;
}

}  // namespace sweep
