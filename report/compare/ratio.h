#pragma once

#include <optional>
#include <span>

#include "engine/store/ranking.h"

namespace sweep {

/// A figure that is compared: finite, not negative. Without an interval nobody knows how sure it
/// is; that of an exact figure has no width.
struct ComparedFigure {
  double value = 0;
  std::optional<Interval> interval = {};

  friend bool operator==(const ComparedFigure&, const ComparedFigure&) = default;
};

/// What the later of two figures is divided by the earlier: 1 when both are 0, infinite when only
/// the earlier is.
struct Ratio {
  double value = 1;
  std::optional<Interval> interval = {};  ///< of 95 % confidence

  friend bool operator==(const Ratio&, const Ratio&) = default;
};

/// The interval is recovered from those of the two figures: on the scale of logarithms the
/// distances from the figures to their ends add up like standard errors (Zou and Donner's MOVER,
/// 2008; Price and Bonett's for the ratio of medians, 2002). Exchanging the figures inverts it.
/// It knows what the samples within the two runs vary by, and nothing of what changed between them.
/// None unless both figures have one.
Ratio ratio_of(const ComparedFigure& before, const ComparedFigure& after);

/// The ratio with the figures exchanged.
Ratio inverse(const Ratio& ratio);

/// The geometric mean of the ratios that are positive numbers, and by the same rule its interval
/// where all of them have one: it says how well these configurations are measured, not what others
/// would do. Nothing when there is none.
std::optional<Ratio> geometric_mean(std::span<const Ratio> ratios);

/// Where a ratio of costs lies: whole beyond the threshold, within it, or across it.
enum class Side { within, above, below, across };

/// `threshold` is a share, 0.05 is 5 %: above 1.05, below 1 / 1.05. An interval counts whole; a
/// ratio without one by itself. Rounding errors are within.
Side side_of(const Ratio& ratio, double threshold);

}  // namespace sweep
