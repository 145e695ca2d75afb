#include "report/charts/figure_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/text/units.h"

namespace sweep {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

Range range_of(const Chart& chart) {
  Range range;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      for (const ChartMark& mark : series.marks) {
        if (!mark.figure) continue;
        range.include(*mark.figure);
        if (chart.kind == ChartKind::heatmap) continue;
        if (mark.low) range.include(*mark.low);
        if (mark.high) range.include(*mark.high);
      }
    }
  }
  for (const ChartReference& reference : chart.references) range.include(reference.at);
  return range;
}

/// 1, 2 or 5 times a power of ten, for about `wanted` steps.
double round_step(double span, int wanted) {
  const double rough = span / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

void add_linear_ticks(FigureAxis& axis, int wanted) {
  const double step = round_step(axis.to - axis.from, wanted);
  const double slack = step * 1e-6;
  const double first = std::ceil((axis.from - slack) / step);
  const double last = std::floor((axis.to + slack) / step);
  // Figures that differ in their last digits alone have more steps below them than can be counted.
  const int count = static_cast<int>(std::min(last - first, 100.0)) + 1;
  for (int i = 0; i < count; ++i) {
    // Adding 0 makes a 0 of -0.
    axis.ticks.push_back({(first + i) * step + 0.0, tick_label((first + i) * step)});
  }
}

void add_log2_ticks(FigureAxis& axis, int wanted) {
  const double first = std::ceil(std::log2(axis.from));
  const double last = std::floor(std::log2(axis.to));
  const double step = std::max(1.0, std::ceil((last - first) / wanted));
  for (double power = first; power <= last; power += step) {
    axis.ticks.push_back({std::exp2(power), tick_label(std::exp2(power))});
  }
}

void add_log10_ticks(FigureAxis& axis, int wanted) {
  const double decades = std::log10(axis.to / axis.from);
  const bool is_short = decades * 3 <= 2 * wanted;
  const double step = std::max(1.0, std::ceil(decades / wanted));
  for (double power = std::floor(std::log10(axis.from)); power <= std::log10(axis.to);
       power += step) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double at = factor * std::pow(10, power);
      if (at < axis.from || at > axis.to || (factor != 1 && !is_short)) continue;
      axis.ticks.push_back({at, tick_label(at)});
    }
  }
}

void add_ticks(FigureAxis& axis, int wanted) {
  if (axis.scale == ChartScale::log2) {
    add_log2_ticks(axis, wanted);
  } else if (axis.scale == ChartScale::log10) {
    add_log10_ticks(axis, wanted);
  } else {
    add_linear_ticks(axis, wanted);
  }
  // Within one step of a logarithm round numbers do.
  if (axis.ticks.size() < 2 && axis.scale != ChartScale::linear) {
    axis.ticks.clear();
    add_linear_ticks(axis, wanted);
  }
}

/// Room beyond the marks, so that none stands on the picture's edge.
void widen(FigureAxis& axis, const Range& range, bool from_zero) {
  constexpr double room = 0.06;
  if (axis.scale != ChartScale::linear) {
    const double factor = std::max(1.05, std::pow(range.high / range.low, room));
    axis.from = range.low / factor;
    axis.to = range.high * factor;
    return;
  }
  axis.from = from_zero ? std::min(0.0, range.low) : range.low;
  axis.to = range.high;
  if (axis.from >= axis.to) axis.to = axis.from + (axis.from != 0 ? std::abs(axis.from) : 1);
  const double margin = room * (axis.to - axis.from);
  if (axis.from != 0) axis.from -= margin;
  axis.to += margin;
}

}  // namespace

double FigureAxis::share_of(double figure) const {
  if (from == to) return 1;
  if (scale == ChartScale::linear || scale == ChartScale::category) {
    return (figure - from) / (to - from);
  }
  return std::log(figure / from) / std::log(to / from);
}

FigureAxis figure_axis_of(const Chart& chart, int wanted) {
  FigureAxis axis;
  axis.scale = chart.figure_scale;
  const Range range = range_of(chart);
  if (chart.kind == ChartKind::heatmap) {
    axis.from = range.low;
    axis.to = range.high;
    if (axis.from == axis.to) {
      axis.ticks = {{axis.from, tick_label(axis.from)}};
      return axis;
    }
  } else {
    widen(axis, range, chart.figures_from_zero);
  }
  add_ticks(axis, wanted);
  return axis;
}

std::string tick_label(double value) {
  struct Unit {
    double size;
    std::string_view name;
  };
  constexpr std::array<Unit, 3> units = {{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}}};
  constexpr double fewest_with_separators = 1e4;
  const double size = std::abs(value);
  if (size < 1e-12) return "0";
  for (const Unit& unit : units) {
    if (size >= unit.size) return fmt::format("{:.4g}{}", value / unit.size, unit.name);
  }
  if (size >= fewest_with_separators) {
    return (value < 0 ? "-" : "") +
           format_thousands(static_cast<std::uint64_t>(std::llround(size)));
  }
  return fmt::format("{:.6g}", value);
}

}  // namespace sweep
