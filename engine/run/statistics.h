#pragma once

#include <cstddef>
#include <span>

namespace sweep {

/// The middle of the samples; the mean of the two middle ones of an even number. Needs at least
/// one sample.
double median(std::span<const double> samples);

/// The value below which `share` (0 to 1) of the samples lie, linear between neighbouring ones: 0.5
/// is the median, 0.25 the first quartile. Needs at least one sample.
double quantile(std::span<const double> samples, double share);

/// An interval, around the median for example.
struct Interval {
  double low = 0;
  double high = 0;
};

/// With fewer samples no two of them bracket the median with a confidence of 95 %.
constexpr std::size_t fewest_for_interval = 6;

/// The 95 % confidence interval of the median, from the order statistics whose ranks the binomial
/// distribution gives: no assumption about how the samples are distributed, only that they do not
/// depend on each other. With fewer than `fewest_for_interval` samples it is their whole range,
/// and its confidence is less. Needs at least one sample.
Interval median_interval(std::span<const double> samples);

/// How sure the interval of that many samples holds the median, 0 to 1: at least 0.95 from
/// `fewest_for_interval` samples on, before it 0, 0.5, 0.75, 0.875 and 0.9375.
double interval_confidence(std::size_t count);

/// Tukey's outer fences: three interquartile ranges below the first quartile and above the third,
/// but no nearer to them than 1 % of the median, since the samples of a steady kernel often differ
/// by the timer's resolution alone. Needs at least one sample.
Interval far_fences(std::span<const double> samples);

}  // namespace sweep
