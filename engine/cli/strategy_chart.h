#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sweep {

/// A bar: solid to `value`, shaded to `upper`.
struct ChartBar {
  std::string name;
  double value = 1;  ///< 1 or more
  double upper = 1;  ///< `value` or more
  std::string label;
};

/// Whether bars of these values are drawn over a logarithmic scale: where they differ much.
bool is_logarithmic(std::span<const ChartBar> bars);

/// A line for each bar: name, bar, label. `width` is the columns that a line may take; with few of
/// them bars become short, not lines longer.
std::vector<std::string> draw_bars(std::span<const ChartBar> bars, std::size_t width);

}  // namespace sweep
