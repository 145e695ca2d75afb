#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/ranking.h"
#include "report/metric_column.h"

namespace sweep {

/// A figure that is compared: finite, not negative. Without an interval nobody knows how sure it
/// is; that of an exact figure has no width.
struct ComparedFigure {
  double value = 0;
  std::optional<Interval> interval = {};

  friend bool operator==(const ComparedFigure&, const ComparedFigure&) = default;
};

/// What the later of two figures is divided by the earlier: 1 when both are 0, infinite when only
/// the earlier is.
struct Ratio {
  double value = 1;
  std::optional<Interval> interval = {};  ///< of 95 % confidence

  friend bool operator==(const Ratio&, const Ratio&) = default;
};

/// The interval is recovered from those of the two figures: on the scale of logarithms the
/// distances from the figures to their ends add up like standard errors (Zou and Donner's MOVER,
/// 2008; Price and Bonett's for the ratio of medians, 2002). Exchanging the figures inverts it.
/// It knows what the samples within the two runs vary by, and nothing of what changed between them.
/// None unless both figures have one.
Ratio ratio_of(const ComparedFigure& before, const ComparedFigure& after);

/// The ratio with the figures exchanged.
Ratio inverse(const Ratio& ratio);

/// The geometric mean of the ratios that are positive numbers, and by the same rule its interval
/// where all of them have one: it says how well these configurations are measured, not what others
/// would do. Nothing when there is none.
std::optional<Ratio> geometric_mean(std::span<const Ratio> ratios);

/// Where a ratio of costs lies: whole beyond the threshold, within it, or across it.
enum class Side { within, above, below, across };

/// `threshold` is a share, 0.05 is 5 %: above 1.05, below 1 / 1.05. An interval counts whole; a
/// ratio without one by itself. Rounding errors are within.
Side side_of(const Ratio& ratio, double threshold);

/// Two runs cannot be compared, or not in the way that is asked for; the message says why.
class ComparisonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A metric that somebody asks to compare.
struct MetricRequest {
  std::string name;
  std::optional<Origin> before = {};  ///< nothing: the first origin that both runs have it from
  std::optional<Origin> after = {};
  std::optional<Better> better = {};  ///< nothing: see `better_in_comparison`

  friend bool operator==(const MetricRequest&, const MetricRequest&) = default;
};

/// Reads NAME[.ORIGIN[/ORIGIN]][:lower|:higher]: "time", "load_sectors.emulated",
/// "load_sectors.emulated/hardware" (emulated before, hardware after), "sm_clock:higher". Names of
/// nvprof are taken for today's. Throws std::invalid_argument with what to write.
MetricRequest read_metric_request(std::string_view text);

/// Which of two values of a metric is the better one when the same work was done twice. Where the
/// table of metrics says neither, totals of the counters are costs, and less of them is better:
/// sectors, wavefronts, instructions, bytes moved. The bytes wanted, numbers of samples, clocks and
/// the like stay neither; so do NVIDIA's own counters unless they are sums.
Better better_in_comparison(const MetricColumn& column);

/// A metric of both runs, and how far apart its figures may lie.
struct ComparedMetric {
  MetricColumn before;
  MetricColumn after;
  Better better = Better::lower;
  double threshold = 0;   ///< a share: 0.05 is 5 %
  bool is_speed = false;  ///< a time or a bandwidth: a change of it is faster or slower
  bool judges = true;     ///< getting worse is a regression; else it is only shown

  friend bool operator==(const ComparedMetric&, const ComparedMetric&) = default;
};

/// 5 % for what is measured or counted by hardware: two runs of the same code, on the same GPU, lie
/// up to 2 % apart. The emulator's counts are exact, any change is one; but its instructions depend
/// on the compiler as much as on the pattern: 5 %.
double default_threshold(const MetricColumn& before, const MetricColumn& after);

/// Two points of one configuration, both of which succeeded.
struct PointPair {
  const PointRecord* before = nullptr;
  const PointRecord* after = nullptr;
};

/// The point's figure for the comparison, if it has one. Times and bandwidths have the interval of
/// their samples, or none where these are too few; all others count as exact. Totals that the
/// emulator leaves out when there are none (atomics, local memory) are 0.
std::optional<ComparedFigure> compared_figure(const PointRecord& point, const MetricColumn& column);

/// Whether the two points of any pair have it.
bool any_has_both(std::span<const PointPair> pairs, const MetricColumn& before,
                  const MetricColumn& after);

/// The metrics to compare. Without requests: the speed, if both points of any pair have a time (the
/// bandwidth if all pairs have one for the same useful bytes, else that of shared memory, else the
/// time); otherwise the emulator's counts that both have, without those that are 0 everywhere and
/// transactions that are the sectors.
/// `threshold` replaces the metrics' own. Throws ComparisonError when the runs share no metric, or
/// not one that is asked for.
std::vector<ComparedMetric> choose_metrics(std::span<const PointPair> pairs,
                                           std::span<const MetricRequest> requests,
                                           std::optional<double> threshold);

/// The metric in words, with unit and origin: "bandwidth [GB/s]", "load_sectors, emulated before,
/// hardware counter after".
std::string heading_of(const ComparedMetric& metric);

}  // namespace sweep
