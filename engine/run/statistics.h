#pragma once

#include <cstddef>

#include "engine/spec/metric.h"

namespace sweep {

/// The middle of the samples; the mean of the two middle ones of an even number. Needs at least
/// one sample.
double median(std::span<const double> samples);

/// The value below which `share` (0 to 1) of the samples lie, linear between neighbouring ones: 0.5
/// is the median, 0.25 the first quartile. Needs at least one sample.
double quantile(std::span<const double> samples, double share);

/// With fewer samples no two of them bracket the median with a confidence of 95 %.
constexpr std::size_t fewest_for_interval = 6;

/// The 95 % confidence interval of the median, from the order statistics whose ranks the binomial
/// distribution gives: no assumption about how the samples are distributed, only that they do not
/// depend on each other. With fewer than `fewest_for_interval` samples it is their whole range,
/// and its confidence is less. Needs at least one sample.
Interval median_interval(std::span<const double> samples);

/// Tukey's outer fences: three interquartile ranges below the first quartile and above the third,
/// but no nearer to them than 1 % of the median, since the samples of a steady kernel often differ
/// by the timer's resolution alone. Needs at least one sample.
Interval far_fences(std::span<const double> samples);

/// How the figures of two configurations compare that were measured again in the same rounds: the
/// median, over the rounds, of the first one's figure divided by the second one's. Within a round
/// they are measured one after the other, so that what slows the device down for a while slows both
/// and drops out of their ratio.
struct PairedComparison {
  double low = 0;  ///< of the median's 95 % confidence interval (`median_interval`)
  double ratio = 0;
  double high = 0;
  std::size_t rounds = 0;  ///< that have both figures

  /// Whether the interval excludes 1: with equal configurations at most one comparison in twenty
  /// does. Never with fewer than `fewest_for_interval` rounds, whose interval, their whole range,
  /// is less sure than 95 %. Comparing one configuration with k others, at
  /// least one of them is found different by chance with a probability of up to k times 5 %.
  bool is_different() const;
};

/// Compares by round: `first[r]` and `second[r]` are figures of round r. A round in which one of
/// them is missing (not a positive number, or beyond the shorter list) is left out; nothing when
/// none is left. The ratio is the middle one, or of an even number of rounds the geometric mean of
/// the two middle ones, so that exchanging the two inverts it.
std::optional<PairedComparison> compare_paired(std::span<const double> first,
                                               std::span<const double> second);

/// Whether `a` is the better one of two figures of a metric whose values are wanted high or low.
bool is_better(double a, double b, Better better);

/// A configuration's figure and its confidence interval.
struct RankedFigure {
  double median = 0;
  Interval interval;
};

/// Which configurations might be the best one: it, and all whose interval overlaps its or whose
/// median lies within `margin` of its, the best first, then by median; no more than `most`. Figures
/// that are not positive numbers take no part. Nothing for a metric of which no value is better.
std::vector<std::size_t> worth_comparing(std::span<const RankedFigure> figures, Better better,
                                         double margin = 0.02, std::size_t most = 8);

/// The order in which a round measures `count` configurations: a Williams design, in which after
/// 2 * count rounds (for an even count already after half of them) each was measured equally often
/// at every place of a round and directly after every other one.
std::vector<std::size_t> round_order(std::size_t count, std::size_t round);

}  // namespace sweep
