#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/text/units.h"
#include "report/compare/run_comparison.h"
#include "report/html/page_parts.h"

namespace sweep {
namespace {

/// Ratios beyond are drawn at the edge.
constexpr double farthest = 64;

/// Where ratios lie in the plot, with some room beyond all of the rows' and the threshold's.
struct RatioScale {
  double low = 0;  ///< logarithms
  double high = 0;

  RatioScale(const std::vector<ComparisonRow>& rows, double threshold) {
    constexpr double margin = 0.04;
    double least = 1 / (1 + threshold) / 1.01;
    double most = (1 + threshold) * 1.01;
    for (const ComparisonRow& row : rows) {
      const Interval ends = row.change->ratio.ends();
      least = std::min(least, std::max(ends.low, 1 / farthest));
      most = std::max(most, std::min(ends.high, farthest));
    }
    const double room = margin * std::log(most / least);
    low = std::log(least) - room;
    high = std::log(most) + room;
  }

  bool holds(double ratio) const { return low <= std::log(ratio) && std::log(ratio) <= high; }
  /// In % of the plot's width.
  double operator()(double ratio) const {
    const double at = std::log(std::clamp(ratio, 1 / farthest, farthest));
    return std::clamp((at - low) / (high - low), 0.0, 1.0) * 100;
  }
};

/// Ticks at round ratios, from 1 outwards, none too near another.
std::string plot_axis(const RatioScale& scale) {
  constexpr std::array ratios = {1.0, 2.0, 0.5, 4.0, 0.25, 8.0,  0.125, 16.0, 0.0625, 32.0, 1.5,
                                 1.2, 0.8, 1.1, 0.9, 1.05, 0.95, 1.02,  0.98, 1.01,   0.99};
  constexpr double nearest = 13;
  std::vector<double> places;
  std::string text = "<div class=\"row\"><span class=\"label\"></span><div class=\"axis\">";
  for (const double ratio : ratios) {
    const double place = scale(ratio);
    const bool is_crowded = std::ranges::any_of(
        places, [&](double other) { return std::abs(place - other) < nearest; });
    if (!scale.holds(ratio) || is_crowded) continue;
    places.push_back(place);
    const char* edge = place < 5 ? " class=\"first\"" : place > 95 ? " class=\"last\"" : "";
    text += fmt::format("<span{} style=\"left:{:.2f}%\">{:g}</span>", edge, place, ratio);
  }
  return text + "</div><span class=\"dim\">B / A</span></div>\n";
}

std::string plot_row(const ComparisonRow& row, const RatioScale& scale,
                     const std::vector<ParameterValues>& parameters) {
  const auto& [change, before, after, ratio] = *row.change;
  const bool is_plain = change == Change::same || change == Change::changed;
  const std::string_view kind = is_plain ? "dim" : to_string(change);
  const double band_low = scale(1 / (1 + row.metric->threshold));
  std::string text = fmt::format(
      "<div class=\"row\"><span class=\"label\">{0}</span>"
      "<svg class=\"{1}\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{2}\"><title>{2}</title>"
      "<rect class=\"band\" x=\"{3:.3f}\" y=\"0\" width=\"{4:.3f}\" height=\"10\"/>"
      "<line class=\"one\" x1=\"{5:.3f}\" x2=\"{5:.3f}\" y1=\"0\" y2=\"10\"/>",
      escape_html(describe(*row.configuration, parameters)), kind,
      escape_html(describe_ratio(ratio)), band_low, scale(1 + row.metric->threshold) - band_low,
      scale(1));
  if (const Interval ends = ratio.ends(); ends.low < ends.high) {
    text += fmt::format("<line class=\"range\" x1=\"{:.3f}\" x2=\"{:.3f}\" y1=\"5\" y2=\"5\"/>",
                        scale(ends.low), scale(ends.high));
  }
  return text + fmt::format(
                    "<line class=\"mark\" x1=\"{0:.3f}\" x2=\"{0:.3f}\" y1=\"2\" y2=\"8\"/></svg>"
                    "<span class=\"{1}\">{2}</span></div>\n",
                    scale(ratio.value), kind,
                    escape_html(describe_change(*row.change, *row.metric)));
}

}  // namespace

std::string write_forest_plot(const RunComparison& comparison, std::size_t metric,
                              std::size_t most) {
  std::vector<ComparisonRow> rows;
  for (const ComparisonRow& row : all_rows(comparison)) {
    if (row.metric != &comparison.metrics[metric]) continue;
    if (row.change->change != Change::missing) rows.push_back(row);
  }
  const std::size_t equal = std::erase_if(rows, [](const ComparisonRow& row) {
    const Interval ends = row.change->ratio.ends();
    return ends.low == 1 && ends.high == 1;
  });
  if (rows.empty()) return {};
  const std::size_t all = rows.size();
  if (all > most) {
    std::ranges::stable_sort(rows, std::greater(), [&](const ComparisonRow& row) {
      return std::abs(std::log(std::clamp(row.cost(), 1 / farthest, farthest)));
    });
    rows.resize(most);
  }
  std::ranges::stable_sort(rows, std::greater(), &ComparisonRow::cost);
  const RatioScale scale(rows, comparison.metrics[metric].threshold);
  std::string text =
      "<p class=\"dim\">B / A with its 95 % interval, the worst at the top; the band is what "
      "counts as the same";
  if (rows.size() < all) {
    text += fmt::format("; the {} of {} that are the farthest from 1", rows.size(),
                        format_thousands(all));
  }
  if (equal > 0) {
    text += fmt::format("; {} with equal figures {} left out", format_thousands(equal),
                        equal == 1 ? "is" : "are");
  }
  text += ".</p>\n<div class=\"forest\">\n" + plot_axis(scale);
  for (const ComparisonRow& row : rows) {
    text += plot_row(row, scale, comparison.parameters);
  }
  return text + "</div>\n";
}

}  // namespace sweep
