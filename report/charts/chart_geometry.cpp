#include "report/charts/chart_geometry.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/display_text.h"

namespace sweep {
namespace {

constexpr double panel_gap = 22;       ///< between panels side by side
constexpr double widest_legend = 230;  ///< to the right of the panels
constexpr std::size_t longest_entry = 60;

class GeometryMaker {
 public:
  explicit GeometryMaker(const Chart& chart) : chart_(chart) {
    const std::size_t panels = chart.panels.size();
    columns_ = panels <= 2 ? panels : panels == 4 ? 2 : 3;
  }

  ChartGeometry make() {
    geometry_.width = columns_ == 1 ? 760 : columns_ == 2 ? 880 : 960;
    geometry_.figures = figure_axis_of(chart_, columns_ == 1 ? 6 : 4);
    geometry_.x = parameter_axis_of(chart_.x);
    if (is_heatmap()) geometry_.rows = parameter_axis_of(chart_.y);
    list_legend();
    place_title();
    place_panels();
    if (is_legend_beside()) {
      place_legend_beside();
    } else if (!geometry_.legend.empty()) {
      place_legend_below();
    }
    return std::move(geometry_);
  }

 private:
  bool is_heatmap() const { return chart_.kind == ChartKind::heatmap; }

  void add_entry(LegendEntry::Kind kind, std::size_t index, const std::string& text) {
    geometry_.legend.push_back({kind, index, cut_to_width(text, longest_entry, true), 0, 0});
  }

  void list_legend() {
    if (is_heatmap()) return;
    const auto& series = chart_.panels.front().series;
    if (series.size() > 1) {
      if (!chart_.series_label.empty()) {
        add_entry(LegendEntry::Kind::heading, 0, chart_.series_label);
      }
      for (std::size_t i = 0; i < series.size(); ++i) {
        add_entry(LegendEntry::Kind::series, i, series[i].name);
      }
    }
    for (std::size_t i = 0; i < chart_.references.size(); ++i) {
      add_entry(LegendEntry::Kind::reference, i, chart_.references[i].label);
    }
    if (count_failed(chart_) > 0) add_entry(LegendEntry::Kind::failed, 0, "failed");
  }

  static double width_of(const LegendEntry& entry) {
    const double sample = entry.kind == LegendEntry::Kind::heading ? 0 : legend_sample + 8;
    return sample + text_width(entry.text, text_size);
  }

  double widest_entry() const {
    double widest = 0;
    for (const LegendEntry& entry : geometry_.legend) widest = std::max(widest, width_of(entry));
    return widest;
  }

  /// A few references alone are not worth a column of the picture.
  bool is_legend_beside() const {
    const bool has_series = std::ranges::any_of(geometry_.legend, [](const LegendEntry& entry) {
      return entry.kind == LegendEntry::Kind::series;
    });
    return columns_ == 1 && has_series && widest_entry() <= widest_legend;
  }

  void place_title() {
    constexpr std::size_t most_lines = 2;
    const auto columns = static_cast<std::size_t>((geometry_.width - 2 * picture_edge) /
                                                  text_width("n", title_size));
    geometry_.title = wrap(chart_.title, columns);
    if (geometry_.title.size() > most_lines) {
      geometry_.title.resize(most_lines);
      geometry_.title.back() += " …";
    }
    // A word may be longer than a line.
    for (std::string& line : geometry_.title) line = cut_to_width(line, columns, true);
    top_ = picture_edge + text_line_height * static_cast<double>(geometry_.title.size());
    geometry_.label_middle = top_ + text_line_height / 2;
    top_ += text_line_height + 6;
  }

  double left_margin() const {
    double widest = 0;
    for (const ChartTick& tick : (is_heatmap() ? geometry_.rows : geometry_.figures).ticks) {
      widest = std::max(widest, text_width(tick.label, tick_size));
    }
    return picture_edge + widest + 14 + (is_heatmap() ? text_line_height : 0);
  }

  double right_margin() const {
    if (is_heatmap()) return picture_edge + 80;
    return picture_edge + (is_legend_beside() ? widest_entry() + 20 : 8);
  }

  double panel_height() const {
    const double plain = columns_ == 1 ? 300 : columns_ == 2 ? 210 : 170;
    if (!is_heatmap()) return plain;
    const double row = columns_ == 1 ? 30 : 20;
    return std::clamp(row * static_cast<double>(chart_.y.ticks.size()), 110.0, plain * 1.4);
  }

  double panel_width(double left) const {
    const auto columns = static_cast<double>(columns_);
    const double all = geometry_.width - left - right_margin();
    return (all - panel_gap * (columns - 1)) / columns;
  }

  void place_panels() {
    constexpr double x_label_gap = 7;
    const double narrowest = left_margin();
    DrawnAxis trial = geometry_.x;
    const double overhang = fit_labels_below(trial, panel_width(narrowest)).overhang;
    const double left = std::max(narrowest, picture_edge + overhang);
    const double width = panel_width(left);
    const double height = panel_height();
    geometry_.x_labels = fit_labels_below(geometry_.x, width);
    if (is_heatmap()) fit_labels_beside(geometry_.rows, height);
    const double head = chart_.panels.size() > 1 ? text_line_height : 0;  // of a panel
    for (std::size_t i = 0; i < chart_.panels.size(); ++i) {
      const std::size_t row = i / columns_;
      const double x = left + static_cast<double>(i % columns_) * (width + panel_gap);
      const double y =
          top_ + head + static_cast<double>(row) * (head + height + geometry_.x_labels.height + 16);
      geometry_.panels.push_back({x, y, x + width, y + height});
    }
    const double bottom = geometry_.panels.back().bottom + geometry_.x_labels.height;
    geometry_.x_label_middle = bottom + x_label_gap + text_line_height / 2;
    geometry_.height = bottom + x_label_gap + text_line_height + picture_edge;
    if (is_heatmap()) {
      const ChartBox& first = geometry_.panels.front();
      const double right = geometry_.width - right_margin();
      geometry_.colours = {right + 18, first.top, right + 34, first.bottom};
    }
  }

  void place_legend_beside() {
    double middle = top_ + text_line_height / 2;
    for (LegendEntry& entry : geometry_.legend) {
      entry.left = geometry_.width - picture_edge - widest_entry();
      entry.middle = middle;
      middle += text_line_height;
    }
    geometry_.height = std::max(geometry_.height, middle + picture_edge);
  }

  /// From left to right, in as many lines as it takes.
  void place_legend_below() {
    const double begin = geometry_.panels.front().left;
    double left = begin;
    double middle = geometry_.height - picture_edge + text_line_height / 2 + 4;
    for (LegendEntry& entry : geometry_.legend) {
      const double width = width_of(entry);
      if (left > begin && left + width > geometry_.width - picture_edge) {
        left = begin;
        middle += text_line_height;
      }
      entry.left = left;
      entry.middle = middle;
      left += width + 20;
    }
    geometry_.height = middle + text_line_height / 2 + picture_edge;
  }

  const Chart& chart_;
  std::size_t columns_ = 1;
  double top_ = 0;
  ChartGeometry geometry_;
};

}  // namespace

ChartGeometry geometry_of(const Chart& chart) {
  return GeometryMaker(chart).make();
}

}  // namespace sweep
