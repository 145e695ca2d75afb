#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "report/charts/chart.h"
#include "report/charts/chart_colours.h"
#include "report/display_text.h"
#include "report/document.h"

namespace sweep {
namespace {

struct TextStyle {
  double size = 0;
  std::string_view colour = ink_colour;
  std::string_view anchor = "start";  ///< "middle", "end"
  int turned = 0;                     ///< degrees clockwise
};

constexpr double small_size = 10;   ///< of figures beside or on marks
constexpr double bars_share = 0.8;  ///< of a category's width
constexpr double bar_opacity = 0.9;
constexpr std::string_view cross = "m-3.5-3.5l7 7m0-7l-7 7";

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
  if (figure >= 1e6) return tick_label(figure);
  return figure >= 1000 ? fmt::format("{:.0f}", figure) : fmt::format("{:.4g}", figure);
}

/// Draws an SVG file that needs nothing else: its colours change on a dark page
/// (`prefers-color-scheme`), its fonts are those that most machines have. Colours are given as on a
/// light ground, paths as SVG's `d`; what is empty is left out.
class ChartDrawer {
 public:
  explicit ChartDrawer(const Chart& chart) : chart_(chart), geometry_(geometry_of(chart)) {}

  /// The file; title and description are for who cannot see it.
  std::string draw() && {
    const auto& [width, height] = std::tie(geometry_.width, geometry_.height);
    body_ = fmt::format("<rect width=\"{:g}\" height=\"{:g}\" fill=\"{}\"/>\n", width, height,
                        ground_colour);
    write_page_texts();
    for (panel_ = 0; panel_ < chart_.panels.size(); ++panel_) {
      box_ = geometry_.panels[panel_];
      draw_panel();
    }
    draw_legend();
    std::string dark_rules;
    for (const auto& [light, dark] : chart_colours) {
      for (const std::string_view property : {"fill", "stroke"}) {
        const std::string use = fmt::format("{}=\"{}\"", property, light);
        if (body_.find(use) == body_.npos) continue;
        dark_rules += fmt::format("[{}] {{ {}: {} }}\n", use, property, dark);
      }
    }
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
               "aria-labelledby=\"chart-title chart-description\"\n"
               "     width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\"\n"
               "     font-family=\"Arial, 'Liberation Sans', 'Helvetica Neue', Helvetica, "
               "sans-serif\">\n"
               "<title id=\"chart-title\">{2}</title>\n<desc id=\"chart-description\">{3}</desc>\n"
               "<style>\n@media (prefers-color-scheme: dark) {{\n{4}}}\n</style>\n",
               width, height, escape_svg(chart_.title), escape_svg(chart_.description),
               dark_rules) +
           body_ + "</svg>\n";
  }

 private:
  /// `dashes` are lengths in pixels.
  void stroke(std::string_view path, std::string_view colour, double width,
              std::string_view dashes = {}) {
    add_path(path, fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"", colour, width),
             dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
  }

  void fill(std::string_view path, std::string_view colour, double opacity = 1) {
    add_path(path, fmt::format("fill=\"{}\"", colour),
             opacity == 1 ? "" : fmt::format(" fill-opacity=\"{:g}\"", opacity));
  }

  /// A text whose middle stands at the height `y`.
  void write(std::string_view text, double x, double y, const TextStyle& style) {
    if (text.empty()) return;
    // From the middle of a digit or a capital down to the line that it stands on.
    const double down = 0.36 * style.size;
    std::string place = fmt::format("x=\"{:.5g}\" y=\"{:.5g}\"", x, y + down);
    if (style.turned != 0) {
      place = fmt::format("transform=\"translate({:.5g} {:.5g}) rotate({})\" y=\"{:.5g}\"", x, y,
                          style.turned, down);
    }
    body_ += fmt::format("<text {} font-size=\"{:g}\" fill=\"{}\" text-anchor=\"{}\">{}</text>\n",
                         place, style.size, style.colour, style.anchor, escape_svg(text));
  }

  void add_path(std::string_view path, const std::string& style, const std::string& more) {
    if (!path.empty()) body_ += fmt::format("<path d=\"{}\" {}{}/>\n", path, style, more);
  }

  void write_page_texts() {
    double middle = picture_edge + text_line_height / 2;
    for (const std::string& line : geometry_.title) {
      write(line, picture_edge, middle, {title_size});
      middle += text_line_height;
    }
    write(chart_.figure_label, picture_edge, geometry_.label_middle, {text_size, axis_colour});
    const ChartBox& first = geometry_.panels.front();
    if (chart_.is_heatmap()) {
      write(chart_.y.label, picture_edge + text_size / 2,
            (first.top + geometry_.panels.back().bottom) / 2,
            {text_size, ink_colour, "middle", -90});
    }
    const double right = std::ranges::max(geometry_.panels, {}, &ChartBox::right).right;
    write(chart_.x.label, (first.left + right) / 2, geometry_.x_label_middle,
          {text_size, ink_colour, "middle"});
  }

  /// A panel's axes and what stands between them.
  void draw_panel() {
    const auto columns = static_cast<std::size_t>(box_.width() / text_width("n", text_size));
    write(cut_to_width(chart_.panels[panel_], columns, true), box_.left, box_.top - 10,
          {text_size});
    if (chart_.is_heatmap()) {
      add_rows(geometry_.rows);
      add_columns();
      add_cells();
      return;
    }
    add_grid();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      if (chart_.kind == ChartKind::line) add_line(i);
      if (chart_.kind == ChartKind::bar) add_bars(i);
      if (chart_.is_scatter()) add_points(i);
    }
    stroke(std::exchange(failed_, {}), ink_colour, 1.6);
    add_rows(geometry_.figures);
    add_columns();
    stroke(fmt::format("M{0:.5g} {1:.5g}V{2:.5g}H{3:.5g}", crisp(box_.left), box_.top,
                       crisp(box_.bottom), box_.right),
           axis_colour, 1);
  }

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
    if (chart_.is_scatter()) {
      for (const ChartTick& tick : geometry_.x.ticks) {
        grid += fmt::format("M{:.5g} {:.5g}V{:.5g}", crisp(x_at(tick.at)), box_.top, box_.bottom);
      }
    }
    stroke(grid, grid_colour, 1);
    for (std::size_t i = 0; i < chart_.slopes.size(); ++i) add_slope(i);
    for (std::size_t i = 0; i < chart_.references.size(); ++i) {
      stroke(level_line(box_.left, box_.right, crisp(height_of(chart_.references[i].at))),
             axis_colour, 1.3, reference_dashes(i));
    }
    double free = box_.left;  // of labels
    for (const ChartTick& cache : chart_.caches) {
      const double x = crisp(x_at(cache.at));
      stroke(fmt::format("M{:.5g} {:.5g}V{:.5g}", x, box_.top, box_.bottom), axis_colour, 1.3,
             reference_dashes(1));
      const double width = text_width(cache.label, tick_size);
      const double left = x + 4 + width <= box_.right ? x + 4 : x - 4 - width;
      if (left < free) continue;
      write(cache.label, left, box_.top + 8, {tick_size});
      free = left + width;
    }
  }

  /// As far as it lies in the panel.
  void add_slope(std::size_t index) {
    const double factor = chart_.slopes[index].at;
    const DrawnAxis& x = geometry_.x;
    const DrawnAxis& y = geometry_.figures;
    const double from = std::max(x.from, y.from / factor);
    const double to = std::min(x.to, y.to / factor);
    if (factor <= 0 || from >= to) return;
    stroke(fmt::format("M{:.5g} {:.5g}L{:.5g} {:.5g}", x_at(from), height_of(factor * from),
                       x_at(to), height_of(factor * to)),
           slope_colour(index), 1.3, reference_dashes(0));
  }

  std::string_view slope_colour(std::size_t index) const {
    return chart_.slopes.size() > 1 ? series_colour(index) : axis_colour;
  }

  /// Ticks to the left of the axis; of panels side by side the first has labels.
  void add_rows(const DrawnAxis& axis) {
    const bool has_labels = box_.left == geometry_.panels.front().left;
    std::string ticks;
    for (const ChartTick& tick : axis.ticks) {
      const double y = y_at(axis, tick.at);
      ticks += level_line(box_.left - 4, box_.left, crisp(y));
      if (has_labels) {
        write(tick.label, box_.left - 9, y, {tick_size, ink_colour, "end"});
      }
    }
    stroke(ticks, axis_colour, 1);
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
        write(tick.label, x + 3, box_.bottom + 12, {tick_size, ink_colour, "end", -35});
      } else {
        write(tick.label, x, box_.bottom + 14, {tick_size, ink_colour, "middle"});
      }
    }
    stroke(ticks, axis_colour, 1);
  }

  void add_line(std::size_t series) {
    constexpr std::size_t most_symbols = 80;
    constexpr double band_opacity = 0.22;
    const std::vector<ChartMark> marks = marks_of(chart_, panel_, series);
    const std::string_view colour = series_colour(series);
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
      } else {
        add_failed(x);
      }
      is_down = mark.figure.has_value();
      if (mark.interval) {
        upper += fmt::format("L{:.5g} {:.5g}", x, height_of(mark.interval->high));
        lower.insert(0, fmt::format("L{:.5g} {:.5g}", x, height_of(mark.interval->low)));
      } else {
        end_band();
      }
    }
    end_band();
    fill(band, colour, band_opacity);
    stroke(line, colour, 2, series_dashes(series));
    if (marks.size() <= most_symbols) fill(symbols, colour);
  }

  /// One figure against another, with the intervals of those that stand upright.
  void add_points(std::size_t series) {
    constexpr double interval_opacity = 0.45;
    constexpr double symbol_opacity = 0.85;
    const std::string_view colour = series_colour(series);
    std::string symbols;
    std::string intervals;
    for (const ChartMark& mark : marks_of(chart_, panel_, series)) {
      const double x = x_at(mark.x);
      symbols += symbol_at(x, height_of(*mark.figure), series_symbol(series));
      if (!mark.interval) continue;
      const double top = height_of(mark.interval->high);
      intervals += rectangle(x - 0.5, top, 1, height_of(mark.interval->low) - top);
    }
    fill(intervals, colour, interval_opacity);
    fill(symbols, colour, symbol_opacity);
  }

  double pixels_of(double x) const { return x_at(x) - x_at(0); }

  /// A figure on its mark.
  struct FigureLabel {
    std::string text;
    double x = 0;
    double y = 0;
    std::string_view colour = ink_colour;
  };

  /// If all of them have room in so many pixels.
  void write_figures(const std::vector<FigureLabel>& labels, double room) {
    const bool have_room = std::ranges::all_of(labels, [&](const FigureLabel& label) {
      return text_width(label.text, small_size) + 4 < room;
    });
    if (!have_room) return;
    for (const auto& [text, x, y, colour] : labels) {
      write(text, x, y, {small_size, colour, "middle"});
    }
  }

  void add_bars(std::size_t series) {
    constexpr double bar_gap = 0.92;
    const DrawnAxis& axis = geometry_.figures;
    const double foot = axis.scale == ChartScale::linear
                            ? height_of(std::clamp(0.0, axis.from, axis.to))
                            : box_.bottom;
    // Of a category's width 1.
    const double share = bars_share / static_cast<double>(chart_.series.size());
    const double room = pixels_of(share);
    const double width = room * bar_gap;
    std::string bars;
    std::string whiskers;
    std::vector<FigureLabel> labels;
    for (const ChartMark& mark : marks_of(chart_, panel_, series)) {
      const double x = x_at(mark.x - bars_share / 2 + (static_cast<double>(series) + 0.5) * share);
      if (!mark.figure) {
        add_failed(x);
        continue;
      }
      const double y = height_of(*mark.figure);
      double top = y;
      bars += rectangle(x - width / 2, std::min(y, foot), width, std::abs(foot - y));
      if (mark.interval) {
        top = height_of(mark.interval->high);
        whiskers += fmt::format("M{:.5g} {:.5g}V{:.5g}", x, height_of(mark.interval->low), top);
      }
      labels.push_back({mark_label(*mark.figure), x, top - 8});
    }
    fill(bars, series_colour(series), bar_opacity);
    stroke(whiskers, ink_colour, 1.4);
    write_figures(labels, room);
  }

  /// A cross just above the axis.
  void add_failed(double x) { failed_ += symbol_at(x, box_.bottom - 8, cross); }

  void add_cells() {
    // A little overlap, over which the next cells are drawn, hides the seams.
    constexpr double overlap = 0.5;
    const double width = pixels_of(1);
    const double height = box_.height() / static_cast<double>(chart_.y.ticks.size());
    std::string failed;
    std::string crosses;
    std::vector<FigureLabel> labels;
    for (const ChartMark& mark : marks_of(chart_, panel_, 0)) {
      const double x = x_at(mark.x);
      const double y = y_at(geometry_.rows, mark.y);
      const std::string cell =
          rectangle(x - width / 2, y - height / 2 - overlap, width + overlap, height + overlap);
      if (mark.figure) {
        const unsigned colour = viridis_at(geometry_.figures.share_of(*mark.figure));
        fill(cell, fmt::format("#{:06x}", colour));
        labels.push_back(
            {mark_label(*mark.figure), x, y, is_light(colour) ? dark_cell_text : light_cell_text});
      } else {
        failed += cell;
        crosses += symbol_at(x, y, cross);
      }
    }
    fill(failed, failed_colour);
    stroke(crosses, ink_colour, 1.4);
    if (height > 1.4 * small_size) write_figures(labels, width);
  }

  void draw_legend() {
    using Kind = LegendEntry::Kind;
    for (const auto& [kind, index, text, left, middle] : geometry_.legend) {
      if (kind == Kind::heading) {
        write(text, left, middle, {text_size, axis_colour});
        continue;
      }
      const double right = left + legend_sample;
      const double centre = left + legend_sample / 2;
      const std::string line = level_line(left, right, middle);
      if (kind == Kind::failed) {
        stroke(symbol_at(centre, middle, cross), ink_colour, 1.6);
      } else if (kind == Kind::reference) {
        stroke(line, axis_colour, 1.3, reference_dashes(index));
      } else if (kind == Kind::slope) {
        stroke(line, slope_colour(index), 1.3, reference_dashes(0));
      } else if (chart_.kind == ChartKind::bar) {
        fill(rectangle(right - 14, middle - 6, 14, 12), series_colour(index), bar_opacity);
      } else {
        if (!chart_.is_scatter()) stroke(line, series_colour(index), 2, series_dashes(index));
        fill(symbol_at(centre, middle, series_symbol(index)), series_colour(index));
      }
      write(text, left + (legend_sample + 8), middle, {text_size});
    }
    if (!chart_.is_heatmap()) return;
    const ChartBox& box = geometry_.colours;
    // A rectangle of all colours, the lowest at its foot.
    body_ += "<linearGradient id=\"viridis\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\n";
    for (std::size_t i = 0; i < viridis.size(); ++i) {
      body_ += fmt::format("<stop offset=\"{:g}%\" stop-color=\"#{:06x}\"/>\n",
                           100.0 * static_cast<double>(i) / (viridis.size() - 1), viridis[i]);
    }
    body_ += fmt::format(
        "</linearGradient>\n<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\" "
        "fill=\"url(#viridis)\"/>\n",
        box.left, box.top, box.width(), box.height());
    for (const ChartTick& tick : geometry_.figures.ticks) {
      write(tick.label, box.right + 6,
            box.bottom - geometry_.figures.share_of(tick.at) * box.height(), {tick_size});
    }
  }

  const Chart& chart_;
  const ChartGeometry geometry_;
  std::string body_;
  std::size_t panel_ = 0;  ///< that is being drawn
  ChartBox box_;
  std::string failed_;  ///< its crosses
};

}  // namespace

std::string draw_chart(const Chart& chart) {
  return ChartDrawer(chart).draw();
}

std::string escape_svg(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  std::string escaped = escape_html(line);
  // XML has no place for U+FFFE and U+FFFF.
  for (const std::string_view character : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at = 0; (at = escaped.find(character, at)) != escaped.npos;) {
      escaped[at + 2] = '\xbd';
    }
  }
  return escaped;
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
