#include "report/compare/compared_metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "report/display_text.h"

namespace sweep {
namespace {

/// Totals that are scaled from a share of the blocks are off by some units in the last place.
constexpr double rounding = 1e-9;

bool is_positive(double value) {
  return std::isfinite(value) && value > 0;
}

double divided(double after, double before) {
  if (before > 0) return after / before;
  return after > 0 ? std::numeric_limits<double>::infinity() : 1;
}

/// How far the ends of an interval lie from its figure, as logarithms.
struct Distances {
  double down = 0;
  double up = 0;
};

std::optional<Distances> distances_of(double value, const std::optional<Interval>& interval) {
  if (!interval) return std::nullopt;
  if (interval->low == value && interval->high == value) return Distances{};
  if (!is_positive(value) || !is_positive(interval->low) || !is_positive(interval->high)) {
    return std::nullopt;
  }
  return Distances{std::fmax(0, std::log(value / interval->low)),
                   std::fmax(0, std::log(interval->high / value))};
}

}  // namespace

Ratio ratio_of(const ComparedFigure& before, const ComparedFigure& after) {
  Ratio ratio{divided(after.value, before.value), {}};
  const auto of_before = distances_of(before.value, before.interval);
  const auto of_after = distances_of(after.value, after.interval);
  if (!of_before || !of_after) return ratio;
  ratio.interval = Interval{ratio.value * std::exp(-std::hypot(of_after->down, of_before->up)),
                            ratio.value * std::exp(std::hypot(of_after->up, of_before->down))};
  return ratio;
}

Ratio inverse(const Ratio& ratio) {
  Ratio inverted{1 / ratio.value, {}};
  if (ratio.interval) {
    inverted.interval = Interval{1 / ratio.interval->high, 1 / ratio.interval->low};
  }
  return inverted;
}

std::optional<Ratio> geometric_mean(std::span<const Ratio> ratios) {
  double sum = 0;
  Distances squares;
  bool has_interval = true;
  double count = 0;
  for (const Ratio& ratio : ratios) {
    if (!is_positive(ratio.value)) continue;
    sum += std::log(ratio.value);
    ++count;
    const auto distances = distances_of(ratio.value, ratio.interval);
    has_interval = has_interval && distances.has_value();
    if (!distances) continue;
    squares.down += distances->down * distances->down;
    squares.up += distances->up * distances->up;
  }
  if (count == 0) return std::nullopt;
  Ratio mean{std::exp(sum / count), {}};
  if (has_interval) {
    mean.interval = Interval{mean.value * std::exp(-std::sqrt(squares.down) / count),
                             mean.value * std::exp(std::sqrt(squares.up) / count)};
  }
  return mean;
}

Side side_of(const Ratio& ratio, double threshold) {
  const Interval interval = ratio.interval.value_or(Interval{ratio.value, ratio.value});
  const double most = (1 + threshold) * (1 + rounding);
  const double least = 1 / most;
  if (interval.low > most) return Side::above;
  if (interval.high < least) return Side::below;
  return interval.low >= least && interval.high <= most ? Side::within : Side::across;
}

namespace {

constexpr double share_of_measured = 0.05;

/// What an access pattern costs, as the emulator counts it: the metrics that have a place among the
/// costs, in that order.
std::vector<MetricColumn> emulated_costs() {
  std::map<int, MetricColumn> costs;
  for (const MetricDefinition& metric : metric_definitions()) {
    if (metric.cost > 0) costs[metric.cost] = {metric.name, Origin::emulated};
  }
  std::vector<MetricColumn> columns;
  for (const auto& [place, column] : costs) columns.push_back(column);
  return columns;
}

TimeRelation relation_to_time(const MetricColumn& column) {
  const MetricDefinition* metric = find_metric(column.name);
  const bool is_known = metric != nullptr && column.origin == Origin::measured;
  return is_known ? metric->relation : TimeRelation::unrelated;
}

bool follows_time(const MetricColumn& column) {
  return relation_to_time(column) == TimeRelation::inverse ||
         column == MetricColumn{"time", Origin::measured};
}

bool is_speed(const MetricColumn& column) {
  return relation_to_time(column) != TimeRelation::unrelated;
}

/// Totals that the emulator writes only where there are any.
bool is_left_out_at_zero(const MetricColumn& column) {
  const MetricDefinition* metric = find_metric(column.name);
  return column.origin == Origin::emulated && metric != nullptr && metric->is_zero_left_out;
}

bool is_counted(const PointRecord& point) {
  return figure_of(point, MetricColumn{"instructions", Origin::emulated}).has_value();
}

bool all_have_both(std::span<const PointPair> pairs, const MetricColumn& column) {
  return std::ranges::all_of(pairs, [&](const PointPair& pair) {
    return compared_figure(*pair.before, column) && compared_figure(*pair.after, column);
  });
}

bool is_zero_everywhere(std::span<const PointPair> pairs, const MetricColumn& column) {
  return std::ranges::all_of(pairs, [&](const PointPair& pair) {
    const auto before = compared_figure(*pair.before, column);
    const auto after = compared_figure(*pair.after, column);
    return (!before || before->value == 0) && (!after || after->value == 0);
  });
}

/// Transactions are sectors, but by the rules of the capabilities before 5.0.
bool repeats_sectors(std::span<const PointPair> pairs, const MetricColumn& column) {
  const std::size_t tail = column.name.rfind("_transactions");
  if (tail == std::string::npos) return false;
  const MetricColumn sectors{column.name.substr(0, tail) + "_sectors", column.origin};
  return std::ranges::all_of(pairs, [&](const PointPair& pair) {
    return figure_of(*pair.before, column) == figure_of(*pair.before, sectors) &&
           figure_of(*pair.after, column) == figure_of(*pair.after, sectors);
  });
}

ComparedMetric make_metric(const MetricColumn& before, const MetricColumn& after,
                           std::optional<double> threshold) {
  return {before,
          after,
          better_in_comparison(after),
          threshold.value_or(default_threshold(before, after)),
          is_speed(before) && is_speed(after),
          true};
}

/// Whether a ratio of bandwidths is one of speeds.
bool has_same_useful_bytes(std::span<const PointPair> pairs) {
  const MetricColumn column{"useful_bytes", Origin::measured};
  return std::ranges::all_of(pairs, [&](const PointPair& pair) {
    return figure_of(*pair.before, column) == figure_of(*pair.after, column);
  });
}

MetricColumn speed_of(std::span<const PointPair> pairs) {
  std::vector<PointPair> timed(pairs.begin(), pairs.end());
  const MetricColumn time{"time", Origin::measured};
  std::erase_if(timed, [&](const PointPair& pair) {
    return !compared_figure(*pair.before, time) || !compared_figure(*pair.after, time);
  });
  for (const char* name : {"bandwidth", "shared_bandwidth"}) {
    const MetricColumn column{name, Origin::measured};
    if (has_same_useful_bytes(timed) && all_have_both(timed, column)) return column;
  }
  return time;
}

std::vector<ComparedMetric> default_metrics(std::span<const PointPair> pairs,
                                            std::optional<double> threshold) {
  const MetricColumn time{"time", Origin::measured};
  if (any_has_both(pairs, time, time)) {
    const MetricColumn speed = speed_of(pairs);
    return {make_metric(speed, speed, threshold)};
  }
  std::vector<ComparedMetric> metrics;
  for (const MetricColumn& column : emulated_costs()) {
    if (!any_has_both(pairs, column, column) || is_zero_everywhere(pairs, column)) continue;
    if (repeats_sectors(pairs, column)) continue;
    metrics.push_back(make_metric(column, column, threshold));
  }
  if (metrics.empty()) {
    throw ComparisonError(
        "the two runs share neither a time nor counts of the emulator; --metric NAME compares "
        "another metric, and 'sweep list metrics' shows which there are");
  }
  return metrics;
}

std::vector<std::string> origins_of(std::span<const PointPair> pairs, const std::string& name,
                                    const PointRecord* PointPair::*side) {
  std::vector<std::string> found;
  for (const Origin origin : all_origins) {
    const MetricColumn column{name, origin};
    const bool any = std::ranges::any_of(pairs, [&](const PointPair& pair) {
      return compared_figure(*(pair.*side), column).has_value();
    });
    if (any) found.emplace_back(to_string(origin));
  }
  return found;
}

[[noreturn]] void fail_on(std::span<const PointPair> pairs, const MetricRequest& request) {
  const auto before = origins_of(pairs, request.name, &PointPair::before);
  const auto after = origins_of(pairs, request.name, &PointPair::after);
  if (before.empty() && after.empty()) {
    const bool is_known = find_metric(request.name) != nullptr;
    throw ComparisonError(fmt::format("no configuration of either run has the metric {}{}{}",
                                      request.name, is_known ? "" : "; ",
                                      is_known ? "" : suggest_metric(request.name)));
  }
  if (before.empty() || after.empty()) {
    throw ComparisonError(fmt::format("only {} has the metric {} ({})", before.empty() ? "B" : "A",
                                      request.name, in_words(before.empty() ? after : before)));
  }
  throw ComparisonError(fmt::format(
      "no configuration has {0} of such an origin in both runs: it is {1} in A and {2} in B; to "
      "compare them all the same write --metric {0}.{3}/{4}",
      request.name, in_words(before), in_words(after), before.front(), after.front()));
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
  fail_on(pairs, request);
}

/// What stands behind the last `mark` of the text, which loses both; empty without one.
std::string_view cut_last(std::string_view& text, char mark) {
  const std::size_t place = text.rfind(mark);
  if (place == std::string_view::npos) return {};
  const std::string_view tail = text.substr(place + 1);
  text = text.substr(0, place);
  return tail;
}

Origin read_origin(std::string_view name) {
  if (const auto origin = find_origin(name)) return *origin;
  throw std::invalid_argument(
      fmt::format("'{}' is no origin; write measured, hardware or emulated", name));
}

}  // namespace

MetricRequest read_metric_request(std::string_view text) {
  MetricRequest request;
  std::string_view rest = text;
  if (rest.find(':') != std::string_view::npos) {
    const std::string_view better = cut_last(rest, ':');
    if (better != "lower" && better != "higher") {
      throw std::invalid_argument(
          fmt::format("'{}' after the colon: write lower or higher, whichever is better", better));
    }
    request.better = better == "lower" ? Better::lower : Better::higher;
  }
  if (rest.find('/') != std::string_view::npos) {
    request.after = read_origin(cut_last(rest, '/'));
    request.before = read_origin(cut_last(rest, '.'));
  } else if (const std::size_t dot = rest.rfind('.');
             dot != std::string_view::npos && find_origin(rest.substr(dot + 1))) {
    request.before = request.after = find_origin(cut_last(rest, '.'));
  }
  if (rest.empty()) throw std::invalid_argument("a metric's name is missing");
  const MetricDefinition* known = find_metric(rest);
  request.name = known != nullptr ? known->name : std::string(rest);
  return request;
}

Better better_in_comparison(const MetricColumn& column) {
  static const std::set<std::string, std::less<>> demands = {
      "load_bytes",     "store_bytes",         "useful_bytes", "samples",
      "executed_share", "launches_per_sample", "sm_clock",     "memory_clock"};
  const MetricDefinition* known = find_metric(column.name);
  if (known == nullptr) return column.name.ends_with(".sum") ? Better::lower : Better::neither;
  if (known->better != Better::neither || demands.contains(column.name)) return known->better;
  return known->unit == "1" || known->unit == "B" ? Better::lower : Better::neither;
}

double default_threshold(const MetricColumn& before, const MetricColumn& after) {
  const bool exact = before.origin == Origin::emulated && after.origin == Origin::emulated &&
                     !before.name.ends_with("instructions");
  return exact ? 0 : share_of_measured;
}

std::optional<ComparedFigure> compared_figure(const PointRecord& point,
                                              const MetricColumn& column) {
  const auto figure = figure_of(point, column);
  if (!figure) {
    if (is_left_out_at_zero(column) && is_counted(point)) {
      return ComparedFigure{0, Interval{0, 0}};
    }
    return std::nullopt;
  }
  if (!std::isfinite(*figure) || *figure < 0) return std::nullopt;
  if (!follows_time(column)) return ComparedFigure{*figure, Interval{*figure, *figure}};
  if (*figure == 0) return std::nullopt;
  const RankedBy ranked_by{column.name, better_of(column.name), column.origin};
  return ComparedFigure{*figure, interval_of(point, ranked_by)};
}

bool any_has_both(std::span<const PointPair> pairs, const MetricColumn& before,
                  const MetricColumn& after) {
  return std::ranges::any_of(pairs, [&](const PointPair& pair) {
    return compared_figure(*pair.before, before) && compared_figure(*pair.after, after);
  });
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
