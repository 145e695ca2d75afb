#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/text/units.h"
#include "report/charts/chart.h"
#include "report/display_text.h"

namespace sweep {
namespace {

constexpr double label_height = 16;
constexpr double panel_gap = 22;  ///< between panels side by side

bool are_powers_of(std::span<const double> values, double base) {
  return std::ranges::all_of(values, [&](double value) {
    double power = 1;
    while (power < value) power *= base;
    return power == value;
  });
}

/// Of ascending values above 0.
bool reads_better_in_logarithm(std::span<const double> values) {
  constexpr double least_factor = 16;
  /// The largest gap between neighbours over the mean one: 1 where they are even.
  const auto unevenness = [&](auto place) {
    double largest = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      largest = std::max(largest, place(values[i]) - place(values[i - 1]));
    }
    return largest * static_cast<double>(values.size() - 1) /
           (place(values.back()) - place(values.front()));
  };
  if (values.size() < 3) return false;
  if (are_powers_of(values, 2)) return true;
  return values.back() >= least_factor * values.front() &&
         unevenness([](double value) { return std::log2(value); }) < unevenness(std::identity());
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

void add_tick(DrawnAxis& axis, double at) {
  axis.ticks.push_back({at, tick_label(at)});
}

void add_linear_ticks(DrawnAxis& axis, int wanted) {
  axis.ticks.clear();
  const double span = axis.to - axis.from;
  if (!std::isfinite(span)) return;
  const double step = round_step(span, wanted);
  const double slack = step * 1e-6;
  const double first = std::ceil((axis.from - slack) / step);
  const double last = std::floor((axis.to + slack) / step);
  // Figures that differ in their last digits alone have more steps below them than can be counted.
  const int count = static_cast<int>(std::min(last - first, 100.0)) + 1;
  // Adding 0 makes a 0 of -0.
  for (int i = 0; i < count; ++i) add_tick(axis, (first + i) * step + 0.0);
}

void add_log2_ticks(DrawnAxis& axis, int wanted) {
  const double first = std::ceil(std::log2(axis.from));
  const double last = std::floor(std::log2(axis.to));
  const double step = std::max(1.0, std::ceil((last - first) / wanted));
  for (double power = first; power <= last; power += step) add_tick(axis, std::exp2(power));
}

void add_log10_ticks(DrawnAxis& axis, int wanted) {
  const double decades = std::log10(axis.to / axis.from);
  const bool is_short = decades * 3 <= 2 * wanted;
  const double step = std::max(1.0, std::ceil(decades / wanted));
  for (double power = std::floor(std::log10(axis.from)); power <= std::log10(axis.to);
       power += step) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double at = factor * std::pow(10, power);
      const bool is_wanted = factor == 1 || is_short;
      if (is_wanted && at >= axis.from && at <= axis.to) add_tick(axis, at);
    }
  }
}

void add_round_ticks(DrawnAxis& axis, int wanted) {
  if (axis.scale == ChartScale::log2) add_log2_ticks(axis, wanted);
  if (axis.scale == ChartScale::log10) add_log10_ticks(axis, wanted);
  // Within one step of a logarithm round numbers do.
  if (axis.ticks.size() < 2) add_linear_ticks(axis, wanted);
}

/// Room beyond the marks, so that none stands on the picture's edge.
void widen(DrawnAxis& axis, bool from_zero) {
  constexpr double room = 0.06;
  if (axis.scale != ChartScale::linear) {
    const double factor = std::max(1.05, std::pow(axis.to / axis.from, room));
    axis.from /= factor;
    axis.to *= factor;
    return;
  }
  if (from_zero) axis.from = std::min(0.0, axis.from);
  if (axis.from >= axis.to) axis.to = axis.from + (axis.from != 0 ? std::abs(axis.from) : 1);
  const double margin = room * (axis.to - axis.from);
  if (axis.from != 0) axis.from -= margin;
  axis.to += margin;
}

/// The labels along an axis: where they stand and how long they are, in pixels.
struct Labels {
  std::vector<double> places;
  std::vector<double> lengths;

  Labels(const DrawnAxis& axis, double pixels) {
    for (const ChartTick& tick : axis.ticks) {
      places.push_back(axis.share_of(tick.at) * pixels);
      lengths.push_back(text_width(tick.label, tick_size));
    }
  }

  bool collide(std::size_t a, std::size_t b) const {
    constexpr double gap = 8;
    return std::abs(places[a] - places[b]) < (lengths[a] + lengths[b]) / 2 + gap;
  }

  /// Whether every `step`-th from `first` on has its own place.
  bool fit(std::size_t first, std::size_t step) const {
    std::size_t i = first + step;
    while (i < places.size() && !collide(i, i - step)) i += step;
    return i >= places.size();
  }

  /// To the hundredth of a pixel.
  bool are_even() const {
    std::size_t i = 2;
    while (i < places.size() && std::abs(places[i] - 2 * places[i - 1] + places[i - 2]) <= 0.01)
      ++i;
    return i >= places.size();
  }
};

/// Where to begin with every `step`-th of evenly spaced numbers, so that those labelled are
/// multiples of the step: of 1 to 32 by fours 4, 8, 12. Otherwise 0.
std::size_t first_round(const DrawnAxis& axis, std::size_t step) {
  if (axis.scale != ChartScale::linear) return 0;
  const double spacing = axis.ticks[1].at - axis.ticks[0].at;
  for (std::size_t i = 0; i < std::min(step, axis.ticks.size()); ++i) {
    if (std::fmod(axis.ticks[i].at, spacing * static_cast<double>(step)) == 0) return i;
  }
  return 0;
}

/// Leaves the labels that have room: every second, fourth and so on where the ticks are even, else
/// one after another from the first, as far as there is room, and the last.
void keep_fitting(DrawnAxis& axis, const Labels& labels) {
  std::vector<ChartTick>& ticks = axis.ticks;
  if (ticks.size() < 2 || labels.fit(0, 1)) return;
  for (const std::size_t step : {1U, 2U, 4U, 5U, 8U, 10U, 16U, 20U, 32U}) {
    if (!labels.are_even() || step * 2 >= std::max<std::size_t>(ticks.size(), 3)) break;
    const std::size_t first = first_round(axis, step);
    if (!labels.fit(first, step)) continue;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      if (i % step != first) ticks[i].label.clear();
    }
    return;
  }
  const std::size_t end = ticks.size() - 1;
  std::size_t last = 0;
  for (std::size_t i = 1; i < end; ++i) {
    const bool has_room = !labels.collide(i, last) && !labels.collide(i, end);
    if (has_room) last = i;
    if (!has_room) ticks[i].label.clear();
  }
}

template <class Items, class Width>
double widest_of(const Items& items, Width width) {
  double widest = 0;
  for (const auto& item : items) widest = std::max(widest, width(item));
  return widest;
}

double width_of(const LegendEntry& entry) {
  const double sample = entry.kind == LegendEntry::Kind::heading ? 0 : legend_sample + 8;
  return sample + text_width(entry.text, text_size);
}

std::vector<LegendEntry> legend_of(const Chart& chart) {
  constexpr std::size_t longest_entry = 60;
  using Kind = LegendEntry::Kind;
  std::vector<LegendEntry> legend;
  const auto add = [&](Kind kind, std::size_t index, const std::string& text) {
    legend.push_back({kind, index, cut_to_width(text, longest_entry, true), 0, 0});
  };
  if (chart.is_heatmap()) return legend;
  if (chart.series.size() > 1) {
    if (!chart.series_label.empty()) add(Kind::heading, 0, chart.series_label);
    for (std::size_t i = 0; i < chart.series.size(); ++i) add(Kind::series, i, chart.series[i]);
  }
  for (std::size_t i = 0; i < chart.references.size(); ++i) {
    add(Kind::reference, i, chart.references[i].label);
  }
  for (std::size_t i = 0; i < chart.slopes.size(); ++i) {
    const auto& [factor, label] = chart.slopes[i];
    if (factor > 0 && !label.empty()) add(Kind::slope, i, label);
  }
  if (count_failed(chart) > 0) add(Kind::failed, 0, "failed");
  return legend;
}

std::vector<std::string> title_lines(const std::string& title, double width) {
  const auto columns =
      static_cast<std::size_t>((width - 2 * picture_edge) / text_width("n", title_size));
  std::vector<std::string> lines = wrap(title, columns);
  if (lines.size() > 2) {
    lines.resize(2);
    lines.back() += " …";
  }
  // A word may be longer than a line.
  for (std::string& line : lines) line = cut_to_width(line, columns, true);
  return lines;
}

/// In a column, or from left to right in as many lines as it takes.
void place_legend(double begin, double middle, bool is_column, ChartGeometry& geometry) {
  double left = begin;
  for (LegendEntry& entry : geometry.legend) {
    const double width = width_of(entry);
    if (left > begin && (is_column || left + width > geometry.width - picture_edge)) {
      left = begin;
      middle += text_line_height;
    }
    entry.left = left;
    entry.middle = middle;
    left += width + 20;
  }
  const double below = is_column ? text_line_height : text_line_height / 2;
  geometry.height = std::max(geometry.height, middle + below + picture_edge);
}

}  // namespace

ChartScale scale_of_parameter(std::span<const double> values, ScaleChoice choice) {
  if (choice == ScaleChoice::category || values.size() < 2) return ChartScale::category;
  if (choice == ScaleChoice::linear) return ChartScale::linear;
  const auto first_positive = std::ranges::upper_bound(values, 0.0);
  const std::span<const double> positive(first_positive, values.end());
  const bool is_automatic = choice == ScaleChoice::automatic;
  if (is_automatic && !reads_better_in_logarithm(positive)) return ChartScale::linear;
  if (positive.size() < values.size()) return ChartScale::category;
  const bool is_decimal = is_automatic ? are_powers_of(values, 10) && !are_powers_of(values, 2)
                                       : choice == ScaleChoice::log10;
  return is_decimal ? ChartScale::log10 : ChartScale::log2;
}

ChartScale scale_of_figures(std::span<const double> figures, ScaleChoice choice, ChartKind kind) {
  constexpr double least_factor = 100;
  constexpr double small = 0.05;
  constexpr double decade = 10;
  if (figures.empty() || choice == ScaleChoice::linear) return ChartScale::linear;
  const auto range = std::ranges::minmax(figures);
  if (range.min <= 0) return ChartScale::linear;
  if (choice == ScaleChoice::log2) return ChartScale::log2;
  const auto below =
      std::ranges::count_if(figures, [&](double figure) { return figure < small * range.max; });
  const bool are_spread = kind == ChartKind::scatter
                              ? range.max > decade * range.min
                              : kind != ChartKind::bar && range.max >= least_factor * range.min &&
                                    2 * static_cast<std::size_t>(below) > figures.size();
  return choice == ScaleChoice::log10 || are_spread ? ChartScale::log10 : ChartScale::linear;
}

bool begins_at_zero(std::span<const double> figures, ChartKind kind) {
  constexpr double top_quarter = 0.75;
  constexpr double much_the_same = 0.97;
  if (kind == ChartKind::bar || figures.empty()) return true;
  const auto [lowest, highest] = std::ranges::minmax(figures);
  return lowest < top_quarter * highest || lowest > much_the_same * highest || lowest <= 0;
}

std::vector<double> places_on_figure_axis(const Chart& chart) {
  std::vector<double> places = figures_of(chart);
  for (const ChartTick& reference : chart.references) places.push_back(reference.at);
  for (const ChartMark& mark : chart.marks) {
    if (chart.are_axes_alike) places.push_back(mark.x);
    if (!mark.interval || chart.is_heatmap()) continue;
    places.insert(places.end(), {mark.interval->low, mark.interval->high});
  }
  return places;
}

std::vector<double> places_on_x_axis(const Chart& chart) {
  if (chart.are_axes_alike) return places_on_figure_axis(chart);
  std::vector<double> places;
  for (const ChartMark& mark : chart.marks) places.push_back(mark.x);
  return places;
}

double DrawnAxis::share_of(double at) const {
  if (from == to) return 1;
  if (!is_logarithmic(scale)) return (at - from) / (to - from);
  return std::log(at / from) / std::log(to / from);
}

DrawnAxis figure_axis_of(const Chart& chart, int wanted) {
  const auto [low, high] = std::ranges::minmax(places_on_figure_axis(chart));
  DrawnAxis axis{chart.figure_scale, low, high, {}};
  if (chart.is_heatmap() && low == high) {
    axis.ticks = {{low, tick_label(low)}};
    return axis;
  }
  if (!chart.is_heatmap()) widen(axis, chart.figures_from_zero);
  add_round_ticks(axis, wanted);
  return axis;
}

DrawnAxis second_figure_axis_of(const Chart& chart, int wanted) {
  const auto [low, high] = std::ranges::minmax(places_on_x_axis(chart));
  DrawnAxis axis{chart.x.scale, low, high, {}};
  widen(axis, chart.x_from_zero);
  add_round_ticks(axis, wanted);
  return axis;
}

DrawnAxis parameter_axis_of(const ChartAxis& axis) {
  constexpr double margin = 0.04;
  constexpr std::size_t longest_label = 30;
  DrawnAxis drawn{axis.scale, 0, 1, axis.ticks};
  if (axis.ticks.empty()) return drawn;
  for (ChartTick& tick : drawn.ticks) tick.label = cut_to_width(tick.label, longest_label, true);
  const double first = axis.ticks.front().at;
  const double last = axis.ticks.back().at;
  if (is_logarithmic(axis.scale)) {
    const double factor = first < last ? std::pow(last / first, margin) : 2;
    return {axis.scale, first / factor, last * factor, std::move(drawn.ticks)};
  }
  const bool has_span = axis.scale == ChartScale::linear && first < last;
  const double room = has_span ? margin * (last - first) : 0.5;
  return {axis.scale, first - room, last + room, std::move(drawn.ticks)};
}

LabelsBelow fit_labels_below(DrawnAxis& axis, double pixels) {
  constexpr double slant_sine = 0.574;  // of 35 degrees
  constexpr double slant_cosine = 0.819;
  LabelsBelow below{false, label_height, 0};
  Labels labels(axis, pixels);
  if (axis.scale == ChartScale::category && !labels.fit(0, 1)) {
    below.are_slanted = true;
    below.height += std::ranges::max(labels.lengths) * slant_sine;
    for (std::size_t i = 0; i < labels.places.size(); ++i) {
      below.overhang =
          std::max(below.overhang, labels.lengths[i] * slant_cosine - labels.places[i]);
    }
    std::ranges::fill(labels.lengths, label_height);
  }
  keep_fitting(axis, labels);
  return below;
}

std::string tick_label(double value) {
  const double size = std::abs(value);
  if (size < 1e-12) return "0";
  for (const auto& [unit, name] : {std::pair(1e12, " T"), {1e9, " G"}, {1e6, " M"}}) {
    if (size >= unit) return fmt::format("{:.4g}{}", value / unit, name);
  }
  if (size < 1e4) return fmt::format("{:.6g}", value);
  return (value < 0 ? "-" : "") + format_total(std::round(size));
}

double text_width(std::string_view text, double font_size) {
  constexpr double mean_width = 0.56;
  return static_cast<double>(columns_of(text)) * mean_width * font_size;
}

ChartGeometry geometry_of(const Chart& chart) {
  constexpr double widest_legend = 230;  // to the right of the panels
  constexpr double x_label_gap = 7;
  constexpr double tall = 1.4;  // what charts of two axes that are as important may have more
  const bool is_heatmap = chart.is_heatmap();
  const std::size_t panels = chart.panels.size();
  const std::size_t columns = panels <= 2 ? panels : panels == 4 ? 2 : 3;
  const auto by_columns = [&](auto one, auto two, auto three) {
    return columns == 1 ? one : columns == 2 ? two : three;
  };

  ChartGeometry geometry;
  geometry.width = by_columns(760.0, 880.0, 960.0);
  const int ticks = by_columns(6, 4, 4);
  geometry.figures = figure_axis_of(chart, ticks);
  geometry.x =
      chart.is_scatter() ? second_figure_axis_of(chart, ticks) : parameter_axis_of(chart.x);
  if (is_heatmap) geometry.rows = parameter_axis_of(chart.y);
  geometry.title = title_lines(chart.title, geometry.width);
  geometry.legend = legend_of(chart);
  const double widest_entry = widest_of(geometry.legend, width_of);
  // A few references alone are not worth a column of the picture.
  const bool has_series = !is_heatmap && chart.series.size() > 1;
  const bool is_legend_beside = columns == 1 && has_series && widest_entry <= widest_legend;

  const double label_top =
      picture_edge + text_line_height * static_cast<double>(geometry.title.size());
  geometry.label_middle = label_top + text_line_height / 2;
  const double top = label_top + text_line_height + 6;
  const double head = panels > 1 ? text_line_height : 0;  // of a panel
  double height = by_columns(300.0, 210.0, 170.0);
  if (is_heatmap) {
    const double rows = by_columns(30.0, 20.0, 20.0) * static_cast<double>(chart.y.ticks.size());
    height = std::clamp(rows, 110.0, height * tall);
  }
  if (chart.is_scatter()) height *= tall;
  const double right_margin = picture_edge + (is_heatmap         ? 80
                                              : is_legend_beside ? widest_entry + 20
                                                                 : 8);
  const auto panel_width = [&](double left) {
    const auto count = static_cast<double>(columns);
    return (geometry.width - left - right_margin - panel_gap * (count - 1)) / count;
  };
  const DrawnAxis& upright = is_heatmap ? geometry.rows : geometry.figures;
  const double widest_label = widest_of(
      upright.ticks, [](const ChartTick& tick) { return text_width(tick.label, tick_size); });
  const double narrowest = picture_edge + widest_label + 14 + (is_heatmap ? text_line_height : 0);
  DrawnAxis trial = geometry.x;
  const double overhang = fit_labels_below(trial, panel_width(narrowest)).overhang;
  const double left = std::max(narrowest, picture_edge + overhang);
  const double width = panel_width(left);
  geometry.x_labels = fit_labels_below(geometry.x, width);
  if (is_heatmap) {
    Labels labels(geometry.rows, height);
    std::ranges::fill(labels.lengths, 7);  // the height of a digit
    keep_fitting(geometry.rows, labels);
  }
  for (std::size_t i = 0; i < panels; ++i) {
    const std::size_t row = i / columns;
    const double x = left + static_cast<double>(i % columns) * (width + panel_gap);
    const double y =
        top + head + static_cast<double>(row) * (head + height + geometry.x_labels.height + 16);
    geometry.panels.push_back({x, y, x + width, y + height});
  }
  const double bottom = geometry.panels.back().bottom + geometry.x_labels.height;
  geometry.x_label_middle = bottom + x_label_gap + text_line_height / 2;
  geometry.height = bottom + x_label_gap + text_line_height + picture_edge;
  if (is_heatmap) {
    const ChartBox& first = geometry.panels.front();
    const double right = geometry.width - right_margin;
    geometry.colours = {right + 18, first.top, right + 34, first.bottom};
  }
  if (is_legend_beside) {
    place_legend(geometry.width - picture_edge - widest_entry, top + text_line_height / 2, true,
                 geometry);
  } else if (!geometry.legend.empty()) {
    const double below = geometry.height - picture_edge + text_line_height / 2 + 4;
    place_legend(left, below, false, geometry);
  }
  return geometry;
}

}  // namespace sweep
