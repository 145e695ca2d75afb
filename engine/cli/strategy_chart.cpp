#include "engine/cli/strategy_chart.h"

#include <algorithm>
#include <cmath>

#include "report/display_text.h"

namespace sweep {
namespace {

constexpr std::string_view solid = "\u2588";
constexpr std::string_view shaded = "\u2591";

double largest_of(std::span<const ChartBar> bars) {
  double largest = 1;
  for (const ChartBar& bar : bars) largest = std::max(largest, bar.upper);
  return largest;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

/// How many columns a value's bar takes, one at least.
std::size_t columns(double value, double largest, std::size_t width, bool logarithmic) {
  const double share = logarithmic ? std::log(value) / std::log(largest) : value / largest;
  const auto rounded = static_cast<std::size_t>(std::lround(share * static_cast<double>(width)));
  return std::clamp<std::size_t>(rounded, 1, width);
}

}  // namespace

bool is_logarithmic(std::span<const ChartBar> bars) {
  constexpr double spread = 20;
  double smallest = largest_of(bars);
  for (const ChartBar& bar : bars) smallest = std::min(smallest, bar.value);
  return largest_of(bars) > spread * smallest;
}

std::vector<std::string> draw_bars(std::span<const ChartBar> bars, std::size_t width) {
  constexpr std::size_t gap = 2;
  constexpr std::size_t shortest = 8;
  constexpr std::size_t longest = 60;
  std::size_t names = 0;
  std::size_t labels = 0;
  for (const ChartBar& bar : bars) {
    names = std::max(names, display_width(bar.name));
    labels = std::max(labels, display_width(bar.label));
  }
  const std::size_t taken = names + labels + 2 * gap;
  const std::size_t room = std::clamp(width > taken ? width - taken : 0, shortest, longest);
  const double largest = largest_of(bars);
  const bool logarithmic = is_logarithmic(bars);
  std::vector<std::string> lines;
  for (const ChartBar& bar : bars) {
    const std::size_t value = columns(bar.value, largest, room, logarithmic);
    const std::size_t upper = columns(bar.upper, largest, room, logarithmic);
    std::string line = pad_right(bar.name, names) + std::string(gap, ' ');
    line += repeated(solid, value) + repeated(shaded, upper - value);
    line += std::string(gap, ' ') + bar.label;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sweep
