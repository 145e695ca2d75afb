#include "report/charts/gnuplot_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/text/units.h"
#include "report/charts/chart_style.h"
#include "report/charts/gnuplot_text.h"

namespace sweep {
namespace {

constexpr double bars_share = 0.8;  ///< of a category's width
constexpr double small_size = 10;   ///< of figures beside or on marks

/// "4254", "0.5", "33.55 M": digits, a point, a sign, an exponent and a unit, nothing else.
std::string mark_label(double figure) {
  constexpr double fewest_with_unit = 1e6;
  if (figure < fewest_with_unit && figure >= 1000) return fmt::format("{:.0f}", figure);
  return figure >= fewest_with_unit ? tick_label(figure) : fmt::format("{:.4g}", figure);
}

/// A data block's text and the elements of the plot command, which follow all blocks.
class PanelScript {
 public:
  PanelScript(const Chart& chart, const ChartGeometry& geometry, std::size_t panel)
      : chart_(chart),
        geometry_(geometry),
        panel_(chart.panels[panel]),
        box_(geometry.panels[panel]) {}

  std::string write() {
    for (std::size_t i = 0; i < chart_.references.size(); ++i) {
      plot(fmt::format("{} with lines {}", chart_.references[i].at, reference_style(i)));
    }
    if (chart_.kind == ChartKind::heatmap) {
      add_cells();
    } else {
      for (std::size_t i = 0; i < panel_.series.size(); ++i) {
        if (chart_.kind == ChartKind::line) {
          add_line(i);
        } else {
          add_bars(i);
        }
      }
      add_failed();
    }
    // An empty panel has its axes all the same.
    if (plots_.empty()) plot(fmt::format("{} with lines lw 0", geometry_.figures.from));
    return blocks_ + "plot " + plots_ + '\n';
  }

 private:
  /// Adds a data block and gives its name.
  std::string block(const std::string& lines) {
    const std::string name = fmt::format("$data{}", count_++);
    blocks_ += name + " << EOD\n" + lines + "EOD\n";
    return name;
  }

  void plot(const std::string& element) {
    plots_ += (plots_.empty() ? "" : ", \\\n     ") + element + " notitle";
  }

  void add_line(std::size_t series) {
    constexpr std::size_t most_points = 80;
    const std::vector<ChartMark>& marks = panel_.series[series].marks;
    std::string line;
    std::string band;
    for (const ChartMark& mark : marks) {
      // An empty line ends a stroke.
      line += mark.figure ? fmt::format("{} {}\n", mark.x, *mark.figure) : "\n";
      band +=
          mark.low && mark.high ? fmt::format("{} {} {}\n", mark.x, *mark.low, *mark.high) : "\n";
    }
    const auto has_figure = [](const ChartMark& mark) { return mark.figure.has_value(); };
    if (std::ranges::none_of(marks, has_figure)) return;
    if (std::ranges::any_of(marks, [](const ChartMark& mark) { return mark.low.has_value(); })) {
      const std::string name = block(band);
      plot(fmt::format(
          "{} using 1:2:3 with filledcurves lc rgb '{}' fs transparent solid 0.22 noborder", name,
          series_colour(series)));
    }
    const bool has_points = marks.size() <= most_points;
    plot(fmt::format("{} using 1:2 with {} {} {}", block(line),
                     has_points ? "linespoints" : "lines", line_style(series),
                     has_points ? point_style(series) : ""));
  }

  double bar_width() const {
    return bars_share / static_cast<double>(std::max<std::size_t>(panel_.series.size(), 1));
  }

  double bar_middle(const ChartMark& mark, std::size_t series) const {
    return mark.x - bars_share / 2 + (static_cast<double>(series) + 0.5) * bar_width();
  }

  double pixels_per_bar() const {
    return box_.width() / (geometry_.x_to - geometry_.x_from) * bar_width();
  }

  void add_bars(std::size_t series) {
    constexpr double bar_gap = 0.92;
    std::string bars;
    std::string whiskers;
    std::string figures;
    double widest = 0;
    for (const ChartMark& mark : panel_.series[series].marks) {
      if (!mark.figure) continue;
      const double at = bar_middle(mark, series);
      bars += fmt::format("{} {} {}\n", at, *mark.figure, bar_width() * bar_gap);
      if (mark.low && mark.high) {
        whiskers += fmt::format("{} {} {}\n", at, *mark.low, *mark.high);
      }
      const std::string shown = mark_label(*mark.figure);
      widest = std::max(widest, text_width(shown, small_size));
      figures += fmt::format("{} {} \"{}\"\n", at, mark.high.value_or(*mark.figure), shown);
    }
    if (bars.empty()) return;
    plot(fmt::format("{} using 1:2:3 with boxes lc rgb '{}' fs solid 0.9 noborder", block(bars),
                     series_colour(series)));
    if (!whiskers.empty()) {
      plot(fmt::format("{} using 1:2:(0):($3-$2) with vectors nohead lc rgb '{}' lw 1.4",
                       block(whiskers), ink_colour.light));
    }
    if (pixels_per_bar() > widest + 4) {
      plot(fmt::format(
          "{} using 1:2:(stringcolumn(3)) with labels offset 0,0.7 font ',10' tc rgb '{}'",
          block(figures), ink_colour.light));
    }
  }

  /// Crosses just above the axis.
  void add_failed() {
    std::string lines;
    for (std::size_t i = 0; i < panel_.series.size(); ++i) {
      for (const ChartMark& mark : panel_.series[i].marks) {
        if (mark.figure) continue;
        const double at = chart_.kind == ChartKind::bar ? bar_middle(mark, i) : mark.x;
        lines += fmt::format("{} 0.03\n", at);
      }
    }
    if (lines.empty()) return;
    const FigureAxis& axis = geometry_.figures;
    const std::string height = axis.scale == ChartScale::linear
                                   ? fmt::format("({}+$2*{})", axis.from, axis.to - axis.from)
                                   : fmt::format("({}*{}**$2)", axis.from, axis.to / axis.from);
    plot(fmt::format("{} using 1:{} with points pt 2 ps 0.8 lw 1.6 lc rgb '{}'", block(lines),
                     height, ink_colour.light));
  }

  void add_cells() {
    std::string cells;
    std::string figures;
    std::string failed;
    double widest = 0;
    for (const ChartSeries& series : panel_.series) {
      for (const ChartMark& mark : series.marks) {
        if (!mark.figure) {
          failed += fmt::format("{} {}\n", mark.x, mark.y);
          continue;
        }
        const unsigned colour = viridis_at(geometry_.figures.share_of(*mark.figure));
        cells += fmt::format("{} {} 0.5 0.5 {}\n", mark.x, mark.y, colour);
        const std::string_view text = is_light(colour) ? dark_cell_text : light_cell_text;
        const std::string shown = mark_label(*mark.figure);
        widest = std::max(widest, text_width(shown, small_size));
        figures += fmt::format("{} {} \"{}\" 0x{}\n", mark.x, mark.y, shown, text.substr(1));
      }
    }
    if (!cells.empty()) {
      plot(block(cells) + " using 1:2:3:4:5 with boxxyerror lc rgb variable fs solid 1 noborder");
    }
    if (!failed.empty()) {
      const std::string name = block(failed);
      plot(fmt::format("{} using 1:2:(0.5):(0.5) with boxxyerror lc rgb '{}' fs solid 1 noborder",
                       name, failed_colour.light));
      plot(fmt::format("{} using 1:2 with points pt 2 ps 1.2 lw 1.4 lc rgb '{}'", name,
                       ink_colour.light));
    }
    if (!figures.empty() && have_room_for(widest)) {
      plot(fmt::format("{} using 1:2:(stringcolumn(3)):4 with labels font ',10' tc rgb variable",
                       block(figures)));
    }
  }

  bool have_room_for(double widest) const {
    const double width = box_.width() / (geometry_.x_to - geometry_.x_from);
    const double height = box_.height() / static_cast<double>(chart_.y.ticks.size());
    return width > widest + 4 && height > 1.4 * small_size;
  }

  const Chart& chart_;
  const ChartGeometry& geometry_;
  const ChartPanel& panel_;
  const ChartBox& box_;
  std::size_t count_ = 0;
  std::string blocks_;
  std::string plots_;
};

}  // namespace

std::string series_colour(std::size_t series) {
  return std::string(series_colours[series % series_colours.size()].light);
}

std::string line_style(std::size_t series) {
  constexpr std::array<std::string_view, 4> dashes = {"1", "(9,3)", "(3,3)", "(9,3,2,3)"};
  return fmt::format("lc rgb '{}' lw 2 dt {}", series_colour(series),
                     dashes[series % dashes.size()]);
}

std::string point_style(std::size_t series) {
  constexpr std::array<int, 8> points = {7, 5, 9, 13, 11, 6, 4, 8};
  return fmt::format("pt {} ps 0.75", points[series % points.size()]);
}

std::string reference_style(std::size_t reference) {
  return fmt::format("lc rgb '{}' lw 1.3 dt {}", axis_colour.light,
                     reference % 2 == 0 ? "(7,5)" : "(2,4)");
}

std::string panel_marks(const Chart& chart, const ChartGeometry& geometry, std::size_t panel) {
  return PanelScript(chart, geometry, panel).write();
}

}  // namespace sweep
