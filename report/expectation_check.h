#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/spec/report_layout.h"
#include "engine/store/record.h"

namespace sweep {

/// A point that does not keep an expectation.
struct BrokenPoint {
  const PointRecord* point = nullptr;
  std::string found;  ///< "shared_conflicts = 31"
};

/// How an expectation fares in a run.
struct ExpectationResult {
  Expectation expectation;
  std::size_t held = 0;
  std::vector<BrokenPoint> broken;
  std::size_t unchecked = 0;         ///< points without a metric or value that it needs
  std::size_t uncounted = 0;         ///< of those, points that the emulator has yet to count
  std::vector<std::string> missing;  ///< the metrics that some of these lack
  bool is_implied = false;           ///< by all others: results are verified whole
  bool is_part = false;              ///< the run need not have all points that the sweep is about

  /// How many points that succeeded are meant by it.
  std::size_t meant() const { return held + broken.size() + unchecked; }
  bool applies() const { return meant() > 0; }
  /// Whether nothing could be checked for the one reason that counts are still missing.
  bool is_open() const {
    return held + broken.size() == 0 && uncounted > 0 && uncounted == unchecked;
  }
  /// False also when no point could be checked; but a part of the sweep need not have one, and
  /// counts may follow.
  bool kept() const { return broken.empty() && (held > 0 || is_open() || (is_part && !applies())); }
};

/// Checks each expectation on each point that succeeded, has the parameters it names, and is meant
/// by its condition. Of a metric's figures the measured one counts before the hardware's and the
/// emulated one. Where a point's result was verified in part and no expectation names
/// verified_share, one more is that it is 100 %. The points must outlive the results. `is_part`:
/// they are of a space that was narrowed, as by `--set`, or searched.
std::vector<ExpectationResult> check_expectations_on(const std::vector<Expectation>& expectations,
                                                     std::span<const StoredPoint> points,
                                                     bool is_part = false);

/// "shared_conflicts == 0, where BLOCK == 256"
std::string describe(const Expectation& expectation);

/// "holds", "broken by 3 of 36 points", "cannot be checked: no point has load_sectors". Points that
/// could not be checked beside others that could are mentioned.
std::string verdict_of(const ExpectationResult& result);

/// What a person has to know: for each expectation that is not kept a compiler's kind of message
/// at its place with the first ten points that break it, a warning where some points could not be
/// checked, and a note where a part of the sweep has no point to check. Empty when all is well.
std::string describe_broken(std::span<const ExpectationResult> results,
                            std::span<const StoredPoint> points, bool color);

}  // namespace sweep
