#include "report/charts/draw_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "report/charts/chart_geometry.h"
#include "report/charts/svg_picture.h"
#include "report/display_text.h"

namespace sweep {
namespace {

constexpr double small_size = 10;   ///< of figures beside or on marks
constexpr double bars_share = 0.8;  ///< of a category's width
constexpr double bar_opacity = 0.9;
constexpr std::string_view cross = "m-3.5-3.5l7 7m0-7l-7 7";
// Texts on a heatmap's cells, whose colours are the same on any ground.
constexpr std::string_view light_cell_text = "#fffffe";
constexpr std::string_view dark_cell_text = "#000002";

std::string_view series_dashes(std::size_t series) {
  constexpr std::array<std::string_view, 4> dashes = {"", "9 3", "3 3", "9 3 2 3"};
  return dashes[series % dashes.size()];
}

std::string_view reference_dashes(std::size_t reference) {
  return reference % 2 == 0 ? "7 5" : "2 4";
}

/// In the middle of a pixel, where a line of one pixel is sharp.
double crisp(double at) {
  return std::floor(at) + 0.5;
}

std::string level_line(double left, double right, double y) {
  return fmt::format("M{:.5g} {:.5g}H{:.5g}", left, y, right);
}

std::string rectangle(double left, double top, double width, double height) {
  return fmt::format("M{:.5g} {:.5g}h{:.5g}v{:.5g}h{:.5g}z", left, top, width, height, -width);
}

std::string symbol_at(double x, double y, std::string_view symbol) {
  return fmt::format("M{:.5g} {:.5g}{}", x, y, symbol);
}

/// "4254", "0.5", "33.55 M"
std::string mark_label(double figure) {
  constexpr double fewest_with_unit = 1e6;
  if (figure < fewest_with_unit && figure >= 1000) return fmt::format("{:.0f}", figure);
  return figure >= fewest_with_unit ? tick_label(figure) : fmt::format("{:.4g}", figure);
}

/// Whether a dark text stands out on the colour better than a light one.
bool is_light(unsigned colour) {
  // The luma of Rec. 601.
  constexpr double middle = 150;
  const auto channel = [&](unsigned shift) {
    return static_cast<double>((colour >> shift) & 0xffU);
  };
  return 0.299 * channel(16) + 0.587 * channel(8) + 0.114 * channel(0) > middle;
}

/// One panel: its axes and what stands between them.
class PanelDrawer {
 public:
  PanelDrawer(const Chart& chart, const ChartGeometry& geometry, std::size_t panel,
              SvgPicture& picture)
      : chart_(chart),
        geometry_(geometry),
        panel_(chart.panels[panel]),
        box_(geometry.panels[panel]),
        picture_(picture) {}

  void draw() {
    constexpr double raised = 10;
    const auto columns = static_cast<std::size_t>(box_.width() / text_width("n", text_size));
    picture_.write(cut_to_width(panel_.title, columns, true), box_.left, box_.top - raised,
                   {text_size});
    if (chart_.kind == ChartKind::heatmap) {
      add_rows(geometry_.rows);
      add_columns();
      add_cells();
      return;
    }
    add_grid();
    for (std::size_t i = 0; i < panel_.series.size(); ++i) {
      if (chart_.kind == ChartKind::line) {
        add_line(i);
      } else {
        add_bars(i);
      }
    }
    add_failed();
    add_rows(geometry_.figures);
    add_columns();
    picture_.stroke(fmt::format("M{0:.5g} {1:.5g}V{2:.5g}H{3:.5g}", crisp(box_.left), box_.top,
                                crisp(box_.bottom), box_.right),
                    axis_colour.light, 1);
  }

 private:
  double x_at(double x) const { return box_.left + geometry_.x.share_of(x) * box_.width(); }
  double y_at(const DrawnAxis& axis, double y) const {
    return box_.bottom - axis.share_of(y) * box_.height();
  }
  double height_of(double figure) const { return y_at(geometry_.figures, figure); }

  void add_grid() {
    std::string grid;
    for (const ChartTick& tick : geometry_.figures.ticks) {
      grid += level_line(box_.left, box_.right, crisp(height_of(tick.at)));
    }
    picture_.stroke(grid, grid_colour.light, 1);
    for (std::size_t i = 0; i < chart_.references.size(); ++i) {
      picture_.stroke(level_line(box_.left, box_.right, crisp(height_of(chart_.references[i].at))),
                      axis_colour.light, 1.3, reference_dashes(i));
    }
  }

  /// Ticks to the left of the axis; of panels side by side the first has labels.
  void add_rows(const DrawnAxis& axis) {
    const bool has_labels = box_.left == geometry_.panels.front().left;
    std::string ticks;
    for (const ChartTick& tick : axis.ticks) {
      const double y = y_at(axis, tick.at);
      ticks += level_line(box_.left - 4, box_.left, crisp(y));
      if (has_labels) {
        picture_.write(tick.label, box_.left - 9, y, {tick_size, ink_colour.light, "end"});
      }
    }
    picture_.stroke(ticks, axis_colour.light, 1);
  }

  void add_columns() {
    constexpr std::size_t most_ticks = 128;  // more would be a bar
    const std::vector<ChartTick>& all = geometry_.x.ticks;
    std::string ticks;
    for (const ChartTick& tick : all) {
      const double x = x_at(tick.at);
      if (tick.label.empty() && all.size() > most_ticks) continue;
      ticks += fmt::format("M{:.5g} {:.5g}v4", crisp(x), box_.bottom);
      if (geometry_.x_labels.are_slanted) {
        picture_.write(tick.label, x + 3, box_.bottom + 12,
                       {tick_size, ink_colour.light, "end", -35});
      } else {
        picture_.write(tick.label, x, box_.bottom + 14, {tick_size, ink_colour.light, "middle"});
      }
    }
    picture_.stroke(ticks, axis_colour.light, 1);
  }

  void add_line(std::size_t series) {
    constexpr std::size_t most_symbols = 80;
    constexpr double band_opacity = 0.22;
    const std::vector<ChartMark>& marks = panel_.series[series].marks;
    const std::string_view colour = series_colour(series).light;
    std::string line;
    std::string symbols;
    std::string band;
    std::string upper;  // of the band's part that is being drawn
    std::string lower;  // backwards
    const auto end_band = [&] {
      if (!upper.empty()) band += 'M' + upper.substr(1) + lower + 'z';
      upper.clear();
      lower.clear();
    };
    bool is_down = false;  // the pen
    for (const ChartMark& mark : marks) {
      const double x = x_at(mark.x);
      if (mark.figure) {
        const double y = height_of(*mark.figure);
        line += fmt::format("{}{:.5g} {:.5g}", is_down ? 'L' : 'M', x, y);
        symbols += symbol_at(x, y, series_symbol(series));
      }
      is_down = mark.figure.has_value();
      if (mark.low && mark.high) {
        upper += fmt::format("L{:.5g} {:.5g}", x, height_of(*mark.high));
        lower.insert(0, fmt::format("L{:.5g} {:.5g}", x, height_of(*mark.low)));
      } else {
        end_band();
      }
    }
    end_band();
    if (!band.empty()) picture_.fill(band, colour, band_opacity);
    picture_.stroke(line, colour, 2, series_dashes(series));
    if (marks.size() <= most_symbols) picture_.fill(symbols, colour);
  }

  /// Of a category's width 1.
  double bar_width() const { return bars_share / static_cast<double>(panel_.series.size()); }

  double bar_middle(const ChartMark& mark, std::size_t series) const {
    return x_at(mark.x - bars_share / 2 + (static_cast<double>(series) + 0.5) * bar_width());
  }

  double pixels_of(double x) const { return x_at(x) - x_at(0); }

  void add_bars(std::size_t series) {
    constexpr double bar_gap = 0.92;
    const DrawnAxis& axis = geometry_.figures;
    const bool is_linear = axis.scale == ChartScale::linear;
    const double foot = is_linear ? height_of(std::clamp(0.0, axis.from, axis.to)) : box_.bottom;
    const double width = pixels_of(bar_width()) * bar_gap;
    std::string bars;
    std::string whiskers;
    double widest = 0;
    for (const ChartMark& mark : panel_.series[series].marks) {
      if (!mark.figure) continue;
      const double at = bar_middle(mark, series);
      const double y = height_of(*mark.figure);
      bars += rectangle(at - width / 2, std::min(y, foot), width, std::abs(foot - y));
      if (mark.low && mark.high) {
        whiskers +=
            fmt::format("M{:.5g} {:.5g}V{:.5g}", at, height_of(*mark.low), height_of(*mark.high));
      }
      widest = std::max(widest, text_width(mark_label(*mark.figure), small_size));
    }
    picture_.fill(bars, series_colour(series).light, bar_opacity);
    picture_.stroke(whiskers, ink_colour.light, 1.4);
    if (pixels_of(bar_width()) <= widest + 4) return;
    for (const ChartMark& mark : panel_.series[series].marks) {
      if (!mark.figure) continue;
      picture_.write(mark_label(*mark.figure), bar_middle(mark, series),
                     height_of(mark.high.value_or(*mark.figure)) - 8,
                     {small_size, ink_colour.light, "middle"});
    }
  }

  /// Crosses just above the axis.
  void add_failed() {
    constexpr double raised = 8;
    std::string crosses;
    for (std::size_t i = 0; i < panel_.series.size(); ++i) {
      for (const ChartMark& mark : panel_.series[i].marks) {
        if (mark.figure) continue;
        const double x = chart_.kind == ChartKind::bar ? bar_middle(mark, i) : x_at(mark.x);
        crosses += symbol_at(x, box_.bottom - raised, cross);
      }
    }
    picture_.stroke(crosses, ink_colour.light, 1.6);
  }

  void add_cells() {
    const double width = pixels_of(1);
    const double height = box_.height() / static_cast<double>(chart_.y.ticks.size());
    double widest = 0;
    std::string failed;
    std::string crosses;
    const auto for_each_mark = [&](const auto& work) {
      for (const ChartSeries& series : panel_.series) {
        for (const ChartMark& mark : series.marks) {
          work(mark, x_at(mark.x), y_at(geometry_.rows, mark.y));
        }
      }
    };
    for_each_mark([&](const ChartMark& mark, double x, double y) {
      // A little overlap, over which the next cells are drawn, hides the seams.
      constexpr double overlap = 0.5;
      const std::string cell =
          rectangle(x - width / 2, y - height / 2 - overlap, width + overlap, height + overlap);
      if (mark.figure) {
        picture_.fill(cell, fmt::format("#{:06x}", colour_of(*mark.figure)));
        widest = std::max(widest, text_width(mark_label(*mark.figure), small_size));
      } else {
        failed += cell;
        crosses += symbol_at(x, y, cross);
      }
    });
    picture_.fill(failed, failed_colour.light);
    picture_.stroke(crosses, ink_colour.light, 1.4);
    if (width <= widest + 4 || height <= 1.4 * small_size) return;
    for_each_mark([&](const ChartMark& mark, double x, double y) {
      if (!mark.figure) return;
      picture_.write(
          mark_label(*mark.figure), x, y,
          {small_size, is_light(colour_of(*mark.figure)) ? dark_cell_text : light_cell_text,
           "middle"});
    });
  }

  unsigned colour_of(double figure) const { return viridis_at(geometry_.figures.share_of(figure)); }

  const Chart& chart_;
  const ChartGeometry& geometry_;
  const ChartPanel& panel_;
  const ChartBox& box_;
  SvgPicture& picture_;
};

/// What stands around the panels.
void write_page_texts(const Chart& chart, const ChartGeometry& geometry, SvgPicture& picture) {
  double middle = picture_edge + text_line_height / 2;
  for (const std::string& line : geometry.title) {
    picture.write(line, picture_edge, middle, {title_size});
    middle += text_line_height;
  }
  picture.write(chart.figure_label, picture_edge, geometry.label_middle,
                {text_size, axis_colour.light});
  const ChartBox& first = geometry.panels.front();
  if (chart.kind == ChartKind::heatmap) {
    picture.write(chart.y.label, picture_edge + text_size / 2,
                  (first.top + geometry.panels.back().bottom) / 2,
                  {text_size, ink_colour.light, "middle", -90});
  }
  const double right = std::ranges::max(geometry.panels, {}, &ChartBox::right).right;
  picture.write(chart.x.label, (first.left + right) / 2, geometry.x_label_middle,
                {text_size, ink_colour.light, "middle"});
}

void draw_sample(const Chart& chart, const LegendEntry& entry, SvgPicture& picture) {
  const double right = entry.left + legend_sample;
  const double middle = entry.left + legend_sample / 2;
  const std::string line = level_line(entry.left, right, entry.middle);
  const std::string_view colour = series_colour(entry.index).light;
  switch (entry.kind) {
    case LegendEntry::Kind::heading:
      return;
    case LegendEntry::Kind::failed:
      return picture.stroke(symbol_at(middle, entry.middle, cross), ink_colour.light, 1.6);
    case LegendEntry::Kind::reference:
      return picture.stroke(line, axis_colour.light, 1.3, reference_dashes(entry.index));
    case LegendEntry::Kind::series:
      break;
  }
  if (chart.kind == ChartKind::bar) {
    return picture.fill(rectangle(right - 14, entry.middle - 6, 14, 12), colour, bar_opacity);
  }
  picture.stroke(line, colour, 2, series_dashes(entry.index));
  picture.fill(symbol_at(middle, entry.middle, series_symbol(entry.index)), colour);
}

void draw_legend(const Chart& chart, const ChartGeometry& geometry, SvgPicture& picture) {
  for (const LegendEntry& entry : geometry.legend) {
    const bool is_heading = entry.kind == LegendEntry::Kind::heading;
    draw_sample(chart, entry, picture);
    picture.write(entry.text, entry.left + (is_heading ? 0 : legend_sample + 8), entry.middle,
                  {text_size, is_heading ? axis_colour.light : ink_colour.light});
  }
  if (chart.kind != ChartKind::heatmap) return;
  const ChartBox& box = geometry.colours;
  picture.add_colour_bar(box.left, box.top, box.width(), box.height());
  for (const ChartTick& tick : geometry.figures.ticks) {
    picture.write(tick.label, box.right + 6,
                  box.bottom - geometry.figures.share_of(tick.at) * box.height(), {tick_size});
  }
}

}  // namespace

std::string draw_chart(const Chart& chart) {
  const ChartGeometry geometry = geometry_of(chart);
  SvgPicture picture(geometry.width, geometry.height);
  write_page_texts(chart, geometry, picture);
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    PanelDrawer(chart, geometry, i, picture).draw();
  }
  draw_legend(chart, geometry, picture);
  return picture.finish(chart.title, chart.description);
}

std::string_view series_symbol(std::size_t series) {
  constexpr std::array<std::string_view, 8> symbols = {
      "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0",
      "m-3-3h6v6h-6z",
      "m0-3.6l3.8 6.6h-7.6z",
      "m0-4.2l3 4.2l-3 4.2l-3-4.2z",
      "m-1-4h2v3h3v2h-3v3h-2v-3h-3v-2h3z",
      "m0 3.6l3.8-6.6h-7.6z",
      "m3.6 0l-6.6 3.8v-7.6z",
      "m-3.6 0l6.6 3.8v-7.6z"};
  return symbols[series % symbols.size()];
}

}  // namespace sweep
