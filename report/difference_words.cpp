#include "report/difference_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sweep {
namespace {

/// A share in percent with two digits or so: 0.12 is "12", 0.034 "3.4", 0.9995 "99.95".
std::string percent_text(double share) {
  const double figure = share * 100;
  const double nearest_end = share < 1 ? std::min(figure, 100 - figure) : figure;
  const int decimals = nearest_end >= 9.95 ? 0 : nearest_end >= 0.995 ? 1 : 2;
  return fmt::format("{:.{}f}", figure, share < 0.9 || figure >= 99 ? decimals : 0);
}

}  // namespace

std::string times_text(double factor) {
  constexpr int most = 6;
  if (factor >= 9.995) return fmt::format("{:.1f}", factor);
  const double beyond = factor - 1;
  const int decimals = beyond > 0 ? 1 - static_cast<int>(std::floor(std::log10(beyond))) : 2;
  return fmt::format("{:.{}f}", factor, std::clamp(decimals, 2, most));
}

std::string describe_difference(double ratio, const MetricColumn& metric) {
  if (is_time(metric)) {
    return ratio >= 1 ? times_text(ratio) + " times slower"
                      : times_text(1 / ratio) + " times faster";
  }
  constexpr double twice = 2;
  if (ratio >= twice) return times_text(ratio) + " times as much";
  return fmt::format("{} % {}", percent_text(std::abs(ratio - 1)), ratio >= 1 ? "more" : "less");
}

}  // namespace sweep
