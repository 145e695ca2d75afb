#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/report_layout.h"
#include "engine/store/record.h"
#include "engine/store/store.h"
#include "report/point_columns.h"

namespace sweep {

/// Everything a report is made from.
struct RunResults {
  RunRecord run;
  std::vector<StoredPoint> points;             ///< in the run's order
  ReportLayout layout;                         ///< what the run's sweep asked for
  std::string summary;                         ///< the sweep's, may be empty
  std::vector<Expectation> expectations = {};  ///< of the run's sweep
  /// Parameters whose values set points apart that are not to be compared.
  std::vector<std::string> apart = {};

  std::size_t count_failed() const;
};

/// Reads a run, by default the newest one. Throws StoreError when there is no such run.
RunResults load_results(const Store& store, std::optional<std::int64_t> run_id = {});
/// The same of a run whose record was read before.
RunResults load_results(const Store& store, RunRecord run);

/// Why these cannot be shown together: they are searches, or runs of different sweeps; empty where
/// they can.
std::string why_not_together(std::span<const RunResults> runs);
/// Runs of one sweep on several GPUs as one run. Each point has its GPU as one more parameter,
/// which every table has as columns and every chart as series; points of different GPUs are not
/// compared. Where their peak bandwidths differ, shares of the peak stand beside bandwidths.
RunResults together(std::vector<RunResults> runs);

/// The points' records in their order. The points must outlive them.
std::vector<const PointRecord*> records_of(std::span<const StoredPoint> points);

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
  double ratio = 1;     ///< of the figure to the best's, by the same
  MetricColumn metric;  ///< what the figure is
  double figure = 0;
  std::optional<Interval> interval = {};  ///< the figure's, of 95 % confidence
  int rounds = 0;  ///< it was compared with the best in so many rounds; 0: by the intervals alone
  std::string group = {};  ///< its group's label
};

/// "best", "same as best", the difference (describe_difference) such as "12 % less", "not
/// compared", "cut off, about 44 % less".
std::string to_string(const PointVerdict& verdict);
/// The same for where points of several groups stand together: "same as best of copy".
std::string describe_among_groups(const PointVerdict& verdict);
/// "slowest" of times and bandwidths, of other metrics "worst".
std::string_view word_for_slowest(const MetricColumn& metric);

/// The points that are compared with each other.
struct VerdictGroup : RankedGroup {
  std::string label = {};    ///< "copy", "T = float"; empty where the run has one group alone
  MetricColumn metric = {};  ///< what the figures are
  std::size_t best = 0;      ///< places in the run's points
  std::vector<std::size_t> same = {};       ///< as the best, by their figures
  std::size_t not_compared = 0;             ///< how many
  std::optional<std::size_t> slowest = {};  ///< of those that are slower, or cut off
};

/// The best and the slowest of all points of a run that have a figure, whatever their groups.
struct RunExtremes {
  MetricColumn metric;
  std::size_t best = 0;  ///< of the groups' bests
  /// Nothing where no point is known to be slower than the best.
  std::optional<std::size_t> slowest = {};
  std::string distance =
      {};  ///< "94 % less than the best", "cut off, about 64 % less than the best"
};

/// The points of each group of `ranked_groups` compared. Points that the run compared in turn with
/// the best are judged by that: an interval that contains 1 makes them the same. Others are the
/// same as the best when the confidence intervals of their figures overlap, and not compared where
/// one of the two is missing. The best is the winner of the group's search; without one it has an
/// interval if any point has, and the rounds did not find another. Failed points and those without
/// a figure have no verdict, nor has a pattern's only point; but a search's only one is the best.
struct Verdicts {
  std::vector<VerdictGroup> groups;                      ///< in the order of `ranked_groups`
  std::vector<std::optional<PointVerdict>> of_points{};  ///< one per point of the run
  /// Nothing without groups, and where they are ranked by different metrics.
  std::optional<RunExtremes> overall = {};
};

/// The figure as it is shown, with its unit if it has one: "4301 GB/s".
std::string describe_figure(const MetricColumn& metric, double figure);

/// "; 3 configurations are the same", to follow a line about the best; empty for none.
std::string describe_same(std::size_t count);

/// "3 are not compared, for want of an interval".
std::string describe_not_compared(const VerdictGroup& group);

/// Whether the group's best is the winner of its search, of which there is more to tell.
bool is_won(const RunResults& results, const VerdictGroup& group);

/// A run's results and what every report says of them, worked out once for all. The results must
/// outlive it and stay as they are.
struct RunAnalysis {
  // Reports are made of results in one call, too.
  RunAnalysis(const RunResults& run_results);  // NOLINT(google-explicit-constructor)

  const RunResults& results;
  std::vector<const PointRecord*> points;
  std::vector<ParameterValues> parameters;
  std::vector<ParameterValues> told;  ///< those of them that tell the points apart
  Verdicts verdicts;
  /// Those that tell the points of one group apart; its label says the others.
  std::vector<ParameterValues> told_in_group;
};

/// One point for each pattern of the run that has one which succeeded: the best by its verdict, of
/// a search with several groups the best of these, and the first that succeeded where there is no
/// verdict. Places in the run's points, in the order of the patterns' first points.
std::vector<std::size_t> best_of_patterns(const RunAnalysis& run);

/// The points that failed for one reason.
struct Failure {
  std::string reason;  ///< of the first, in words, where none is known too
  std::vector<const PointRecord*> points;
};

/// "12 of 48 configurations:"
std::string describe_share(const Failure& failure, std::size_t points);

/// The failed ones of the points by their mistakes, in the order in which these first appear.
std::vector<Failure> failures_of(std::span<const PointRecord* const> points);

}  // namespace sweep
