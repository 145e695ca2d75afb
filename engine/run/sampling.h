#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/run/statistics.h"
#include "engine/spec/sweep.h"
#include "engine/store/record.h"

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

/// How many samples to take at once before the stopping rule is asked again, at least one, after
/// `figures` that are part of the figures and `elapsed` seconds of wall time, of which a sample
/// takes an estimated `seconds_per_sample`, 0 where that is not known. They are first
/// those that decide whether to give up, if the rules say when, and the fewest that the rules want,
/// then a fifth of those taken. Never more than the most allowed or, once the fewest are there,
/// than the seconds left have room for, and never more than about a tenth of a second's work, so
/// that signs of life come often.
int next_chunk_size(const MeasureRules& rules, std::size_t figures, double elapsed,
                    double seconds_per_sample);

/// What `mark_samples` found.
struct MarkSummary {
  std::size_t low_clock = 0;
  std::size_t outliers = 0;
  /// The lowest and the highest clock in Hz, where the clock itself changed while sampling.
  std::optional<Interval> changed_clock;
};

/// Marks each sample of a point anew, from all of them.
///
/// `low_clock`: the multiprocessors' clock is known and more than 2 % below the median of the known
/// ones. Such samples are no part of the figures, whatever their time, and another is to be taken
/// in the place of each. When they are more than half as many as the others, or as many as that lie
/// more than 2 % above, it was not a dip: the clock itself changed, and none is left out.
///
/// `outlier`: the time lies beyond the fences (`far_fences`) of those that are part of the figures.
/// It stays part of them: a median does not mind.
MarkSummary mark_samples(std::vector<Sample>& samples);

/// The seconds of the samples that the figures are made of.
std::vector<double> figures_of(std::span<const Sample> samples);

/// Sentences for the point: that its clock changed, that more than 3 % of the samples (and more
/// than one) are outliers.
std::vector<std::string> notes_on_marks(std::span<const Sample> samples,
                                        const MarkSummary& summary);

/// The metrics of a point with these samples, marked. None when none is part of the figures,
/// no interval when fewer than `fewest_for_interval` are.
std::vector<Metric> timing_metrics(std::span<const Sample> samples, int launches_per_sample,
                                   const UsefulTraffic& useful, const Device& device);

/// What the device was like: its clock while the samples were taken or, where that is not known,
/// after them; what else the state after them says.
std::vector<Metric> state_metrics(std::span<const Sample> samples, const DeviceState& state);

/// "the device held its clocks back: power cap", nothing when it did not.
std::optional<std::string> note_on_throttling(const DeviceState& state);

}  // namespace sweep
