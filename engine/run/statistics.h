#pragma once

#include <span>

namespace sweep {

/// The middle of the samples; the mean of the two middle ones of an even number. Needs at least
/// one sample.
double median(std::span<const double> samples);

/// An interval around the median.
struct Interval {
  double low = 0;
  double high = 0;
};

/// The 95 % confidence interval of the median, from the order statistics whose ranks the binomial
/// distribution gives: no assumption about how the samples are distributed. With fewer than six
/// samples no two of them bracket the median that surely, and the interval is their whole range.
Interval median_interval(std::span<const double> samples);

}  // namespace sweep
