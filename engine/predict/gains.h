#pragma once

#include <string>
#include <vector>

#include "engine/predict/predicted_metrics.h"

namespace sweep {

/// What a change of a kernel is predicted to gain.
struct Gain {
  std::string change;          ///< "without bank conflicts"
  double factor = 1;           ///< so many times faster
  Bound then = Bound::launch;  ///< what bounds it after the change
};

/// The changes that gain at least 5 %, the largest gain first. None where the point's emulated
/// metrics do not allow a prediction.
std::vector<Gain> possible_gains(std::span<const Metric> metrics, const TimingProfile& gpu);

/// "predicted on the H100: 331 us, 301 to 364 us with 90 %, bound by device memory; L2 takes 62 %
/// of that", and a sentence for each gain: "without bank conflicts: 1.7 times faster, then bound by
/// L2".
std::vector<std::string> describe_prediction(std::span<const Metric> metrics,
                                             const TimingProfile& gpu);

}  // namespace sweep
