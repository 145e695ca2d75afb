#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "report/charts/chart.h"
#include "report/charts/chart_colours.h"

namespace sweep {
namespace {

/// Whole pixels: a small picture stands on a page many times, and has to be short.
constexpr double small_width = 480;
constexpr double small_height = 200;
constexpr double small_edge = 8;
constexpr double small_gap = 16;
constexpr std::size_t most_small_panels = 4;

std::string small_path(const std::string& path, std::string_view attributes) {
  return path.empty() ? path : fmt::format("<path {} d=\"{}\"/>", attributes, path);
}

/// Every n-th of the ticks, so that no more are left than `most`, by where they stand.
std::map<double, std::size_t> thinned(const std::vector<ChartTick>& ticks, std::size_t most) {
  std::map<double, std::size_t> places;
  const std::size_t step = (ticks.size() + most - 1) / most;
  for (std::size_t i = 0; i < ticks.size(); i += std::max<std::size_t>(step, 1)) {
    places.emplace(ticks[i].at, places.size());
  }
  return places;
}

/// One panel of a chart.
class SmallPanel {
 public:
  SmallPanel(const Chart& chart, std::size_t panel, const ChartBox& box)
      : chart_(chart),
        panel_(panel),
        box_(box),
        figures_(figure_axis_of(chart, 3)),
        x_(chart.is_scatter() ? second_figure_axis_of(chart, 3) : parameter_axis_of(chart.x)) {}

  std::string draw() const {
    if (chart_.is_heatmap()) return cells();
    std::string svg;
    for (const ChartTick& reference : chart_.references) {
      svg += small_path(
          fmt::format("M{:.0f} {:.0f}H{:.0f}", box_.left, y_at(reference.at), box_.right),
          "class=\"peak\"");
    }
    for (std::size_t i = 0; i < chart_.series.size(); ++i) svg += series(i);
    return svg + small_path(fmt::format("M{:.0f} {:.0f}V{:.0f}H{:.0f}", box_.left, box_.top,
                                        box_.bottom, box_.right),
                            "class=\"axes\"");
  }

 private:
  double x_at(double x) const { return box_.left + x_.share_of(x) * box_.width(); }
  double y_at(double y) const { return box_.bottom - figures_.share_of(y) * box_.height(); }

  std::string series(std::size_t number) const {
    constexpr std::size_t most_marks = 160;
    constexpr std::size_t most_dots = 24;
    const std::vector<ChartMark> marks = marks_of(chart_, panel_, number);
    const std::size_t step = std::max<std::size_t>(marks.size() / most_marks, 1);
    const bool is_line = chart_.kind == ChartKind::line;
    const double bar = bar_width();
    std::string path;
    std::string dots;
    bool is_down = false;
    for (std::size_t i = 0; i < marks.size(); i += step) {
      const ChartMark& mark = marks[i];
      if (!mark.figure) {
        is_down = false;
        continue;
      }
      const double x = x_at(mark.x);
      const double y = y_at(*mark.figure);
      if (chart_.kind == ChartKind::bar) {
        const double middle =
            (static_cast<double>(number) + 0.5 - static_cast<double>(chart_.series.size()) / 2) *
            bar;
        path += fmt::format("M{:.1f} {:.0f}V{:.0f}", x + middle, box_.bottom, y);
      } else {
        if (is_line) path += fmt::format("{}{:.0f} {:.0f}", is_down ? 'L' : 'M', x, y);
        // A line of no length with round ends is a dot.
        if (!is_line || marks.size() <= most_dots) dots += fmt::format("M{:.0f} {:.0f}h0", x, y);
      }
      is_down = true;
    }
    const std::string colour = fmt::format("style=\"stroke:var(--series-{})", number % most_series);
    const std::string width =
        chart_.kind == ChartKind::bar ? fmt::format(";stroke-width:{:.1f}", bar * 0.92) : "";
    return small_path(path, colour + width + '"') + small_path(dots, colour + "\" class=\"dots\"");
  }

  /// Of the bars of one category, side by side.
  double bar_width() const {
    const double places = static_cast<double>(std::max<std::size_t>(chart_.x.ticks.size(), 1));
    return box_.width() * 0.8 / places / static_cast<double>(chart_.series.size());
  }

  std::string cells() const {
    constexpr std::size_t most_columns = 32;
    constexpr std::size_t most_rows = 16;
    const auto columns = thinned(chart_.x.ticks, most_columns);
    const auto rows = thinned(chart_.y.ticks, most_rows);
    const double width =
        box_.width() / static_cast<double>(std::max<std::size_t>(columns.size(), 1));
    const double height =
        box_.height() / static_cast<double>(std::max<std::size_t>(rows.size(), 1));
    std::array<std::string, viridis.size()> paths;
    for (const ChartMark& mark : chart_.marks) {
      const auto column = columns.find(mark.x);
      const auto row = rows.find(mark.y);
      if (mark.panel != panel_ || !mark.figure || column == columns.end() || row == rows.end())
        continue;
      const double share = std::clamp(figures_.share_of(*mark.figure), 0.0, 1.0);
      const auto colour = static_cast<std::size_t>(std::min(
          share * static_cast<double>(paths.size()), static_cast<double>(paths.size() - 1)));
      paths.at(colour) += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z",
                                      box_.left + static_cast<double>(column->second) * width,
                                      box_.bottom - static_cast<double>(row->second + 1) * height,
                                      width, height, -width);
    }
    std::string svg;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      svg += small_path(paths[i], fmt::format("style=\"fill:#{:06x};stroke:none\"", viridis[i]));
    }
    return svg;
  }

  const Chart& chart_;
  std::size_t panel_;
  ChartBox box_;
  DrawnAxis figures_;
  DrawnAxis x_;
};

}  // namespace

std::string draw_small_chart(const Chart& chart) {
  const std::size_t panels =
      std::min(std::max<std::size_t>(chart.panels.size(), 1), most_small_panels);
  const double width = (small_width - 2 * small_edge + small_gap) / static_cast<double>(panels);
  std::string svg = fmt::format(
      "<svg class=\"small\" viewBox=\"0 0 {:g} {:g}\" role=\"img\" "
      "aria-label=\"{}\">",
      small_width, small_height, escape_svg(chart.title));
  for (std::size_t i = 0; i < panels; ++i) {
    const double left = small_edge + static_cast<double>(i) * width;
    svg += SmallPanel(chart, i,
                      {left, small_edge, left + width - small_gap, small_height - small_edge})
               .draw();
  }
  return svg + "</svg>";
}

}  // namespace sweep
