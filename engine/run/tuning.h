#pragma once

#include "engine/run/run_stage.h"
#include "engine/store/record.h"

namespace sweep {

/// A point's figure of a metric from the first origin that has one: measured, hardware, emulated.
std::optional<Metric> preferred_figure(const PointRecord& point, const std::string& metric);

/// Whether the metric follows from the time that a launch takes.
bool follows_from_time(std::string_view metric);

/// What a search goes by: the objectives of a sweep, as far as the device gives figures of them.
class SearchObjective {
 public:
  explicit SearchObjective(std::vector<TuneObjective> objectives)
      : objectives_(std::move(objectives)) {}

  /// The point's cost, the less the better; nothing for one that failed or has no figure. The first
  /// point that has a figure of any objective decides which objective is followed. The next
  /// objectives tell points apart that are equal by it.
  std::optional<double> cost(const PointRecord& point);

  /// The figure of what is followed, if it is a finite number.
  std::optional<double> figure(const PointRecord& point) const;
  /// The objectives after the one that is followed, which are to decide among equals.
  std::span<const TuneObjective> further() const { return std::span(objectives_).subspan(next_); }
  /// What is followed; nothing before the first figure.
  const std::optional<RankedBy>& followed() const { return followed_; }

  /// How long a launch may take at least that is `factor` times slower than one with this figure:
  /// infinite for a figure that does not follow from the time. `derive` computes the metrics of
  /// one's own.
  double seconds_when_slower(double figure, double factor, const UsefulTraffic& useful,
                             const Device& device, const ChangeMetrics& derive = nullptr) const;

 private:
  std::vector<TuneObjective> objectives_;
  std::optional<RankedBy> followed_;
  std::size_t next_ = 0;  ///< objective after what is followed
};

/// Searches each group of the request for its best configuration, then measures the leading ones
/// and the default again in turn until one is best or they are the same, and records what was found
/// as soon as a group is done.
void tune_groups(RunStage& stage);

}  // namespace sweep
