#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/text/units.h"
#include "report/compare/comparison_report.h"
#include "report/compare/comparison_words.h"
#include "report/html/html_text.h"

namespace sweep {
namespace {

/// Ratios beyond are drawn at the edge.
constexpr double farthest = 64;

/// Where ratios lie in the plot, in % of its width.
class Scale {
 public:
  Scale(double least, double most) {
    constexpr double margin = 0.04;
    const double low = std::log(least);
    const double high = std::log(most);
    low_ = low - margin * (high - low);
    width_ = (high - low) * (1 + 2 * margin);
  }
  double operator()(double ratio) const {
    const double place = (std::log(std::clamp(ratio, 1 / farthest, farthest)) - low_) / width_;
    return std::clamp(place, 0.0, 1.0) * 100;
  }
  bool holds(double ratio) const {
    const double place = (std::log(ratio) - low_) / width_;
    return place >= 0 && place <= 1;
  }

 private:
  double low_ = 0;
  double width_ = 1;
};

struct PlotRow {
  const ConfigurationComparison* configuration = nullptr;
  const MetricChange* change = nullptr;
};

std::vector<PlotRow> rows_of(const RunComparison& comparison, std::size_t metric) {
  std::vector<PlotRow> rows;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.changes.empty() || each.changes[metric].change == Change::missing) continue;
    rows.push_back({&each, &each.changes[metric]});
  }
  return rows;
}

Interval ends_of(const Ratio& ratio) {
  return ratio.interval.value_or(Interval{ratio.value, ratio.value});
}

Scale scale_of(const std::vector<PlotRow>& rows, double threshold) {
  double least = 1 / (1 + threshold) / 1.01;
  double most = (1 + threshold) * 1.01;
  for (const PlotRow& row : rows) {
    const Interval ends = ends_of(row.change->ratio);
    least = std::min(least, std::max(ends.low, 1 / farthest));
    most = std::max(most, std::min(ends.high, farthest));
  }
  return {least, most};
}

/// Ticks at round ratios, from 1 outwards, none too near another.
std::string write_axis(const Scale& scale) {
  constexpr std::array ratios = {1.0, 2.0, 0.5, 4.0, 0.25, 8.0,  0.125, 16.0, 0.0625, 32.0, 1.5,
                                 1.2, 0.8, 1.1, 0.9, 1.05, 0.95, 1.02,  0.98, 1.01,   0.99};
  constexpr double nearest = 13;
  std::vector<double> places;
  std::string text = "<div class=\"row\"><span class=\"label\"></span><div class=\"axis\">";
  for (const double ratio : ratios) {
    if (!scale.holds(ratio)) continue;
    const double place = scale(ratio);
    const bool crowded = std::ranges::any_of(
        places, [&](double other) { return std::abs(place - other) < nearest; });
    if (crowded) continue;
    places.push_back(place);
    const char* edge = place < 5 ? " class=\"first\"" : place > 95 ? " class=\"last\"" : "";
    text += fmt::format("<span{} style=\"left:{:.2f}%\">{:g}</span>", edge, place, ratio);
  }
  return text + "</div><span class=\"dim\">B / A</span></div>\n";
}

std::string_view row_class(Change change) {
  const bool is_shown = change != Change::same && change != Change::changed;
  return is_shown ? to_string(change) : "dim";
}

std::string write_row(const PlotRow& row, const ComparedMetric& metric, const Scale& scale,
                      const std::vector<ParameterValues>& parameters) {
  const Ratio& ratio = row.change->ratio;
  const Interval ends = ends_of(ratio);
  const double band_low = scale(1 / (1 + metric.threshold));
  const double band_high = scale(1 + metric.threshold);
  const std::string_view kind = row_class(row.change->change);
  const std::string label = escape_html(describe(*row.configuration, parameters));
  const std::string words = escape_html(describe_change(*row.change, metric));
  std::string text = fmt::format(
      "<div class=\"row\"><span class=\"label\">{}</span>"
      "<svg class=\"{}\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{}\"><title>{}</title>"
      "<rect class=\"band\" x=\"{:.3f}\" y=\"0\" width=\"{:.3f}\" height=\"10\"/>"
      "<line class=\"one\" x1=\"{:.3f}\" x2=\"{:.3f}\" y1=\"0\" y2=\"10\"/>",
      label, kind, escape_html(describe_ratio(ratio)), escape_html(describe_ratio(ratio)), band_low,
      band_high - band_low, scale(1), scale(1));
  if (ends.low < ends.high) {
    text += fmt::format("<line class=\"range\" x1=\"{:.3f}\" x2=\"{:.3f}\" y1=\"5\" y2=\"5\"/>",
                        scale(ends.low), scale(ends.high));
  }
  text += fmt::format(
      "<line class=\"mark\" x1=\"{0:.3f}\" x2=\"{0:.3f}\" y1=\"2\" y2=\"8\"/></svg>"
      "<span class=\"{1}\">{2}</span></div>\n",
      scale(ratio.value), kind, words);
  return text;
}

}  // namespace

std::string write_forest_plot(const RunComparison& comparison, std::size_t metric,
                              std::size_t most) {
  const ComparedMetric& compared = comparison.metrics[metric];
  std::vector<PlotRow> rows = rows_of(comparison, metric);
  const std::size_t equal = std::erase_if(rows, [](const PlotRow& row) {
    const Interval ends = ends_of(row.change->ratio);
    return ends.low == 1 && ends.high == 1;
  });
  if (rows.empty()) return {};
  const auto cost = [&](const PlotRow& row) { return cost_of(*row.change, compared).value; };
  const std::size_t all = rows.size();
  if (all > most) {
    const auto distance = [&](const PlotRow& row) {
      return std::abs(std::log(std::clamp(cost(row), 1 / farthest, farthest)));
    };
    std::ranges::stable_sort(
        rows, [&](const PlotRow& a, const PlotRow& b) { return distance(a) > distance(b); });
    rows.resize(most);
  }
  std::ranges::stable_sort(rows,
                           [&](const PlotRow& a, const PlotRow& b) { return cost(a) > cost(b); });
  const Scale scale = scale_of(rows, compared.threshold);
  const std::vector<ParameterValues>& parameters = comparison.parameters;
  std::string text = fmt::format(
      "<p class=\"dim\">B / A with its 95 % interval, the worst at the top; the band is what "
      "counts "
      "as the same{}{}.</p>\n<div class=\"forest\">\n",
      rows.size() < all ? fmt::format("; the {} of {} that are the farthest from 1", rows.size(),
                                      format_thousands(all))
                        : "",
      equal > 0 ? fmt::format("; {} with equal figures {} left out", format_thousands(equal),
                              equal == 1 ? "is" : "are")
                : "");
  text += write_axis(scale);
  for (const PlotRow& row : rows) text += write_row(row, compared, scale, parameters);
  return text + "</div>\n";
}

}  // namespace sweep
