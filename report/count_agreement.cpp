#include "report/count_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "engine/text/units.h"
#include "report/metric_column.h"

namespace sweep {
namespace {

struct CountPair {
  double hardware = 0;
  double emulated = 0;
};

std::optional<CountPair> pair_of(const PointRecord& point, const std::string& metric) {
  if (point.status != PointStatus::ok) return std::nullopt;
  const auto hardware = figure_of(point, {metric, Origin::hardware});
  const auto emulated = figure_of(point, {metric, Origin::emulated});
  if (!hardware || !emulated) return std::nullopt;
  return CountPair{*hardware, *emulated};
}

/// The emulator executes PTX, and the hardware the machine code that it becomes.
bool is_comparable(const std::string& metric) {
  return metric != "instructions" && metric != "thread_instructions";
}

bool agree(const CountPair& counts, const CountTolerance& tolerance) {
  const double difference = std::abs(counts.emulated - counts.hardware);
  return difference <= tolerance.absolute ||
         difference <= tolerance.relative * std::abs(counts.hardware);
}

/// The hardware's wavefronts in the unit of `metric`; 0 where they were not counted.
double wavefronts_of(const PointRecord& point, const std::string& metric) {
  if (metric == "shared_efficiency") return 100;
  if (metric.ends_with("_wavefronts_per_request")) {
    return figure_of(point, {metric, Origin::hardware}).value_or(0);
  }
  double wavefronts = 0;
  for (const std::string kind : {"shared_load_", "shared_store_"}) {
    if (metric != "shared_conflicts" && !metric.starts_with(kind)) continue;
    wavefronts += figure_of(point, {kind + "wavefronts", Origin::hardware}).value_or(0);
  }
  return wavefronts;
}

bool agree_but_for_waiting(const PointRecord& point, const std::string& metric,
                           const CountPair& counts, const CountTolerance& tolerance) {
  const bool is_worse = metric == "shared_efficiency" ? counts.hardware < counts.emulated
                                                      : counts.hardware > counts.emulated;
  const double difference = std::abs(counts.emulated - counts.hardware);
  return is_worse && difference <= tolerance.waiting * wavefronts_of(point, metric);
}

}  // namespace

CountTolerance tolerance_for(const std::string& metric) {
  constexpr std::array<std::string_view, 4> of_caches = {"l2_read_sectors", "l2_write_sectors",
                                                         "dram_read_bytes", "dram_write_bytes"};
  constexpr double near = 0.005;
  constexpr double far = 0.1;
  // On an NVIDIA H200 the tiles of transpose_tiles have up to 16 % more than their accesses need.
  constexpr double most_waiting = 0.2;
  const double waiting = counts_waiting(metric) ? most_waiting : 0;
  if (metric.ends_with("_hit_rate")) return {0, 10, 0};
  if (unit_of(metric) == "%") return {0, 0.5, waiting};
  if (std::ranges::find(of_caches, metric) != of_caches.end()) return {far, 1, 0};
  return {near, metric.ends_with("_per_request") ? 0.0 : 1.0, waiting};
}

bool counts_waiting(const std::string& metric) {
  return metric.starts_with("shared_") &&
         (metric.ends_with("_conflicts") || metric.ends_with("_wavefronts") ||
          metric.ends_with("_wavefronts_per_request") || metric == "shared_efficiency");
}

std::string describe(const CountTolerance& tolerance, const std::string& metric) {
  std::string text = fmt::format("within {} percentage points", tolerance.absolute);
  if (unit_of(metric) != "%") {
    text = fmt::format("within {:g} %", tolerance.relative * 100);
    if (tolerance.absolute > 0) text += fmt::format(" or {}", tolerance.absolute);
  }
  if (tolerance.waiting > 0) text += fmt::format(", or {:g} % waiting", tolerance.waiting * 100);
  return text;
}

std::optional<double> count_difference(const PointRecord& point, const std::string& metric) {
  const auto counts = pair_of(point, metric);
  if (!counts) return std::nullopt;
  const double difference = counts->emulated - counts->hardware;
  if (unit_of(metric) == "%" || difference == 0) return difference;
  if (counts->hardware == 0)
    return std::copysign(std::numeric_limits<double>::infinity(), difference);
  return difference / std::abs(counts->hardware) * 100;
}

std::string describe_difference(const PointRecord& point, const std::string& metric) {
  const double difference = *count_difference(point, metric);
  const std::string figure =
      std::isfinite(difference) ? format_figure(std::abs(difference)) : "infinitely many";
  return fmt::format("{}{} {}", difference < 0 ? "-" : "+", figure,
                     unit_of(metric) == "%" ? "percentage points" : "%");
}

std::vector<std::string> counted_twice(std::span<const PointRecord* const> points) {
  std::vector<std::string> metrics;
  for (const MetricColumn& column : metric_columns(points)) {
    if (column.origin == Origin::hardware && is_comparable(column.name) &&
        std::ranges::any_of(points, [&](const PointRecord* point) {
          return pair_of(*point, column.name).has_value();
        })) {
      metrics.push_back(column.name);
    }
  }
  return metrics;
}

std::vector<CountAgreement> compare_counts(std::span<const PointRecord* const> points) {
  std::vector<CountAgreement> agreements;
  for (const std::string& metric : counted_twice(points)) {
    CountAgreement agreement;
    agreement.metric = metric;
    const CountTolerance tolerance = tolerance_for(metric);
    double largest = 0;
    for (const PointRecord* point : points) {
      const auto counts = pair_of(*point, metric);
      if (!counts) continue;
      if (agree(*counts, tolerance) || agree_but_for_waiting(*point, metric, *counts, tolerance)) {
        ++agreement.agreeing;
      } else {
        agreement.disagreeing.push_back(point);
      }
      const double difference = std::abs(*count_difference(*point, metric));
      if (difference > largest) {
        largest = difference;
        agreement.farthest = point;
      }
    }
    agreements.push_back(std::move(agreement));
  }
  return agreements;
}

std::vector<std::string> agreement_row(const CountAgreement& agreement,
                                       std::span<const ParameterValues> told) {
  const std::string& metric = agreement.metric;
  const PointRecord* farthest = agreement.farthest;
  return {metric,
          format_thousands(agreement.agreeing),
          format_thousands(agreement.disagreeing.size()),
          farthest != nullptr ? describe_difference(*farthest, metric) : std::string("0"),
          farthest != nullptr ? describe(environment_of(*farthest), told) : std::string(),
          describe(tolerance_for(metric), metric)};
}

}  // namespace sweep
