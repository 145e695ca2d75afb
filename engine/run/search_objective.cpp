#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/run/tuning.h"

namespace sweep {
namespace {

double signed_cost(double figure, Better better) {
  return better == Better::higher ? -figure : figure;
}

/// Between 0 and 1, and the greater the greater the cost.
double squeezed(double cost) {
  constexpr double half = 0.5;
  return half + half * cost / (1 + std::abs(cost));
}

std::optional<double> figure_from(const PointRecord& point, const std::string& metric,
                                  Origin origin) {
  for (const Metric& one : point.metrics) {
    if (one.name == metric && one.origin == origin) return one.value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Metric> preferred_figure(const PointRecord& point, const std::string& metric) {
  for (const Origin origin : {Origin::measured, Origin::hardware, Origin::emulated}) {
    if (const auto value = figure_from(point, metric, origin))
      return Metric{metric, origin, *value};
  }
  return std::nullopt;
}

bool follows_from_time(std::string_view metric) {
  const MetricDefinition* definition = find_metric(metric);
  return definition != nullptr && definition->relation != TimeRelation::unrelated;
}

std::optional<double> SearchObjective::figure(const PointRecord& point) const {
  if (!followed_ || point.status == PointStatus::failed) return std::nullopt;
  const auto found = figure_from(point, followed_->metric, followed_->origin);
  return found && std::isfinite(*found) ? found : std::nullopt;
}

std::span<const TuneObjective> SearchObjective::further() const {
  return std::span(objectives_).subspan(std::min(place_ + 1, objectives_.size()));
}

std::optional<double> SearchObjective::cost(const PointRecord& point) {
  if (point.status == PointStatus::failed) return std::nullopt;
  for (std::size_t i = 0; i < objectives_.size() && !followed_; ++i) {
    const auto found = preferred_figure(point, objectives_[i].metric);
    if (!found) continue;
    followed_ = {found->name, objectives_[i].better, found->origin};
    place_ = i;
  }
  const auto found = figure(point);
  if (!found) return std::nullopt;
  // Too little to matter where figures differ at all.
  constexpr double share = 1e-6;
  double cost = signed_cost(*found, followed_->better);
  double weight = share * (cost != 0 ? std::abs(cost) : 1);
  for (const TuneObjective& objective : further()) {
    const auto next = preferred_figure(point, objective.metric);
    if (next) cost += weight * squeezed(signed_cost(next->value, objective.better));
    weight *= share;
  }
  return cost;
}

double SearchObjective::seconds_when_slower(double figure, double factor,
                                            const UsefulTraffic& useful,
                                            const Device& device) const {
  constexpr double micro = 1e-6;
  constexpr double giga = 1e9;
  constexpr double percent = 1e-2;
  const double never = std::numeric_limits<double>::infinity();
  if (!followed_ || followed_->origin != Origin::measured || !(figure > 0)) return never;
  const std::string& metric = followed_->metric;
  const bool is_wanted_long = (metric == "time") == (followed_->better == Better::higher);
  if (is_wanted_long) return never;
  if (metric == "time") return figure * micro * factor;
  const bool is_shared = metric == "shared_bandwidth";
  const auto bytes = static_cast<double>(is_shared ? useful.shared : useful.device);
  // What moves nothing has no such figure, however long it takes.
  if (bytes == 0) return never;
  if (metric == "bandwidth" || is_shared) return bytes / (figure * giga) * factor;
  if (metric == "percent_of_peak") {
    return bytes / (figure * percent * device.peak_bandwidth()) * factor;
  }
  return never;
}

}  // namespace sweep
