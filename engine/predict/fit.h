#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/predict/model.h"
#include "engine/predict/timing_profile.h"

namespace sweep {

/// A measured time and what took it.
struct TimedPoint {
  std::string sweep;  ///< its name: "profile-latency"
  Demand demand;
  double seconds = 0;
};

/// How well a profile predicts the points of a sweep.
struct SweepFit {
  std::string sweep;
  std::size_t points = 0;
  double median_error = 0;  ///< of |predicted / measured - 1| or its inverse, the larger
  double worst_error = 0;
  double bias = 1;  ///< predicted / measured, geometric mean
};

/// The names of the sweeps that a profile is fitted to, or shows, in the order of its page.
std::span<const std::string_view> profile_sweeps();

/// What the constants of a GPU may be by its figures, for a fit to begin with: bandwidths go with
/// `peak_bandwidth` (GB/s) or multiprocessors and clock (MHz), times by the clock.
TimingProfile scaled_profile(TimingProfile known, unsigned multiprocessors, double clock,
                             double peak_bandwidth);

/// A GPU's constants: each one is fitted to the points of the sweeps that tell it while the others
/// keep their values, over and over, until nothing changes. The errors are logarithms of predicted
/// over measured times, and a large one counts little (Cauchy's loss). An interval ends where the
/// loss has grown by 2.71 times that of a mean point, which is 90 % for a normal error; a constant
/// that could be anything keeps the start's value and origin. The spreads, too, are the
/// start's: microbenchmarks do not tell how far the model is off for kernels. `start` has the
/// device's own figures: multiprocessors, clock and peak bandwidth.
TimingProfile fit_profile(std::span<const TimedPoint> points, const TimingProfile& start);

/// By sweep, in the order of the points.
std::vector<SweepFit> errors_of(std::span<const TimedPoint> points, const TimingProfile& profile);

}  // namespace sweep
