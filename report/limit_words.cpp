#include "report/limit_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/metric_column.h"
#include "report/parameter_values.h"
#include "report/point_list.h"
#include "report/point_records.h"

namespace sweep {
namespace {

constexpr std::size_t most_groups = 4;
/// Below this share, in %, an access is worth a word.
constexpr double good_efficiency = 90;

struct Count {
  double figure = 0;
  Origin origin = Origin::hardware;
};

std::optional<Count> count_of_metric(const PointRecord& point, const std::string& metric) {
  for (const Origin origin : {Origin::hardware, Origin::emulated}) {
    const auto figure = figure_of(point, {metric, origin});
    if (figure && std::isfinite(*figure)) return Count{*figure, origin};
  }
  return std::nullopt;
}

std::string origin_of(const Count& count) {
  return count.origin == Origin::emulated ? " (emulated)" : "";
}

/// Two significant digits at most: "8", "1.5", "24".
std::string rough(double figure) {
  return figure >= 9.95 ? fmt::format("{:.0f}", figure) : fmt::format("{:.2g}", figure);
}

/// Whether the loads, or the stores, are a tenth at least of what the point moves, as far as known.
bool matters(const PointRecord& point, const std::string& kind) {
  constexpr double least_share = 0.1;
  const auto loads = count_of_metric(point, "load_sectors");
  const auto stores = count_of_metric(point, "store_sectors");
  if (!loads || !stores) return true;
  const double own = kind == "load" ? loads->figure : stores->figure;
  return own >= least_share * (loads->figure + stores->figure);
}

/// "8 times the bytes that it wants: 32 sectors a request, where 4 would do"
std::optional<std::string> describe_sectors(const PointRecord& point, const std::string& kind) {
  const auto efficiency = count_of_metric(point, kind + "_efficiency");
  const auto sectors = count_of_metric(point, kind + "_sectors_per_request");
  const bool is_wasteful =
      efficiency && efficiency->figure > 0 && efficiency->figure < good_efficiency;
  if (!is_wasteful || !matters(point, kind)) {
    return std::nullopt;
  }
  std::string text = rough(100 / efficiency->figure) + " times the bytes that it wants";
  if (sectors && sectors->figure > 0) {
    text += fmt::format(": {} sectors a request, where {} would do", rough(sectors->figure),
                        rough(sectors->figure * efficiency->figure / 100));
  }
  return text + origin_of(*efficiency);
}

std::vector<std::string> describe_global_waste(const PointRecord& point) {
  const auto loads = describe_sectors(point, "load");
  const auto stores = describe_sectors(point, "store");
  if (loads && loads == stores) return {"moves " + *loads};
  std::vector<std::string> parts;
  if (loads) parts.push_back("loads " + *loads);
  if (stores) parts.push_back("stores " + *stores);
  return parts;
}

std::optional<std::string> describe_conflicts(const PointRecord& point) {
  const auto efficiency = count_of_metric(point, "shared_efficiency");
  const auto conflicts = count_of_metric(point, "shared_conflicts");
  const bool is_in_conflict = conflicts && conflicts->figure > 0 && efficiency &&
                              efficiency->figure > 0 && efficiency->figure < good_efficiency;
  if (!is_in_conflict) return std::nullopt;
  return fmt::format(
      "takes {} times the passes through shared memory that its bytes need, for {} bank "
      "conflicts{}",
      rough(100 / efficiency->figure), format_total(conflicts->figure), origin_of(*conflicts));
}

std::optional<std::string> describe_idle_lanes(const PointRecord& point) {
  constexpr double most = 28;
  const auto lanes = count_of_metric(point, "load_lanes_per_request");
  if (!lanes || lanes->figure >= most || lanes->figure <= 0) return std::nullopt;
  return fmt::format("loads with {} of a warp's 32 threads{}", rough(lanes->figure),
                     origin_of(*lanes));
}

std::optional<std::string> describe_spills(const PointRecord& point) {
  double sectors = 0;
  Count last;
  for (const char* metric : {"local_load_sectors", "local_store_sectors"}) {
    if (const auto count = count_of_metric(point, metric)) {
      sectors += count->figure;
      last = *count;
    }
  }
  if (sectors <= 0) return std::nullopt;
  return fmt::format("moves {} sectors of local memory, as spilled registers do{}",
                     format_total(sectors), origin_of(last));
}

/// "reaches 88.3 % of the theoretical peak of 4814 GB/s: it is bound by memory"
std::optional<std::string> describe_share(const PointRecord& point, double peak) {
  const auto share = figure_of(point, {"percent_of_peak", Origin::measured});
  if (!share || !std::isfinite(*share) || *share <= 0) return std::nullopt;
  constexpr double saturated = 75;
  constexpr double beyond = 102;
  constexpr double little = 40;
  std::string text =
      fmt::format("reaches {} % of the device's theoretical peak",
                  *share >= 10 ? fmt::format("{:.1f}", *share) : format_figure(*share));
  if (peak > 0) text += fmt::format(" of {} GB/s", format_figure(peak / 1e9));
  if (*share >= beyond) return text + ": its data comes from caches, not from memory";
  if (*share >= saturated) return text + ": it is bound by memory";
  return text + (*share < little ? ": memory is far from saturated" : ": memory is not saturated");
}

std::optional<std::string> describe_hits(const PointRecord& point) {
  constexpr double high = 90;
  for (const auto& [metric, cache] :
       {std::pair{"l1_hit_rate", "L1"}, std::pair{"l2_hit_rate", "L2"}}) {
    const auto rate = figure_of(point, {metric, Origin::hardware});
    if (rate && *rate >= high) {
      return fmt::format("finds {:.0f} % of its sectors in the {} cache", *rate, cache);
    }
  }
  return std::nullopt;
}

/// What a run without times is judged by: a metric of which more, or less, is better.
std::optional<MetricColumn> main_count(const RunResults& results,
                                       const std::vector<const PointRecord*>& points) {
  if (!results.layout.tables.empty()) {
    const auto chosen = choose_metric(points, results.layout.tables.front().values);
    if (chosen && better_for(*chosen, results.run.tuning) != Better::neither) return chosen;
  }
  for (const MetricColumn& metric : main_columns(points)) {
    if (better_for(metric, results.run.tuning) != Better::neither) return metric;
  }
  return std::nullopt;
}

class LimitWords {
 public:
  LimitWords(const RunResults& results, const Verdicts& verdicts)
      : results_(results), verdicts_(verdicts), points_(records_of(results.points)) {
    parameters_ = parameters_of(points_);
    told_ = results.run.tuning ? chosen_parameters(parameters_, results.run.tuning->for_each)
                               : telling_parameters(parameters_);
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> sentences;
    for (const VerdictGroup& group : verdicts_.groups) {
      if (&group - verdicts_.groups.data() < static_cast<std::ptrdiff_t>(most_groups)) {
        add_group(group, sentences);
      }
    }
    if (verdicts_.groups.empty()) add_range(sentences);
    return sentences;
  }

 private:
  std::string configuration(std::size_t place) const {
    return describe(environment_of(*points_[place]), told_);
  }

  /// " of T = float" where there are several groups.
  std::string name_of(const VerdictGroup& group) const {
    if (verdicts_.groups.size() < 2) return {};
    if (group.group.empty()) return " of " + group.pattern;
    return " of " + describe_group(group.group, results_.run.tuning->for_each, parameters_);
  }

  void add_group(const VerdictGroup& group, std::vector<std::string>& sentences) const {
    const PointRecord& best = *points_[group.best];
    std::vector<std::string> parts;
    if (const auto share = describe_share(best, results_.run.provenance.device.peak_bandwidth)) {
      parts.push_back(*share);
    }
    if (const auto hits = describe_hits(best)) parts.push_back(*hits);
    for (std::string& waste : describe_waste(best)) parts.push_back(std::move(waste));
    if (!parts.empty()) {
      sentences.push_back(fmt::format("The best{} {}.", name_of(group), in_words(parts)));
    }
    if (group.slowest) add_slowest(group, sentences);
  }

  void add_slowest(const VerdictGroup& group, std::vector<std::string>& sentences) const {
    const PointVerdict& verdict = *verdicts_.of_points[*group.slowest];
    std::string sentence =
        fmt::format("The {}{}, {}, has {}: {}", verdict.is_of_speed ? "slowest" : "worst",
                    name_of(group), configuration(*group.slowest),
                    describe_figure(group.metric, verdict.figure), to_string(verdict));
    const std::vector<std::string> waste = describe_waste(*points_[*group.slowest]);
    if (!waste.empty()) sentence += "; it " + in_words(waste);
    sentences.push_back(sentence + '.');
  }

  /// Without times: from the best to the worst of what a table of the run shows first.
  void add_range(std::vector<std::string>& sentences) const {
    const auto range = main_count_range(results_);
    if (!range) return;
    const MetricColumn& metric = range->metric;
    const auto figure = [&](std::size_t place) {
      return describe_figure(metric, *figure_of(*points_[place], metric));
    };
    const std::string name = name_with_origin(metric);
    if (range->best == range->worst) {
      sentences.push_back(fmt::format("{} is {} in all points.", name, figure(range->best)));
      return;
    }
    sentences.push_back(fmt::format("{} goes from {} ({}) to {} ({}).", name, figure(range->best),
                                    configuration(range->best), figure(range->worst),
                                    configuration(range->worst)));
    const std::vector<std::string> waste = describe_waste(*points_[range->worst]);
    if (!waste.empty()) sentences.push_back("The worst " + in_words(waste) + '.');
  }

  /// "Emulated load_efficiency"
  static std::string name_with_origin(const MetricColumn& metric) {
    if (metric.origin == Origin::measured) return metric.name;
    return (metric.origin == Origin::emulated ? "Emulated " : "The hardware's ") + metric.name;
  }

  const RunResults& results_;
  const Verdicts& verdicts_;
  std::vector<const PointRecord*> points_;
  std::vector<ParameterValues> parameters_;
  std::vector<ParameterValues> told_;
};

}  // namespace

std::vector<std::string> describe_waste(const PointRecord& point) {
  std::vector<std::string> parts = describe_global_waste(point);
  for (auto part :
       {describe_conflicts(point), describe_idle_lanes(point), describe_spills(point)}) {
    if (part) parts.push_back(std::move(*part));
  }
  return parts;
}

std::optional<CountRange> main_count_range(const RunResults& results) {
  const std::vector<const PointRecord*> points = records_of(results.points);
  const auto metric = main_count(results, points);
  if (!metric) return std::nullopt;
  const double sign = better_for(*metric, results.run.tuning) == Better::lower ? -1 : 1;
  std::optional<CountRange> range;
  const auto value = [&](std::size_t place) { return sign * *figure_of(*points[place], *metric); };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto figure = figure_of(*points[i], *metric);
    if (points[i]->status != PointStatus::ok || !figure || !std::isfinite(*figure)) continue;
    if (!range) range = CountRange{*metric, i, i};
    if (value(i) > value(range->best)) range->best = i;
    if (value(i) < value(range->worst)) range->worst = i;
  }
  return range;
}

std::vector<std::string> describe_limits(const RunResults& results, const Verdicts& verdicts) {
  return LimitWords(results, verdicts).sentences();
}

}  // namespace sweep
