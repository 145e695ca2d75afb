#include "report/charts/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

bool are_powers_of(std::span<const double> values, double base) {
  return std::ranges::all_of(values, [&](double value) {
    double power = 1;
    while (power < value) power *= base;
    return power == value;
  });
}

/// The largest gap between neighbours over the mean one: 1 where they are even.
template <class Place>
double unevenness(std::span<const double> values, Place place) {
  double largest = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    largest = std::max(largest, place(values[i]) - place(values[i - 1]));
  }
  return largest * static_cast<double>(values.size() - 1) /
         (place(values.back()) - place(values.front()));
}

/// Of ascending values above 0.
bool reads_better_in_logarithm(std::span<const double> values) {
  constexpr double least_factor = 16;
  if (values.size() < 3) return false;
  if (are_powers_of(values, 2)) return true;
  if (values.back() < least_factor * values.front()) return false;
  return unevenness(values, [](double value) { return std::log2(value); }) <
         unevenness(values, std::identity());
}

constexpr double label_height = 16;

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
  for (const ChartReference& reference : chart.references) range.include(reference.at);
  for (const PlacedMark& each : marks_of(chart)) {
    if (!each.mark->figure) continue;
    range.include(*each.mark->figure);
    if (chart.kind == ChartKind::heatmap) continue;
    for (const auto& end : {each.mark->low, each.mark->high}) {
      if (end) range.include(*end);
    }
  }
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

void add_linear_ticks(DrawnAxis& axis, int wanted) {
  const double span = axis.to - axis.from;
  if (!std::isfinite(span)) return;
  const double step = round_step(span, wanted);
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

void add_log2_ticks(DrawnAxis& axis, int wanted) {
  const double first = std::ceil(std::log2(axis.from));
  const double last = std::floor(std::log2(axis.to));
  const double step = std::max(1.0, std::ceil((last - first) / wanted));
  for (double power = first; power <= last; power += step) {
    axis.ticks.push_back({std::exp2(power), tick_label(std::exp2(power))});
  }
}

void add_log10_ticks(DrawnAxis& axis, int wanted) {
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

void add_ticks(DrawnAxis& axis, int wanted) {
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
void widen(DrawnAxis& axis, const Range& range, bool from_zero) {
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
    for (std::size_t i = first + step; i < places.size(); i += step) {
      if (collide(i, i - step)) return false;
    }
    return true;
  }

  bool are_even() const {
    constexpr double slack = 0.01;  // of a pixel
    for (std::size_t i = 2; i < places.size(); ++i) {
      if (std::abs(places[i] - 2 * places[i - 1] + places[i - 2]) > slack) return false;
    }
    return true;
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
  constexpr std::array<std::size_t, 9> steps = {1, 2, 4, 5, 8, 10, 16, 20, 32};
  std::vector<ChartTick>& ticks = axis.ticks;
  if (ticks.size() < 2 || labels.fit(0, 1)) return;
  for (const std::size_t step : steps) {
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
    if (labels.collide(i, last) || labels.collide(i, end)) {
      ticks[i].label.clear();
    } else {
      last = i;
    }
  }
}

}  // namespace

ChartScale scale_of_parameter(std::span<const double> values, ScaleChoice choice) {
  if (choice == ScaleChoice::category || values.size() < 2) return ChartScale::category;
  if (choice == ScaleChoice::linear) return ChartScale::linear;
  const auto first_positive = std::ranges::upper_bound(values, 0.0);
  const std::span<const double> positive(first_positive, values.end());
  const bool all_positive = positive.size() == values.size();
  if (choice == ScaleChoice::automatic) {
    if (!reads_better_in_logarithm(positive)) return ChartScale::linear;
    if (!all_positive) return ChartScale::category;
    const bool is_decimal = are_powers_of(values, 10) && !are_powers_of(values, 2);
    return is_decimal ? ChartScale::log10 : ChartScale::log2;
  }
  if (!all_positive) return ChartScale::category;
  return choice == ScaleChoice::log10 ? ChartScale::log10 : ChartScale::log2;
}

ChartScale scale_of_figures(std::span<const double> figures, ScaleChoice choice, ChartKind kind) {
  constexpr double least_factor = 100;
  constexpr double small = 0.05;
  if (figures.empty() || choice == ScaleChoice::linear) return ChartScale::linear;
  const auto [lowest, highest] = std::ranges::minmax(figures);
  if (lowest <= 0) return ChartScale::linear;
  if (choice == ScaleChoice::log2) return ChartScale::log2;
  if (choice == ScaleChoice::log10) return ChartScale::log10;
  if (kind == ChartKind::bar || highest < least_factor * lowest) return ChartScale::linear;
  const double bound = small * highest;
  const auto below = std::ranges::count_if(figures, [&](double figure) { return figure < bound; });
  return 2 * static_cast<std::size_t>(below) > figures.size() ? ChartScale::log10
                                                              : ChartScale::linear;
}

bool begins_at_zero(std::span<const double> figures, ChartKind kind) {
  constexpr double top_quarter = 0.75;
  constexpr double much_the_same = 0.97;
  if (kind == ChartKind::bar || figures.empty()) return true;
  const auto [lowest, highest] = std::ranges::minmax(figures);
  return lowest < top_quarter * highest || lowest > much_the_same * highest || lowest <= 0;
}

double DrawnAxis::share_of(double at) const {
  if (from == to) return 1;
  if (!is_logarithmic(scale)) return (at - from) / (to - from);
  return std::log(at / from) / std::log(to / from);
}

DrawnAxis figure_axis_of(const Chart& chart, int wanted) {
  DrawnAxis axis;
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
    drawn.from = first / factor;
    drawn.to = last * factor;
  } else {
    const bool has_span = axis.scale == ChartScale::linear && first < last;
    const double room = has_span ? margin * (last - first) : 0.5;
    drawn.from = first - room;
    drawn.to = last + room;
  }
  return drawn;
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

void fit_labels_beside(DrawnAxis& axis, double pixels) {
  constexpr double digit_height = 7;
  Labels labels(axis, pixels);
  std::ranges::fill(labels.lengths, digit_height);
  keep_fitting(axis, labels);
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

double text_width(std::string_view text, double font_size) {
  constexpr double mean_width = 0.56;
  return static_cast<double>(display_width(text)) * mean_width * font_size;
}

}  // namespace sweep
