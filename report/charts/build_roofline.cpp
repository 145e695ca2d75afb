#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "engine/text/units.h"
#include "report/charts/chart_parts.h"
#include "report/display_text.h"

namespace sweep {
namespace {

/// A level of memory: what it moves, and how long that takes it alone.
struct MemoryLevel {
  const char* name = nullptr;
  std::array<const char*, 2> moved = {};
  double unit = 0;  ///< bytes
  const char* time = nullptr;
  std::array<const char*, 2> instead = {};  ///< what it moves if that is more
};

constexpr std::array<MemoryLevel, 3> memory_levels = {
    {{"L1",
      {"load_data_wavefronts", "store_data_wavefronts"},
      128,  // that a pass could have moved
      "l1_time",
      {"load_tag_wavefronts", "store_tag_wavefronts"}},
     {"L2", {"l2_read_sectors", "l2_write_sectors"}, 32, "l2_time"},
     {"device memory", {"dram_read_bytes", "dram_write_bytes"}, 1, "dram_time"}}};

/// What the level moves for the point; nothing where that was not counted.
std::optional<double> bytes_moved(const PointRecord& point, const MemoryLevel& level) {
  const auto sum = [&](std::span<const char* const> names) -> std::optional<double> {
    double total = 0;
    for (const char* name : names) {
      std::optional<double> count;
      for (const Origin origin : all_origins) {
        if (!count) count = figure_of(point, {name, origin});
      }
      if (!count) return std::nullopt;
      total += *count;
    }
    return total;
  };
  auto moved = sum(level.moved);
  if (level.instead.front() != nullptr) moved = std::max(moved, sum(level.instead));
  return moved ? std::optional(*moved * level.unit) : std::nullopt;
}

}  // namespace

std::optional<Chart> build_roofline(const RunResults& results) {
  constexpr double per_gigabyte = 1e-3;  // bytes in a microsecond
  constexpr double giga = 1e-9;
  PointList points = records_of(results.points);
  const auto bandwidth = choose_metric(points, std::vector<MetricChoice>{{"bandwidth"}});
  if (!bandwidth || !results.apart.empty()) return std::nullopt;
  const MetricColumn time{"time", bandwidth->origin};
  std::erase_if(points, [&](const PointRecord* point) {
    return point->status == PointStatus::failed || figure_of(*point, *bandwidth).value_or(0) <= 0 ||
           figure_of(*point, time).value_or(0) <= 0 ||
           !std::ranges::all_of(memory_levels, [&](const MemoryLevel& level) {
             return bytes_moved(*point, level).has_value();
           });
  });
  if (points.size() < 2) return std::nullopt;

  Chart chart;
  chart.kind = ChartKind::scatter;
  chart.metric = *bandwidth;
  chart.title = "Roofline of the memory hierarchy";
  chart.better = better_for(*bandwidth, results.run.tuning);
  chart.figure_label = chart.y.label = heading_of(*bandwidth);
  chart.x.label = "useful bytes for a byte that the level moves";
  chart.series_label = "level";
  chart.panels = {""};
  const std::map<const PointRecord*, std::size_t> ordinals = ordinals_of(results);
  bool has_roofs = false;
  for (const MemoryLevel& level : memory_levels) {
    const bool is_last = &level == &memory_levels.back();
    double predicted = 0;
    for (const PointRecord* point : points) {
      const double moved = *bytes_moved(*point, level);
      const double useful =
          *figure_of(*point, *bandwidth) * *figure_of(*point, time) / per_gigabyte;
      if (moved <= 0) continue;
      const double alone = figure_of(*point, {level.time, Origin::predicted}).value_or(0);
      if (alone > 0) predicted = std::max(predicted, moved * per_gigabyte / alone);
      ChartMark mark{0, chart.series.size(), useful / moved};
      mark.figure = figure_of(*point, *bandwidth);
      mark.point = ordinals.at(point);
      chart.marks.push_back(mark);
    }
    const double peak = is_last ? results.run.provenance.device.peak_bandwidth() * giga : 0;
    const double roof = predicted > 0 ? predicted : peak;
    has_roofs = has_roofs || roof > 0;
    chart.slopes.push_back({roof, ""});
    chart.series.emplace_back(level.name);
    if (roof > 0) chart.series.back() += ": at most " + describe_figure(*bandwidth, roof);
  }
  // Where all levels move what is useful and little more, it shows nothing.
  constexpr double least_spread = 1.25;
  const auto [left, right] = std::ranges::minmax(chart.marks, {}, &ChartMark::x);
  if (!has_roofs || right.x < least_spread * left.x) return std::nullopt;
  std::ranges::stable_sort(chart.marks, {}, [](const ChartMark& mark) {
    return std::tuple(mark.series, mark.x, *mark.figure);
  });
  chart.x.scale = chart.figure_scale = chart.y.scale = ChartScale::log10;
  const std::string words =
      "Each configuration stands once for each level: the further left, the more the level moves "
      "for a useful byte, of L1 what its passes could have moved. On its line a level moves all it "
      "can, by the prediction for what these configurations ask of it, or by the theoretical peak";
  chart.caption = as_paragraph(std::array{words, thin_out_points(chart)});
  chart.description = describe_chart(chart) + " " + as_sentence(words);
  return chart;
}

}  // namespace sweep
