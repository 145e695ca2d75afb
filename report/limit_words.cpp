#include "report/limit_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/spec/pattern_header.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/metric_column.h"
#include "report/run_tables.h"

namespace sweep {
namespace {

constexpr std::size_t most_groups_limited = 4;
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

std::string percent(double share) {
  return share >= 10 ? fmt::format("{:.1f}", share) : format_figure(share);
}

/// Shares of the peak, in %, from which on memory is taken to be what a point waits for.
constexpr double saturated = 75;
constexpr double full_share = 100;

/// What a point's figures say of what it waits for.
class PointLimits {
 public:
  PointLimits(const PointRecord& point, const Device& device)
      : point_(point),
        device_(device),
        seconds_(known(figure_of(point, {"time", Origin::measured}), 1e-6)),
        share_(known(figure_of(point, {"percent_of_peak", Origin::measured}), 1)) {}

  /// "reaches 88.3 % of the device's theoretical peak of 4814 GB/s: it is bound by memory"
  std::optional<std::string> describe_share() const {
    if (!share_) return std::nullopt;
    const std::string peak =
        device_.peak_bandwidth() > 0
            ? fmt::format(" of {} GB/s", format_figure(device_.peak_bandwidth() / 1e9))
            : "";
    if (*share_ > full_share) {
      return fmt::format(
          "is served by caches: its bandwidth exceeds the memory's theoretical peak{}", peak);
    }
    return fmt::format("reaches {} % of the device's theoretical peak{}{}", percent(*share_), peak,
                       describe_saturation());
  }

  std::vector<std::string> describe_waste() const {
    // Where the bytes wanted fill the memory's bandwidth nothing else can be what it waits for.
    if (share_ && *share_ >= saturated && *share_ <= full_share) return {};
    std::vector<std::string> parts = describe_global_waste();
    for (auto part : {describe_conflicts(), describe_idle_lanes(), describe_spills()}) {
      if (part) parts.push_back(std::move(*part));
    }
    return parts;
  }

 private:
  static std::optional<double> known(std::optional<double> figure, double unit) {
    return figure && std::isfinite(*figure) && *figure > 0 ? std::optional(*figure * unit)
                                                           : std::nullopt;
  }

  std::optional<Count> count(const std::string& metric) const {
    return count_of_metric(point_, metric);
  }

  /// So many bytes in the point's time, in % of the device's peak.
  std::optional<double> share_of_peak(double bytes) const {
    if (!seconds_ || device_.peak_bandwidth() <= 0) return std::nullopt;
    return bytes / *seconds_ / device_.peak_bandwidth() * full_share;
  }

  /// What memory moved, as the hardware counted it.
  std::optional<double> moved_share() const {
    const auto read = figure_of(point_, {"dram_read_bytes", Origin::hardware});
    const auto written = figure_of(point_, {"dram_write_bytes", Origin::hardware});
    return read && written ? share_of_peak(*read + *written) : std::nullopt;
  }

  /// What memory would move if no cache served a request.
  std::optional<double> requested_share() const {
    constexpr double sector = 32;
    const auto loads = count("load_sectors");
    const auto stores = count("store_sectors");
    if (loads && stores) return share_of_peak((loads->figure + stores->figure) * sector);
    const auto efficiency = count("efficiency");
    if (!share_ || !efficiency || efficiency->figure <= 0) return std::nullopt;
    return *share_ * full_share / efficiency->figure;
  }

  std::string describe_saturation() const {
    constexpr double little = 40;
    if (const auto moved = moved_share()) {
      return fmt::format("; memory moves {} % of it and is {}", percent(*moved),
                         *moved >= saturated ? "what bounds it" : "not saturated");
    }
    if (*share_ >= saturated) return ": it is bound by memory";
    // Sectors asked for in vain may take the rest.
    if (requested_share().value_or(0) >= saturated) return {};
    return *share_ < little ? ": memory is far from saturated" : ": memory is not saturated";
  }

  /// Whether the loads, or the stores, are a tenth at least of what the point asks for, as far as
  /// known.
  bool matters(const std::string& kind) const {
    const auto loads = count("load_sectors");
    const auto stores = count("store_sectors");
    if (!loads || !stores) return true;
    const double own = kind == "load" ? loads->figure : stores->figure;
    return own >= least_share * (loads->figure + stores->figure);
  }

  /// "8 times the sectors that the bytes fill: 32 a request, where 4 would do"
  std::optional<std::string> describe_sectors(const std::string& kind) const {
    const auto efficiency = count(kind + "_efficiency");
    const auto sectors = count(kind + "_sectors_per_request");
    const bool is_wasteful =
        efficiency && efficiency->figure > 0 && efficiency->figure < good_efficiency;
    if (!is_wasteful || !matters(kind)) return std::nullopt;
    std::string text =
        rough(full_share / efficiency->figure) + " times the sectors that the bytes fill";
    if (sectors && sectors->figure > 0) {
      text += fmt::format(": {} a request, where {} would do", rough(sectors->figure),
                          rough(sectors->figure * efficiency->figure / full_share));
    }
    return text + origin_of(*efficiency);
  }

  std::vector<std::string> describe_global_waste() const {
    const auto loads = describe_sectors("load");
    const auto stores = describe_sectors("store");
    std::vector<std::string> parts;
    if (loads && loads == stores) {
      parts.push_back("asks for " + *loads);
    } else {
      if (loads) parts.push_back("asks in its loads for " + *loads);
      if (stores) parts.push_back("asks in its stores for " + *stores);
    }
    if (!parts.empty()) parts.back() += describe_served();
    return parts;
  }

  /// What need not come from memory of the sectors asked for; nothing where nothing was timed.
  std::string describe_served() const {
    const auto requested = requested_share();
    if (!requested || moved_share()) return {};
    if (*requested <= full_share) return ", of which caches may serve part";
    return fmt::format(", of which caches serve {:.0f} % at least",
                       std::floor(full_share - full_share * full_share / *requested));
  }

  /// The share of the time, in %, that the passes through shared memory take at least: a
  /// multiprocessor does one in a clock.
  std::optional<double> shared_memory_share() const {
    const auto loads = count("shared_load_wavefronts");
    const auto stores = count("shared_store_wavefronts");
    const auto clock = known(figure_of(point_, {"sm_clock", Origin::measured}), 1e6);
    const auto blocks = launch_blocks(point_.key.pattern_text, point_.key.parameters);
    if (!loads || !stores || !clock || !blocks || !seconds_ || device_.multiprocessors <= 0) {
      return std::nullopt;
    }
    const double busy = std::min(*blocks, static_cast<double>(device_.multiprocessors));
    return (loads->figure + stores->figure) / busy / *clock / *seconds_ * full_share;
  }

  std::optional<std::string> describe_conflicts() const {
    constexpr double least_time = 25;
    const auto efficiency = count("shared_efficiency");
    const auto conflicts = count("shared_conflicts");
    const bool is_in_conflict = conflicts && conflicts->figure > 0 && efficiency &&
                                efficiency->figure > 0 && efficiency->figure < good_efficiency;
    if (!is_in_conflict) return std::nullopt;
    const auto share = shared_memory_share();
    if (seconds_ && share.value_or(0) < least_time) return std::nullopt;
    std::string text = fmt::format(
        "takes {} times the passes through shared memory that its bytes need, for {} bank "
        "conflicts{}",
        rough(full_share / efficiency->figure), format_total(conflicts->figure),
        origin_of(*conflicts));
    if (share) {
      text += fmt::format(", and these passes take {:.0f} % of its time at least",
                          std::min(*share, full_share));
    }
    return text;
  }

  std::optional<std::string> describe_idle_lanes() const {
    constexpr double most = 28;
    const auto lanes = count("load_lanes_per_request");
    if (!lanes || lanes->figure <= 0 || lanes->figure >= most) return std::nullopt;
    return fmt::format("loads with {} of a warp's 32 threads{}", rough(lanes->figure),
                       origin_of(*lanes));
  }

  std::optional<std::string> describe_spills() const {
    double sectors = 0;
    Count last;
    for (const char* metric : {"local_load_sectors", "local_store_sectors"}) {
      if (const auto found = count(metric)) {
        sectors += found->figure;
        last = *found;
      }
    }
    const auto loads = count("load_sectors");
    const auto stores = count("store_sectors");
    const double others = (loads ? loads->figure : 0) + (stores ? stores->figure : 0);
    if (sectors <= 0 || sectors < least_share * (sectors + others)) return std::nullopt;
    return fmt::format("moves {} sectors of local memory, as spilled registers do{}",
                       format_total(sectors), origin_of(last));
  }

  static constexpr double least_share = 0.1;

  const PointRecord& point_;
  const Device& device_;
  std::optional<double> seconds_;
  std::optional<double> share_;  ///< of the peak, of the bytes wanted, in %
};

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
  explicit LimitWords(const RunAnalysis& run)
      : run_(run),
        told_(run.results.run.tuning
                  ? chosen_parameters(run.parameters, run.results.run.tuning->for_each)
                  : run.told) {
    // A label says it.
    if (run.verdicts.groups.size() > 1) {
      std::erase_if(told_, [](const ParameterValues& each) { return each.name == "pattern"; });
    }
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> sentences;
    const auto& groups = run_.verdicts.groups;
    for (std::size_t i = 0; i < std::min(groups.size(), most_groups_limited); ++i) {
      add_group(groups[i], sentences);
    }
    if (groups.empty()) add_range(sentences);
    return sentences;
  }

 private:
  std::string configuration(std::size_t place) const {
    return describe(*run_.points[place], told_);
  }

  static std::string name_of(const VerdictGroup& group) {
    return group.label.empty() ? "" : " of " + group.label;
  }

  std::vector<std::string> waste_of(std::size_t place) const {
    return describe_waste(*run_.points[place], run_.results.run.provenance.device);
  }

  void add_group(const VerdictGroup& group, std::vector<std::string>& sentences) const {
    const PointRecord& best = *run_.points[group.best];
    std::vector<std::string> parts;
    const PointLimits limits(best, run_.results.run.provenance.device);
    if (const auto share = limits.describe_share()) parts.push_back(*share);
    if (const auto hits = describe_hits(best))
      parts.push_back((parts.empty() ? "" : "it ") + *hits);
    if (const auto waste = waste_of(group.best); !waste.empty()) {
      parts.push_back((parts.empty() ? "" : "it ") + in_words(waste));
    }
    if (!parts.empty()) {
      sentences.push_back(fmt::format("The best{} {}.", name_of(group), fmt::join(parts, "; ")));
    }
    if (group.slowest) add_slowest(group, sentences);
  }

  void add_slowest(const VerdictGroup& group, std::vector<std::string>& sentences) const {
    const PointVerdict& verdict = *run_.verdicts.of_points[*group.slowest];
    std::string sentence =
        fmt::format("The {}{}, {}, has {}: {} than the best", word_for_slowest(group.metric),
                    name_of(group), configuration(*group.slowest),
                    describe_figure(group.metric, verdict.figure), to_string(verdict));
    const std::vector<std::string> waste = waste_of(*group.slowest);
    if (!waste.empty()) sentence += "; it " + in_words(waste);
    sentences.push_back(sentence + '.');
  }

  /// Without times: from the best to the worst of what a table of the run shows first.
  void add_range(std::vector<std::string>& sentences) const {
    const auto range = main_count_range(run_);
    if (!range) return;
    const MetricColumn& metric = range->metric;
    const auto figure = [&](std::size_t place) {
      return describe_figure(metric, *figure_of(*run_.points[place], metric));
    };
    const std::string name = name_with_origin(metric);
    if (range->best == range->worst) {
      sentences.push_back(fmt::format("{} is {} in all points.", name, figure(range->best)));
      return;
    }
    sentences.push_back(fmt::format("{} goes from {} ({}) to {} ({}).", name, figure(range->best),
                                    configuration(range->best), figure(range->worst),
                                    configuration(range->worst)));
    const std::vector<std::string> waste = waste_of(range->worst);
    if (!waste.empty()) sentences.push_back("The worst " + in_words(waste) + '.');
  }

  /// "Emulated load_efficiency"
  static std::string name_with_origin(const MetricColumn& metric) {
    if (metric.origin == Origin::measured) return metric.name;
    return (metric.origin == Origin::emulated ? "Emulated " : "The hardware's ") + metric.name;
  }

  const RunAnalysis& run_;
  std::vector<ParameterValues> told_;
};

}  // namespace

std::vector<std::string> describe_waste(const PointRecord& point, const Device& device) {
  return PointLimits(point, device).describe_waste();
}

std::optional<CountRange> main_count_range(const RunAnalysis& run) {
  const std::vector<const PointRecord*>& points = run.points;
  const auto& tuning = run.results.run.tuning;
  const auto metric = main_count(run.results, points);
  if (!metric) return std::nullopt;
  const double sign = better_for(*metric, tuning) == Better::lower ? -1 : 1;
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

std::vector<std::string> describe_limits(const RunAnalysis& run) {
  return LimitWords(run).sentences();
}

}  // namespace sweep
