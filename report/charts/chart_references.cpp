#include "report/charts/chart_references.h"

#include <algorithm>
#include <cmath>

#include "report/charts/chart_figures.h"
#include "report/verdict.h"

namespace sweep {
namespace {

constexpr double bytes_per_gigabyte = 1e9;

std::optional<double> theoretical_peak(const std::string& metric, const Device& device) {
  if (device.peak_bandwidth() <= 0) return std::nullopt;
  if (metric == "percent_of_peak") return 100.0;
  return device.peak_bandwidth() / bytes_per_gigabyte;
}

std::optional<double> highest_measured(const MetricColumn& metric, const RunResults& results) {
  std::optional<double> highest;
  for (const StoredPoint& stored : results.points) {
    const auto figure = figure_of(stored.point, metric);
    if (stored.point.status != PointStatus::ok || !figure || !std::isfinite(*figure)) continue;
    if (!highest || *figure > *highest) highest = figure;
  }
  return highest;
}

/// The share of the axis, were it to reach up to `at`, that the figures take up.
double share_left(const Chart& chart, double lowest, double highest, double at) {
  if (chart.figure_scale == ChartScale::linear) {
    const double from = chart.figures_from_zero ? 0 : lowest;
    return (highest - from) / (at - from);
  }
  return std::log(highest / lowest) / std::log(at / lowest);
}

}  // namespace

std::vector<ChartReference> references_of(const Chart& chart, const RunResults& results) {
  constexpr double least_share = 0.2;
  const std::string& metric = chart.metric.name;
  if (chart.kind == ChartKind::heatmap || chart.metric.origin != Origin::measured ||
      (metric != "bandwidth" && metric != "percent_of_peak")) {
    return {};
  }
  const std::vector<double> figures = figures_of(chart);
  if (figures.empty()) return {};
  const double lowest = std::ranges::min(figures);
  const double highest = std::ranges::max(figures);
  std::vector<ChartReference> references;
  const auto add = [&](const std::string& what, std::optional<double> at, bool with_figure) {
    if (!at || *at <= 0) return;
    if (*at > highest && share_left(chart, lowest, highest, *at) < least_share) return;
    references.push_back(
        {*at, with_figure ? what + ": " + describe_figure(chart.metric, *at) : what});
  };
  add("theoretical peak", theoretical_peak(metric, results.run.provenance.device),
      metric != "percent_of_peak");
  const auto measured = highest_measured(chart.metric, results);
  if (measured && *measured > highest) add("highest measured", measured, true);
  return references;
}

}  // namespace sweep
