#include "engine/store/ranking.h"

#include <algorithm>
#include <array>

namespace sweep {
namespace {

std::optional<double> measured(const PointRecord& point, std::string_view name) {
  const auto found = std::ranges::find_if(point.metrics, [&](const Metric& metric) {
    return metric.name == name && metric.origin == Origin::measured;
  });
  return found != point.metrics.end() ? std::optional(found->value) : std::nullopt;
}

}  // namespace

RankedBy ranked_by_of(std::span<const StoredPoint* const> points) {
  constexpr std::array<std::string_view, 2> bandwidths = {"bandwidth", "shared_bandwidth"};
  for (const std::string_view name : bandwidths) {
    const bool have_all = std::ranges::all_of(points, [&](const StoredPoint* stored) {
      return stored->point.status != PointStatus::ok || measured(stored->point, name);
    });
    if (have_all) return {std::string(name), Better::higher};
  }
  return {"time", Better::lower};
}

std::optional<double> figure_of(const PointRecord& point, const RankedBy& ranked_by) {
  return measured(point, ranked_by.metric);
}

std::optional<FigureInterval> interval_of(const PointRecord& point, const RankedBy& ranked_by) {
  const auto figure = measured(point, ranked_by.metric);
  const auto time = measured(point, "time");
  const auto low = measured(point, "time_low");
  const auto high = measured(point, "time_high");
  if (!figure) return std::nullopt;
  if (!time || !low || !high || *low <= 0 || *high <= 0) {
    return FigureInterval{*figure, *figure, *figure};
  }
  return ranked_by.better == Better::higher
             ? FigureInterval{*figure * *time / *high, *figure, *figure * *time / *low}
             : FigureInterval{*figure * *low / *time, *figure, *figure * *high / *time};
}

}  // namespace sweep
