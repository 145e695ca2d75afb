#include "report/count_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

/// The hardware's may be the worse by what waited.
bool agree(const PointRecord& point, const std::string& metric, const CountPair& counts) {
  const CountTolerance tolerance = tolerance_for(metric);
  const double difference = std::abs(counts.emulated - counts.hardware);
  if (difference <= tolerance.absolute ||
      difference <= tolerance.relative * std::abs(counts.hardware)) {
    return true;
  }
  const MetricDefinition* definition = find_metric(metric);
  if (definition == nullptr) return false;
  const bool is_worse = definition->better == Better::higher ? counts.hardware < counts.emulated
                                                             : counts.hardware > counts.emulated;
  double wavefronts = definition->unit == "%" ? 100 : 0;
  if (wavefronts == 0) {
    for (const std::string& name : definition->wavefronts) {
      wavefronts += figure_of(point, {name, Origin::hardware}).value_or(0);
    }
  }
  return is_worse && difference <= tolerance.waiting * wavefronts;
}

}  // namespace

CountTolerance tolerance_for(const std::string& metric) {
  const MetricDefinition* definition = find_metric(metric);
  return definition != nullptr ? definition->tolerance : CountTolerance{};
}

bool counts_waiting(const std::string& metric) {
  return tolerance_for(metric).waiting > 0;
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
    const MetricDefinition* definition = find_metric(column.name);
    if (column.origin == Origin::hardware && (definition == nullptr || definition->is_comparable) &&
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
    CountAgreement& agreement = agreements.emplace_back();
    agreement.metric = metric;
    double largest = 0;
    for (const PointRecord* point : points) {
      const auto counts = pair_of(*point, metric);
      if (!counts) continue;
      if (agree(*point, metric, *counts)) {
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
  }
  return agreements;
}

}  // namespace sweep
