#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/spec/expectation.h"
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
  std::vector<std::string> missing;  ///< the metrics that some of these lack

  /// False also when no point could be checked.
  bool kept() const { return broken.empty() && held > 0; }
};

/// Checks each expectation on each point that succeeded, has the parameters it names, and is meant
/// by its condition. Of a metric's figures the measured one counts before the hardware's and the
/// emulated one. The points must outlive the results.
std::vector<ExpectationResult> check_expectations_on(const std::vector<Expectation>& expectations,
                                                     std::span<const StoredPoint> points);

/// "shared_conflicts == 0, where BLOCK == 256"
std::string describe(const Expectation& expectation);

/// "holds", "broken by 3 of 36 points", "cannot be checked: no point has load_sectors". Points that
/// could not be checked beside others that could are mentioned.
std::string verdict_of(const ExpectationResult& result);

/// What a person has to know: for each expectation that is not kept a compiler's kind of message
/// at its place with the first ten points that break it, and a warning where some points could not
/// be checked. Empty when all is well.
std::string describe_broken(std::span<const ExpectationResult> results,
                            std::span<const StoredPoint> points, bool color);

}  // namespace sweep
