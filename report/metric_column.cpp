#include "report/metric_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/text/units.h"

namespace sweep {

std::optional<double> figure_of(const PointRecord& point, const MetricColumn& column) {
  for (const Metric& metric : point.metrics) {
    if (metric.name == column.name && metric.origin == column.origin) return metric.value;
  }
  return std::nullopt;
}

const MetricDefinition& definition_of(const std::string& metric) {
  static const MetricDefinition unknown;
  const MetricDefinition* definition = find_metric(metric);
  return definition != nullptr ? *definition : unknown;
}

std::string unit_of(const std::string& metric) {
  const std::string& unit = definition_of(metric).unit;
  return unit != "1" ? unit : std::string();
}

Better better_of(const std::string& metric) {
  return definition_of(metric).better;
}

bool is_time(const MetricColumn& column) {
  return column.origin == Origin::measured && unit_of(column.name) == "us";
}

MetricColumn column_of(const TuningRecord& tuning) {
  return {tuning.metric, tuning.origin};
}

Better better_for(const MetricColumn& column, const std::optional<TuningRecord>& tuning) {
  return tuning && column_of(*tuning) == column ? tuning->better : better_of(column.name);
}

std::string heading_of(const MetricColumn& column) {
  std::string heading = column.name;
  if (const std::string unit = unit_of(column.name); !unit.empty()) heading += " [" + unit + "]";
  if (column.origin == Origin::hardware) heading += ", hardware counter";
  if (column.origin == Origin::emulated) heading += ", emulated";
  return heading;
}

std::vector<MetricColumn> metric_columns(std::span<const PointRecord* const> points) {
  std::vector<std::string> names = metric_names();
  std::set<std::string> known(names.begin(), names.end());
  std::set<MetricColumn> present;
  for (const PointRecord* point : points) {
    for (const Metric& metric : point->metrics) {
      if (known.insert(metric.name).second) names.push_back(metric.name);
      present.insert({metric.name, metric.origin});
    }
  }
  std::vector<MetricColumn> columns;
  for (const std::string& name : names) {
    for (const Origin origin : all_origins) {
      if (present.contains({name, origin})) columns.push_back({name, origin});
    }
  }
  return columns;
}

bool any_has(std::span<const PointRecord* const> points, const MetricColumn& column) {
  return std::ranges::any_of(
      points, [&](const PointRecord* point) { return figure_of(*point, column).has_value(); });
}

std::optional<MetricColumn> choose_metric(std::span<const PointRecord* const> points,
                                          std::span<const std::string> names) {
  for (const std::string& name : names) {
    for (const Origin origin : all_origins) {
      if (any_has(points, {name, origin})) return MetricColumn{name, origin};
    }
  }
  return std::nullopt;
}

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
  const MetricDefinition& definition = definition_of(metric);
  const CountTolerance& tolerance = definition.tolerance;
  const double difference = std::abs(counts.emulated - counts.hardware);
  if (difference <= tolerance.absolute ||
      difference <= tolerance.relative * std::abs(counts.hardware)) {
    return true;
  }
  double wavefronts = definition.unit == "%" ? 100 : 0;
  for (const std::string& name : definition.wavefronts) {
    wavefronts += figure_of(point, {name, Origin::hardware}).value_or(0);
  }
  const bool is_worse = definition.better == Better::higher ? counts.hardware < counts.emulated
                                                            : counts.hardware > counts.emulated;
  return is_worse && difference <= tolerance.waiting * wavefronts;
}

}  // namespace

CountTolerance tolerance_for(const std::string& metric) {
  return definition_of(metric).tolerance;
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
    const auto is_counted = [&](const PointRecord* point) {
      return pair_of(*point, column.name).has_value();
    };
    if (column.origin == Origin::hardware && definition_of(column.name).is_comparable &&
        std::ranges::any_of(points, is_counted)) {
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
