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
    slower,        ///< by `slower`, beyond doubt
    not_compared,  ///< its figure or the best's has no interval, which might tell them apart
    cut_off,       ///< given up after a few samples, which say about how much slower it is
  };
  Kind kind = Kind::best;
  /// Than the best, by the rounds or the figures, which need not tell them apart. 0.12: it takes
  /// 12 % longer; infinity beside a best of 0.
  double slower = 0;
  bool is_of_speed = true;  ///< the figure is a time or a bandwidth: others are not called slower
  double figure = 0;
  std::optional<FigureInterval> interval = {};  ///< the figure's, of 95 % confidence
  int rounds = 0;  ///< it was compared with the best in so many rounds; 0: by the intervals alone
};

/// "best", "same as best", "12 % slower", "3.4 times slower", "12 % worse", "not compared",
/// "cut off, about 80 % slower"
std::string to_string(const PointVerdict& verdict);

/// The points that are compared with each other.
struct VerdictGroup {
  std::string pattern;
  MetricColumn metric;                      ///< what the figures are
  std::size_t best = 0;                     ///< places in the run's points
  std::vector<std::size_t> same = {};       ///< as the best, by their figures
  std::size_t not_compared = 0;             ///< how many
  std::optional<std::size_t> slowest = {};  ///< of those that are slower, or cut off
  Bindings group = {};                      ///< of a search: what its points have in common
  std::optional<std::size_t> tuned = {};    ///< its place among the search's groups
};

struct Verdicts {
  std::vector<VerdictGroup> groups;                      ///< in the order of `ranked_groups`
  std::vector<std::optional<PointVerdict>> of_points{};  ///< one per point of the run
};

/// Compares the points of each group of `ranked_groups`. Points that the run compared in turn with
/// the best are judged by that: an interval that contains 1 makes them the same. Others are the
/// same as the best when the confidence intervals of their figures overlap, and not compared where
/// one of the two is missing. The best is the winner of the group's search; without one it has an
/// interval if any point has, and the rounds did not find another. Failed points and those without
/// a figure have no verdict, nor has a pattern's only point; but a search's only one is the best.
Verdicts judge(const RunResults& results);

/// The figure as it is shown, with its unit if it has one: "4301 GB/s".
std::string describe_figure(const MetricColumn& metric, double figure);

/// "; 3 configurations are the same", to follow a line about the best; empty for none.
std::string describe_same(std::size_t count);

/// Whether the group's best is the winner of its search, of which there is more to tell.
bool is_won(const RunResults& results, const VerdictGroup& group);

/// A line for each group that is not won: "best: T = float4, BLOCK = 256: 4301 GB/s; 3
/// configurations are the same", in a search's run "best so far of T = float4: BLOCK = 256: ...".
/// Empty without verdicts.
std::vector<std::string> describe_best(const RunResults& results);

}  // namespace sweep
