#include "engine/store/ranking.h"

#include <algorithm>
#include <array>
#include <map>

#include "engine/store/measured_figure.h"

namespace sweep {
namespace {

RankedBy ranked_by_of(std::span<const StoredPoint> points, const std::vector<std::size_t>& places) {
  constexpr std::array<std::string_view, 2> bandwidths = {"bandwidth", "shared_bandwidth"};
  for (const std::string_view name : bandwidths) {
    const bool have_all = std::ranges::all_of(
        places, [&](std::size_t i) { return measured_figure(points[i].point, name).has_value(); });
    if (have_all) return {std::string(name), Better::higher};
  }
  return {"time", Better::lower};
}

}  // namespace

std::vector<RankedGroup> ranked_groups(std::span<const StoredPoint> points) {
  std::vector<RankedGroup> groups;
  std::map<std::string, std::size_t> group_of;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointRecord& point = points[i].point;
    if (point.status != PointStatus::ok || !measured_figure(point, "time")) continue;
    const auto [group, is_new] = group_of.emplace(point.key.pattern_name, groups.size());
    if (is_new) groups.push_back({point.key.pattern_name, {}, {}});
    groups[group->second].places.push_back(i);
  }
  for (RankedGroup& group : groups) group.ranked_by = ranked_by_of(points, group.places);
  return groups;
}

std::optional<double> figure_of(const PointRecord& point, const RankedBy& ranked_by) {
  return measured_figure(point, ranked_by.metric);
}

std::optional<FigureInterval> interval_of(const PointRecord& point, const RankedBy& ranked_by) {
  const auto figure = figure_of(point, ranked_by);
  const auto time = measured_figure(point, "time");
  const auto low = measured_figure(point, "time_low");
  const auto high = measured_figure(point, "time_high");
  if (!figure || !time || !low || !high) return std::nullopt;
  return ranked_by.better == Better::higher
             ? FigureInterval{*figure * (*time / *high), *figure * (*time / *low)}
             : FigureInterval{*figure * (*low / *time), *figure * (*high / *time)};
}

}  // namespace sweep
