#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/spec/sweep.h"

namespace sweep {

/// Why sampling ended.
enum class StopReason {
  noise,    ///< the median is known well enough
  samples,  ///< the most samples allowed were taken
  seconds,  ///< the time allowed is over
};
std::string_view to_string(StopReason reason);

/// Whether to stop after these samples, `elapsed` seconds of wall time after the first began.
/// Never before the fewest samples are taken. The noise of a set of samples is half its median's
/// confidence interval, as a share of the median.
std::optional<StopReason> should_stop(const MeasureRules& rules, std::span<const double> samples,
                                      double elapsed);

/// Half the median's confidence interval, as a share of the median.
double noise_of(std::span<const double> samples);

}  // namespace sweep
