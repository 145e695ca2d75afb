#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "report/compare/run_comparison.h"
#include "report/display_text.h"

namespace sweep {
namespace {

bool is_positive(double value) {
  return std::isfinite(value) && value > 0;
}

/// How far the ends of an interval lie from its figure, as logarithms.
struct Distances {
  double down = 0;
  double up = 0;
};

std::optional<Distances> distances_of(const Estimate& estimate) {
  const auto& [value, interval] = estimate;
  if (!interval) return std::nullopt;
  const auto [low, high] = *interval;
  if (low == value && high == value) return Distances{};
  if (!is_positive(value) || !is_positive(low) || !is_positive(high)) return std::nullopt;
  return Distances{std::fmax(0, std::log(value / low)), std::fmax(0, std::log(high / value))};
}

const MetricColumn measured_time = {"time", Origin::measured};

TimeRelation relation_to_time(const MetricColumn& column) {
  return column.origin == Origin::measured ? definition_of(column.name).relation
                                           : TimeRelation::unrelated;
}

bool has_both(const PointPair& pair, const MetricColumn& before, const MetricColumn& after) {
  return compared_figure(*pair.before, before) && compared_figure(*pair.after, after);
}

/// Transactions are sectors, but by the rules of the capabilities before 5.0.
bool repeats_sectors(const PointList& points, const MetricColumn& column) {
  const std::size_t tail = column.name.rfind("_transactions");
  if (tail == std::string::npos) return false;
  const MetricColumn sectors{column.name.substr(0, tail) + "_sectors", column.origin};
  return std::ranges::all_of(points, [&](const PointRecord* point) {
    return figure_of(*point, column) == figure_of(*point, sectors);
  });
}

ComparedMetric make_metric(const MetricColumn& before, const MetricColumn& after,
                           std::optional<double> threshold) {
  constexpr double share_of_measured = 0.05;
  const auto is_speed = [](const MetricColumn& column) {
    return relation_to_time(column) != TimeRelation::unrelated;
  };
  const bool is_exact = before.origin == Origin::emulated && after.origin == Origin::emulated &&
                        !before.name.ends_with("instructions");
  return {before, after, better_in_comparison(after),
          threshold.value_or(is_exact ? 0 : share_of_measured),
          is_speed(before) && is_speed(after)};
}

/// A ratio of bandwidths is one of speeds where the useful bytes are the same.
MetricColumn speed_of(std::span<const PointPair> pairs) {
  const MetricColumn bytes{"useful_bytes", Origin::measured};
  for (const char* name : {"bandwidth", "shared_bandwidth"}) {
    const MetricColumn column{name, Origin::measured};
    const bool is_speed = std::ranges::all_of(pairs, [&](const PointPair& pair) {
      return !has_both(pair, measured_time, measured_time) ||
             (has_both(pair, column, column) &&
              figure_of(*pair.before, bytes) == figure_of(*pair.after, bytes));
    });
    if (is_speed) return column;
  }
  return measured_time;
}

std::vector<ComparedMetric> default_metrics(std::span<const PointPair> pairs,
                                            std::optional<double> threshold) {
  if (any_has_both(pairs, measured_time, measured_time)) {
    const MetricColumn speed = speed_of(pairs);
    return {make_metric(speed, speed, threshold)};
  }
  PointList points;
  for (const auto& [before, after] : pairs) points.insert(points.end(), {before, after});
  // What an access pattern costs, as the emulator counts it.
  std::map<int, MetricColumn> costs;
  for (const MetricDefinition& metric : metric_definitions()) {
    if (metric.cost > 0) costs[metric.cost] = {metric.name, Origin::emulated};
  }
  std::vector<ComparedMetric> metrics;
  for (const auto& each : costs) {
    const MetricColumn& column = each.second;
    const bool is_zero = std::ranges::all_of(points, [&](const PointRecord* point) {
      return compared_figure(*point, column).value_or(Estimate()).value == 0;
    });
    if (is_zero || !any_has_both(pairs, column, column) || repeats_sectors(points, column))
      continue;
    metrics.push_back(make_metric(column, column, threshold));
  }
  if (metrics.empty()) {
    throw ComparisonError(
        "the two runs share neither a time nor counts of the emulator; --metric NAME compares "
        "another metric, and 'sweep list metrics' shows which there are");
  }
  return metrics;
}

[[noreturn]] void fail_on(std::span<const PointPair> pairs, const std::string& name) {
  std::vector<std::string> before;  // origins
  std::vector<std::string> after;
  for (const Origin origin : all_origins) {
    const auto has = [&](const PointRecord* point) {
      return compared_figure(*point, {name, origin}).has_value();
    };
    if (std::ranges::any_of(pairs, has, &PointPair::before)) before.emplace_back(to_string(origin));
    if (std::ranges::any_of(pairs, has, &PointPair::after)) after.emplace_back(to_string(origin));
  }
  if (before.empty() && after.empty()) {
    throw ComparisonError(
        fmt::format("no configuration of either run has the metric {}{}", name,
                    find_metric(name) != nullptr ? "" : "; " + suggest_metric(name)));
  }
  if (before.empty() || after.empty()) {
    throw ComparisonError(fmt::format("only {} has the metric {} ({})", before.empty() ? "B" : "A",
                                      name, in_words(before.empty() ? after : before)));
  }
  throw ComparisonError(fmt::format(
      "no configuration has {0} of such an origin in both runs: it is {1} in A and {2} in B; to "
      "compare them all the same write --metric {0}.{3}/{4}",
      name, in_words(before), in_words(after), before.front(), after.front()));
}

ComparedMetric requested_metric(std::span<const PointPair> pairs, const MetricRequest& request,
                                std::optional<double> threshold) {
  for (const Origin origin : all_origins) {
    const MetricColumn before{request.name, request.before.value_or(origin)};
    const MetricColumn after{request.name, request.after.value_or(origin)};
    if (!any_has_both(pairs, before, after)) continue;
    ComparedMetric metric = make_metric(before, after, threshold);
    if (request.better) metric.better = *request.better;
    return metric;
  }
  fail_on(pairs, request.name);
}

/// What stands behind the last `mark` of the text, which loses both; nothing without one.
std::optional<std::string_view> cut_last(std::string_view& text, char mark) {
  const std::size_t place = text.rfind(mark);
  if (place == text.npos) return std::nullopt;
  const std::string_view tail = text.substr(place + 1);
  text = text.substr(0, place);
  return tail;
}

Origin read_origin(std::string_view name) {
  if (const auto origin = find_origin(name)) return *origin;
  throw std::invalid_argument(
      fmt::format("'{}' is no origin; write measured, hardware, predicted or emulated", name));
}

/// The value with an interval whose ends lie so far from it.
Estimate with_distances(double value, const Distances& distances) {
  return {value, Interval{value * std::exp(-distances.down), value * std::exp(distances.up)}};
}

}  // namespace

Estimate ratio_of(const Estimate& before, const Estimate& after) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double ratio = before.value > 0  ? after.value / before.value
                       : after.value > 0 ? infinite
                                         : 1;
  const auto of_before = distances_of(before);
  const auto of_after = distances_of(after);
  if (!of_before || !of_after) return {ratio, {}};
  return with_distances(ratio, {std::hypot(of_after->down, of_before->up),
                                std::hypot(of_after->up, of_before->down)});
}

Estimate inverse(const Estimate& ratio) {
  const auto& [value, interval] = ratio;
  if (!interval) return {1 / value, {}};
  return {1 / value, Interval{1 / interval->high, 1 / interval->low}};
}

std::optional<Estimate> geometric_mean(std::span<const Estimate> ratios) {
  double sum = 0;
  double count = 0;
  bool has_interval = true;
  Distances squares;
  for (const Estimate& ratio : ratios) {
    if (!is_positive(ratio.value)) continue;
    sum += std::log(ratio.value);
    ++count;
    const auto distances = distances_of(ratio);
    has_interval = has_interval && distances;
    const auto [down, up] = distances.value_or(Distances());
    squares.down += down * down;
    squares.up += up * up;
  }
  if (count == 0) return std::nullopt;
  const double mean = std::exp(sum / count);
  if (!has_interval) return Estimate{mean, {}};
  return with_distances(mean, {std::sqrt(squares.down) / count, std::sqrt(squares.up) / count});
}

Change change_by(const Estimate& cost, double threshold) {
  // Totals that are scaled from a share of the blocks are off by some units in the last place.
  constexpr double rounding = 1e-9;
  const Interval ends = cost.ends();
  const double most = (1 + threshold) * (1 + rounding);
  if (ends.low > most) return Change::worse;
  if (ends.high < 1 / most) return Change::better;
  return ends.low >= 1 / most && ends.high <= most ? Change::same : Change::unclear;
}

MetricRequest read_metric_request(std::string_view text) {
  MetricRequest request;
  std::string_view rest = text;
  if (const auto better = cut_last(rest, ':')) {
    if (better != "lower" && better != "higher") {
      throw std::invalid_argument(
          fmt::format("'{}' after the colon: write lower or higher, whichever is better", *better));
    }
    request.better = better == "lower" ? Better::lower : Better::higher;
  }
  if (const auto after = cut_last(rest, '/')) {
    request.after = read_origin(*after);
    request.before = read_origin(cut_last(rest, '.').value_or(""));
  } else if (const auto [name, origin] = split_origin(rest); origin) {
    request.before = request.after = origin;
    rest = rest.substr(0, name.size());
  }
  if (rest.empty()) throw std::invalid_argument("a metric's name is missing");
  const MetricDefinition* known = find_metric(rest);
  request.name = known != nullptr ? known->name : std::string(rest);
  return request;
}

Better better_in_comparison(const MetricColumn& column) {
  constexpr std::array<std::string_view, 8> demands = {
      "load_bytes",     "store_bytes",         "useful_bytes", "samples",
      "executed_share", "launches_per_sample", "sm_clock",     "memory_clock"};
  const MetricDefinition* known = find_metric(column.name);
  if (known == nullptr) return column.name.ends_with(".sum") ? Better::lower : Better::neither;
  if (known->better != Better::neither || std::ranges::find(demands, column.name) != demands.end())
    return known->better;
  return known->unit == "1" || known->unit == "B" ? Better::lower : Better::neither;
}

std::optional<Estimate> compared_figure(const PointRecord& point, const MetricColumn& column) {
  const auto exactly = [](double value) { return Estimate{value, Interval{value, value}}; };
  const auto figure = figure_of(point, column);
  if (!figure) {
    const bool is_zero = column.origin == Origin::emulated &&
                         definition_of(column.name).is_zero_left_out &&
                         figure_of(point, MetricColumn{"instructions", Origin::emulated});
    return is_zero ? std::optional(exactly(0)) : std::nullopt;
  }
  if (!std::isfinite(*figure) || *figure < 0) return std::nullopt;
  const bool follows_time =
      column.origin == Origin::measured && follows_median(definition_of(column.name));
  if (!follows_time) return exactly(*figure);
  if (*figure == 0) return std::nullopt;
  return Estimate{*figure,
                  interval_of(point, {column.name, better_of(column.name), column.origin})};
}

bool any_has_both(std::span<const PointPair> pairs, const MetricColumn& before,
                  const MetricColumn& after) {
  return std::ranges::any_of(pairs,
                             [&](const PointPair& pair) { return has_both(pair, before, after); });
}

std::vector<ComparedMetric> choose_metrics(std::span<const PointPair> pairs,
                                           std::span<const MetricRequest> requests,
                                           std::optional<double> threshold) {
  if (requests.empty()) return default_metrics(pairs, threshold);
  std::vector<ComparedMetric> metrics;
  for (const MetricRequest& request : requests) {
    ComparedMetric metric = requested_metric(pairs, request, threshold);
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::string heading_of(const ComparedMetric& metric) {
  if (metric.before.origin == metric.after.origin) return heading_of(metric.before);
  const std::string unit = unit_of(metric.before.name);
  return fmt::format("{}{}, {} in A, {} in B", metric.before.name,
                     unit.empty() ? unit : " [" + unit + "]", to_string(metric.before.origin),
                     to_string(metric.after.origin));
}

}  // namespace sweep
