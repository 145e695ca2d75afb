#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/ranking.h"
#include "report/metric_column.h"
#include "report/run_results.h"

namespace sweep {

/// How one configuration compares with the best.
struct PointVerdict {
  enum class Kind {
    best,
    same,          ///< what was measured does not tell it from the best
    slower,        ///< by `slower`
    not_compared,  ///< its figure or the best's has no interval, which might tell them apart
  };
  Kind kind = Kind::best;
  double slower = 0;  ///< 0.12: it takes 12 % longer
  double figure = 0;
  std::optional<FigureInterval> interval = {};  ///< the figure's, of 95 % confidence
  int rounds = 0;  ///< it was compared with the best in so many rounds; 0: by the intervals alone
};

/// "best", "same as best", "12 % slower", "3.4 times slower", "not compared"
std::string to_string(const PointVerdict& verdict);

/// The points that are compared with each other.
struct VerdictGroup {
  std::string pattern;
  MetricColumn metric;                      ///< what the figures are
  std::size_t best = 0;                     ///< places in the run's points
  std::vector<std::size_t> same = {};       ///< as the best, by their figures
  std::size_t not_compared = 0;             ///< how many
  std::optional<std::size_t> slowest = {};  ///< of those that are slower
};

struct Verdicts {
  std::vector<VerdictGroup> groups;  ///< one per pattern with two points or more
  std::vector<std::optional<PointVerdict>> of_points{};  ///< one per point of the run
};

/// Compares each pattern's points by what `ranked_groups` ranks them by. Points that the run
/// compared in turn with the best are judged by that: an interval that contains 1 makes them the
/// same. Others are the same as the best when the confidence intervals of their times overlap, and
/// not compared where one of the two is missing; the best has one if any has, and the rounds did
/// not find another. Failed points and those without a time have no verdict, nor has a pattern's
/// only point.
Verdicts judge(const RunResults& results);

/// The figure as it is shown, with its unit: "4301 GB/s".
std::string describe_figure(const MetricColumn& metric, double figure);

/// A line for each pattern: "best: T = float4, BLOCK = 256: 4301 GB/s; 3 configurations are the
/// same". Empty without verdicts.
std::vector<std::string> describe_best(const RunResults& results);

}  // namespace sweep
