#include "report/charts/gnuplot_legend.h"

#include <fmt/format.h>

#include "report/charts/chart_style.h"
#include "report/charts/gnuplot_marks.h"
#include "report/charts/gnuplot_text.h"

namespace sweep {
namespace {

/// A panel over the whole picture whose coordinates are its pixels.
std::string whole_picture(const ChartGeometry& geometry) {
  return fmt::format(
      "unset label\nunset border\nunset tics\nunset grid\nunset logscale\n"
      "set lmargin at screen 0\nset rmargin at screen 1\n"
      "set bmargin at screen 0\nset tmargin at screen 1\n"
      "set xrange [0:{}]\nset yrange [{}:0]\n",
      geometry.width, geometry.height);
}

std::string text_at(double x, double y, const std::string& text, std::string_view colour) {
  return fmt::format("set label {} at first {},{} left font ',{}' tc rgb '{}'\n",
                     gnuplot_string(text), x, y, text_size, colour);
}

/// A data block of one entry's sample, and how it is drawn.
std::string sample_of(const Chart& chart, const LegendEntry& entry, const std::string& block) {
  const double right = entry.left + legend_sample;
  const double middle = entry.left + legend_sample / 2;
  if (entry.kind == LegendEntry::Kind::failed) {
    return fmt::format("{} using ({}):2 every ::0::0 with points pt 2 ps 0.8 lw 1.6 lc rgb '{}'",
                       block, middle, ink_colour.light);
  }
  if (entry.kind == LegendEntry::Kind::reference) {
    return fmt::format("{} using 1:2 with lines {}", block, reference_style(entry.index));
  }
  if (chart.kind == ChartKind::bar) {
    return fmt::format(
        "{} using ({}):2:({}):({}):({}):({}) every ::0::0 with boxxyerror lc rgb '{}' fs solid 0.9 "
        "noborder",
        block, middle, right - 14, right, entry.middle - 6, entry.middle + 6,
        series_colour(entry.index));
  }
  return fmt::format(
      "{0} using 1:2 with lines {1} notitle, {0} using ({2}):2 every ::0::0 with points lc rgb "
      "'{3}' "
      "lw 2 {4}",
      block, line_style(entry.index), middle, series_colour(entry.index), point_style(entry.index));
}

std::string colour_bar(const ChartGeometry& geometry) {
  constexpr int steps = 64;
  const ChartBox& box = geometry.colours;
  const double step = box.height() / steps;
  std::string script = whole_picture(geometry) + "$colours << EOD\n";
  for (int i = 0; i < steps; ++i) {
    const double bottom = box.bottom - i * step;
    // A little overlap hides the seams.
    script += fmt::format("{} {} {} {} {} {} {}\n", box.left, bottom, box.left, box.right,
                          bottom - step - (i + 1 < steps ? 0.5 : 0.0), bottom,
                          viridis_at((i + 0.5) / steps));
  }
  script += "EOD\n";
  for (const ChartTick& tick : geometry.figures.ticks) {
    const double at = box.bottom - geometry.figures.share_of(tick.at) * box.height();
    script +=
        fmt::format("set label {} at first {},{} left font ',{}' tc rgb '{}'\n",
                    gnuplot_string(tick.label), box.right + 6, at, tick_size, ink_colour.light);
  }
  return script +
         "plot $colours using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable fs solid 1 "
         "noborder notitle\n";
}

}  // namespace

std::string gnuplot_legend(const Chart& chart, const ChartGeometry& geometry) {
  if (chart.kind == ChartKind::heatmap) return colour_bar(geometry);
  if (geometry.legend.empty()) return {};
  std::string script = whole_picture(geometry);
  std::string plots;
  for (std::size_t i = 0; i < geometry.legend.size(); ++i) {
    const LegendEntry& entry = geometry.legend[i];
    const bool is_heading = entry.kind == LegendEntry::Kind::heading;
    script += text_at(entry.left + (is_heading ? 0 : legend_sample + 8), entry.middle, entry.text,
                      is_heading ? axis_colour.light : ink_colour.light);
    if (is_heading) continue;
    const std::string block = fmt::format("$sample{}", i);
    script += fmt::format("{} << EOD\n{} {}\n{} {}\nEOD\n", block, entry.left, entry.middle,
                          entry.left + legend_sample, entry.middle);
    plots += (plots.empty() ? "" : ", \\\n     ") + sample_of(chart, entry, block) + " notitle";
  }
  return plots.empty() ? std::string() : script + "plot " + plots + '\n';
}

}  // namespace sweep
