#include "report/charts/gnuplot_script.h"

#include <fmt/format.h>

#include "report/charts/chart_geometry.h"
#include "report/charts/chart_style.h"
#include "report/charts/gnuplot_legend.h"
#include "report/charts/gnuplot_marks.h"
#include "report/charts/gnuplot_text.h"

namespace sweep {
namespace {

std::string terminal_of(PictureFormat format, const ChartGeometry& geometry) {
  if (format == PictureFormat::svg) {
    return fmt::format(
        "set terminal svg size {:.0f},{:.0f} noenhanced font 'sans-serif,{}' background '{}'\n",
        geometry.width, geometry.height, tick_size, ground_colour.light);
  }
  // Twice the size, for dense screens; a point of pngcairo's fonts is 4/3 of a pixel.
  return fmt::format(
      "set terminal pngcairo size {:.0f},{:.0f} noenhanced font 'sans-serif,{}' fontscale 1.5 "
      "linewidth 2 pointscale 2 dashlength 2 background '{}'\n",
      2 * geometry.width, 2 * geometry.height, tick_size, ground_colour.light);
}

class ScriptWriter {
 public:
  ScriptWriter(const Chart& chart, PictureFormat format)
      : chart_(chart), geometry_(geometry_of(chart)), format_(format) {}

  std::string write() {
    script_ = "set encoding utf8\n" + terminal_of(format_, geometry_) +
              "set multiplot\nunset key\n"
              "set tics nomirror out scale 0.5\n";
    add_page_texts();
    for (std::size_t i = 0; i < chart_.panels.size(); ++i) {
      add_axes(i);
      script_ += panel_marks(chart_, geometry_, i);
      script_ += "unset label\n";
    }
    script_ += gnuplot_legend(chart_, geometry_);
    return script_ + "unset multiplot\n";
  }

 private:
  double across(double x) const { return x / geometry_.width; }
  double up(double y) const { return 1 - y / geometry_.height; }

  void add_label(const std::string& text, double x, double y, std::string_view where, double size,
                 const ChartColour& colour) {
    script_ += fmt::format("set label {} at screen {:.5f},{:.5f} {} font ',{}' tc rgb '{}'\n",
                           gnuplot_string(text), across(x), up(y), where, size, colour.light);
  }

  /// What stands around the panels; it is drawn with the first of them.
  void add_page_texts() {
    constexpr double edge = 16;
    constexpr double line_height = 20;
    double middle = edge + line_height / 2;
    for (const std::string& line : geometry_.title) {
      add_label(line, edge, middle, "left", title_size, ink_colour);
      middle += line_height;
    }
    add_label(chart_.figure_label, edge, geometry_.label_middle, "left", text_size, axis_colour);
    if (geometry_.panels.empty()) return;
    if (chart_.kind == ChartKind::heatmap) {
      const double centre = (geometry_.panels.front().top + geometry_.panels.back().bottom) / 2;
      add_label(chart_.y.label, edge + text_size / 2, centre, "center rotate by 90", text_size,
                ink_colour);
    }
    const double centre = (geometry_.panels.front().left + rightmost()) / 2;
    add_label(chart_.x.label, centre, geometry_.x_label_middle, "center", text_size, ink_colour);
  }

  double rightmost() const {
    double right = 0;
    for (const ChartBox& box : geometry_.panels) right = std::max(right, box.right);
    return right;
  }

  void add_axes(std::size_t panel) {
    const ChartBox& box = geometry_.panels[panel];
    script_ += fmt::format(
        "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
        "set bmargin at screen {:.5f}\nset tmargin at screen {:.5f}\n",
        across(box.left), across(box.right), up(box.bottom), up(box.top));
    const std::string& title = chart_.panels[panel].title;
    if (!title.empty()) {
      constexpr double raised = 10;
      add_label(
          shortened(title, static_cast<std::size_t>(box.width() / text_width("n", text_size))),
          box.left, box.top - raised, "left", text_size, ink_colour);
    }
    const bool is_heatmap = chart_.kind == ChartKind::heatmap;
    script_ +=
        fmt::format("set border {} lc rgb '{}' lw 1\n", is_heatmap ? 0 : 3, axis_colour.light);
    add_x_axis();
    add_y_axis(box.left == geometry_.panels.front().left);
  }

  static std::string ticks_text(const std::vector<ChartTick>& ticks) {
    std::string text;
    for (const ChartTick& tick : ticks) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", gnuplot_tick(tick.label), tick.at);
    }
    return text;
  }

  static std::string scale_text(char axis, ChartScale scale) {
    if (scale == ChartScale::log2) return fmt::format("set logscale {} 2\n", axis);
    if (scale == ChartScale::log10) return fmt::format("set logscale {} 10\n", axis);
    return fmt::format("unset logscale {}\n", axis);
  }

  void add_x_axis() {
    script_ += scale_text('x', chart_.x.scale);
    script_ += fmt::format("set xrange [{}:{}]\n", geometry_.x_from, geometry_.x_to);
    script_ += fmt::format("set xtics {} ({}) font ',{}' tc rgb '{}'\n",
                           geometry_.x.are_slanted ? "rotate by 35 right" : "norotate",
                           ticks_text(geometry_.x.ticks), tick_size, ink_colour.light);
  }

  void add_y_axis(bool has_labels) {
    std::vector<ChartTick> ticks = geometry_.y_ticks;
    if (chart_.kind == ChartKind::heatmap) {
      script_ += "unset grid\nunset logscale y\n";
      script_ += fmt::format("set yrange [-0.5:{}]\n", static_cast<double>(ticks.size()) - 0.5);
    } else {
      ticks = geometry_.figures.ticks;
      script_ += scale_text('y', geometry_.figures.scale);
      script_ += fmt::format("set yrange [{}:{}]\n", geometry_.figures.from, geometry_.figures.to);
      script_ += fmt::format("set grid ytics back lt 1 lc rgb '{}' lw 1\n", grid_colour.light);
    }
    if (!has_labels) {
      for (ChartTick& tick : ticks) tick.label.clear();
    }
    script_ += fmt::format("set ytics ({}) font ',{}' tc rgb '{}'\n", ticks_text(ticks), tick_size,
                           ink_colour.light);
  }

  const Chart& chart_;
  const ChartGeometry geometry_;
  const PictureFormat format_;
  std::string script_;
};

}  // namespace

std::string gnuplot_script(const Chart& chart, PictureFormat format) {
  return ScriptWriter(chart, format).write();
}

}  // namespace sweep
