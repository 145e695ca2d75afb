#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/spec/sweep.h"

namespace sweep {

/// Why sampling ended.
enum class StopReason {
  noise,    ///< the median is known well enough
  samples,  ///< the most samples allowed were taken
  seconds,  ///< the time allowed is over
  cut_off,  ///< each of the first samples took longer than is worth waiting for
};
/// "noise", "samples", "seconds" or "cut-off".
std::string_view to_string(StopReason reason);

/// So many samples decide whether to give up.
constexpr std::size_t samples_to_give_up = 3;

/// Whether to stop after these samples, `elapsed` seconds of wall time after the first began.
/// Never before the fewest samples are taken, but for giving up.
///
/// What the noise promises: a set of samples whose number is fixed beforehand holds the true median
/// in its interval with at least 95 % (`median_interval`). Here the number is not fixed: the
/// interval is looked at again and again until it is narrow. How narrow it is says little about on
/// which side of the median it lies, so the confidence stays near 95 % (Chow and Robbins, 1965: it
/// tends to it as more samples are needed). For samples that do not depend on each other, looked at
/// whenever a fifth more are there, it is at least 92 %, whatever their spread; the tests try it.
std::optional<StopReason> should_stop(const MeasureRules& rules, std::span<const double> samples,
                                      double elapsed);

/// Half the median's confidence interval, as a share of the median.
double noise_of(std::span<const double> samples);

/// A sentence for a point whose sampling ended by the most samples or seconds, `elapsed` seconds
/// after it began; nothing for another.
std::optional<std::string> note_on_stop(StopReason reason, const MeasureRules& rules,
                                        std::span<const double> samples, double elapsed);

/// How far the sampling of a point has come.
struct SamplingProgress {
  std::size_t figures = 0;        ///< samples taken that are part of the figures
  double elapsed = 0;             ///< seconds of wall time since sampling began
  double seconds_per_sample = 0;  ///< wall time, estimated; 0 where it is not known
};

/// How many samples to take at once before the stopping rule is asked again, at least one: first
/// those that decide whether to give up, if the rules say when, and the fewest that the rules want,
/// then a fifth of those taken. Never more than the most allowed or, once the fewest are there,
/// than the seconds left have room for, and never more than about a tenth of a second's work, so
/// that signs of life come often.
int next_chunk_size(const MeasureRules& rules, const SamplingProgress& progress);

}  // namespace sweep
