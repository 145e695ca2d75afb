#include "report/charts/axis_ticks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/charts/gnuplot_text.h"

namespace sweep {
namespace {

constexpr std::size_t longest_label = 30;
constexpr double line_height = 16;
constexpr double gap = 8;  ///< between labels
// The slant of labels: 35 degrees.
constexpr double slant_sine = 0.574;
constexpr double slant_cosine = 0.819;

bool is_logarithmic(const ChartAxis& axis) {
  return axis.scale == ChartScale::log2 || axis.scale == ChartScale::log10;
}

/// Whether every `step`-th label from `first` on, so many pixels long each, has its own place.
bool fit(const std::vector<double>& places, const std::vector<double>& lengths, std::size_t first,
         std::size_t step) {
  for (std::size_t i = first + step; i < places.size(); i += step) {
    const double room = std::abs(places[i] - places[i - step]);
    if ((lengths[i] + lengths[i - step]) / 2 + gap > room) return false;
  }
  return true;
}

/// Where to begin with every `step`-th of evenly spaced numbers, so that those labelled are
/// multiples of the step: of 1 to 32 by fours 4, 8, 12. Otherwise 0.
std::size_t first_round(const ChartAxis& axis, std::size_t step) {
  if (axis.scale != ChartScale::linear || axis.ticks.size() < 2) return 0;
  const double spacing = axis.ticks[1].at - axis.ticks[0].at;
  for (std::size_t i = 1; i < axis.ticks.size(); ++i) {
    if (axis.ticks[i].at - axis.ticks[i - 1].at != spacing) return 0;
  }
  for (std::size_t i = 0; i < std::min(step, axis.ticks.size()); ++i) {
    if (std::fmod(axis.ticks[i].at, spacing * static_cast<double>(step)) == 0) return i;
  }
  return 0;
}

bool are_even(const std::vector<double>& places) {
  constexpr double slack = 0.01;  // of a pixel
  for (std::size_t i = 2; i < places.size(); ++i) {
    if (std::abs(places[i] - 2 * places[i - 1] + places[i - 2]) > slack) return false;
  }
  return true;
}

/// One label after another from the first, as far as there is room, and the last.
void keep_one_after_another(std::vector<ChartTick>& ticks, const std::vector<double>& places,
                            const std::vector<double>& lengths) {
  const auto collide = [&](std::size_t a, std::size_t b) {
    return std::abs(places[a] - places[b]) < (lengths[a] + lengths[b]) / 2 + gap;
  };
  const std::size_t end = ticks.size() - 1;
  std::size_t last = 0;
  for (std::size_t i = 1; i < end; ++i) {
    if (collide(i, last) || collide(i, end)) {
      ticks[i].label.clear();
    } else {
      last = i;
    }
  }
}

/// Leaves the labels that have room: every second, fourth and so on where the ticks are even.
void keep_fitting(const ChartAxis& axis, std::vector<ChartTick>& ticks,
                  const std::vector<double>& places, const std::vector<double>& lengths) {
  constexpr std::array<std::size_t, 9> steps = {1, 2, 4, 5, 8, 10, 16, 20, 32};
  if (ticks.size() < 2 || fit(places, lengths, 0, 1)) return;
  if (are_even(places)) {
    for (const std::size_t step : steps) {
      if (step * 2 >= std::max<std::size_t>(ticks.size(), 3)) break;
      const std::size_t first = first_round(axis, step);
      if (!fit(places, lengths, first, step)) continue;
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        if (i % step != first) ticks[i].label.clear();
      }
      return;
    }
  }
  keep_one_after_another(ticks, places, lengths);
}

std::vector<ChartTick> shortened_ticks(const ChartAxis& axis) {
  std::vector<ChartTick> ticks = axis.ticks;
  for (ChartTick& tick : ticks) tick.label = shortened(tick.label, longest_label);
  return ticks;
}

std::vector<double> places_of(const ChartAxis& axis, double pixels) {
  const AxisRange range = range_of(axis);
  std::vector<double> places;
  for (const ChartTick& tick : axis.ticks) {
    places.push_back(share_along(axis, range, tick.at) * pixels);
  }
  return places;
}

}  // namespace

AxisRange range_of(const ChartAxis& axis) {
  constexpr double margin = 0.04;
  if (axis.ticks.empty()) return {};
  const double first = axis.ticks.front().at;
  const double last = axis.ticks.back().at;
  if (axis.scale == ChartScale::category) return {first - 0.5, last + 0.5};
  if (is_logarithmic(axis)) {
    const double factor = std::pow(last / first, margin);
    return first < last ? AxisRange{first / factor, last * factor} : AxisRange{first / 2, last * 2};
  }
  const double room = first < last ? margin * (last - first) : 0.5;
  return {first - room, last + room};
}

double share_along(const ChartAxis& axis, const AxisRange& range, double at) {
  if (is_logarithmic(axis)) return std::log(at / range.from) / std::log(range.to / range.from);
  return (at - range.from) / (range.to - range.from);
}

ShownTicks fit_labels_below(const ChartAxis& axis, double pixels) {
  ShownTicks shown;
  shown.ticks = shortened_ticks(axis);
  shown.height = line_height;
  const std::vector<double> places = places_of(axis, pixels);
  std::vector<double> lengths;
  for (const ChartTick& tick : shown.ticks) lengths.push_back(text_width(tick.label, tick_size));
  if (axis.scale == ChartScale::category && !fit(places, lengths, 0, 1)) {
    shown.are_slanted = true;
    const double longest = *std::ranges::max_element(lengths);
    shown.height = line_height + longest * slant_sine;
    for (std::size_t i = 0; i < places.size(); ++i) {
      shown.overhang = std::max(shown.overhang, lengths[i] * slant_cosine - places[i]);
    }
    std::ranges::fill(lengths, line_height);
  }
  keep_fitting(axis, shown.ticks, places, lengths);
  return shown;
}

std::vector<ChartTick> fit_labels_beside(const ChartAxis& axis, double pixels) {
  std::vector<ChartTick> ticks = shortened_ticks(axis);
  keep_fitting(axis, ticks, places_of(axis, pixels),
               std::vector<double>(ticks.size(), tick_size - gap / 2));
  return ticks;
}

}  // namespace sweep
