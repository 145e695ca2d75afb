#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/record.h"

namespace sweep {

/// A point's measured figure, where it has one that is a positive number: others can neither be
/// compared by their ratio nor are they times, clocks or temperatures.
std::optional<double> measured_figure(const PointRecord& point, std::string_view metric);

// Which of several points is the best. Only figures that are positive numbers count: others cannot
// be compared by their ratio. Counts may be zero too.

/// The metric that says it, and whether more or less of it is better.
struct RankedBy {
  std::string metric;
  Better better = Better::higher;
  Origin origin = Origin::measured;

  friend bool operator==(const RankedBy&, const RankedBy&) = default;
};

/// The points that can be compared with each other.
struct RankedGroup {
  std::string pattern;              ///< of the first of them
  std::vector<std::size_t> places;  ///< in the points, ascending; never empty
  RankedBy ranked_by;
  Bindings group = {};                    ///< see group_of; empty unless a search's
  std::optional<std::size_t> tuned = {};  ///< its place among a search's groups, if that has it
};

/// The values that a configuration has for the names that groups differ in: its parameters, and
/// "pattern", a word. What it lacks is left out, which is a value of its own.
Bindings group_of(const PointKey& key, std::span<const std::string> for_each);

/// For each point the place of its group among those of the search's record, where that has it.
std::vector<std::optional<std::size_t>> tuned_groups_of(std::span<const StoredPoint> points,
                                                        const TuningRecord& tuning);

/// The groups in the order of their first points.
///
/// Without a search these are the points of each pattern that succeeded and have a time, ranked by
/// the bandwidth if all of them have one, else by that of shared memory, else by the time. In a
/// search's run they are the points of each of its groups that succeeded and have the metric that
/// it searched by; those that are cut off are among them.
std::vector<RankedGroup> ranked_groups(std::span<const StoredPoint> points,
                                       const TuningRecord* tuning = nullptr);

/// "ranked by instructions, emulated: this is not speed; a GPU may prefer another configuration" of
/// a search by the emulator's counts; empty for others.
std::string describe_ranking(const TuningRecord& tuning);

/// A point's figure, or nothing when it has none.
std::optional<double> figure_of(const PointRecord& point, const RankedBy& ranked_by);

/// The figure's 95 % confidence interval. That of a time or a bandwidth follows from the time's,
/// where it has both ends; an emulated figure is exact; others have none. Nothing for a point
/// without a figure.
std::optional<Interval> interval_of(const PointRecord& point, const RankedBy& ranked_by);

}  // namespace sweep
