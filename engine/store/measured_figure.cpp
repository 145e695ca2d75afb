#include "engine/store/measured_figure.h"

#include <algorithm>
#include <cmath>

namespace sweep {

std::optional<double> measured_figure(const PointRecord& point, std::string_view metric) {
  const auto found = std::ranges::find_if(point.metrics, [&](const Metric& each) {
    return each.name == metric && each.origin == Origin::measured;
  });
  if (found == point.metrics.end()) return std::nullopt;
  return std::isfinite(found->value) && found->value > 0 ? std::optional(found->value)
                                                         : std::nullopt;
}

}  // namespace sweep
