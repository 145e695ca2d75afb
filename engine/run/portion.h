#pragma once

#include <cstddef>

#include "engine/spec/sweep.h"

namespace sweep {

/// How far the sampling of a point has come.
struct SamplingProgress {
  std::size_t figures = 0;        ///< samples taken that are part of the figures
  double elapsed = 0;             ///< seconds of wall time since sampling began
  double seconds_per_sample = 0;  ///< wall time, estimated; 0 where it is not known
};

/// How many samples to take at once before the stopping rule is asked again, at least one: first
/// those that decide whether to give up, if the rules say when, and the fewest that the rules want,
/// then a fifth of those taken. Never more than the most allowed
/// or, once the fewest are there, than the seconds left have room for, and never more than about a
/// tenth of a second's work, so that signs of life come often.
int next_portion(const MeasureRules& rules, const SamplingProgress& progress);

}  // namespace sweep
