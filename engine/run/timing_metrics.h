#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/run/statistics.h"
#include "engine/store/record.h"

namespace sweep {

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

/// The bytes a configuration needs to move in one launch.
struct UsefulTraffic {
  std::uint64_t device = 0;  ///< through device memory, reads and writes together
  std::uint64_t shared = 0;  ///< through shared memory
};

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
