#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/spec/pattern_header.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/findings.h"

namespace sweep {
namespace {

constexpr std::size_t most_groups_limited = 4;
/// Below this share, in %, an access is worth a word.
constexpr double good_efficiency = 90;
/// Shares of the peak, in %, from which on memory is taken to be what a point waits for.
constexpr double saturated = 75;
constexpr double full_share = 100;
/// What makes less than this share of a point's sectors does not count.
constexpr double least_part = 0.1;

/// Two significant digits at most: "8", "1.5", "24".
std::string rough(double figure) {
  return figure >= 9.95 ? fmt::format("{:.0f}", figure) : fmt::format("{:.2g}", figure);
}

std::string percent(double share) {
  return share >= 10 ? fmt::format("{:.1f}", share) : format_figure(share);
}

/// What a point's figures say of what it waits for.
class PointLimits {
 public:
  PointLimits(const PointRecord& point, const Device& device)
      : point_(point),
        device_(device),
        seconds_(measured("time", 1e-6)),
        share_(measured("percent_of_peak", 1)),
        loads_(count("load_sectors")),
        stores_(count("store_sectors")) {}

  /// "reaches 88.3 % of the device's theoretical peak of 4814 GB/s: it is bound by memory"
  std::string describe_share() const {
    if (!share_) return {};
    const double peak = device_.peak_bandwidth();
    const std::string of_peak = peak > 0 ? " of " + format_figure(peak / 1e9) + " GB/s" : "";
    if (*share_ > full_share) {
      return "is served by caches: its bandwidth exceeds the memory's theoretical peak" + of_peak;
    }
    return fmt::format("reaches {} % of the device's theoretical peak{}{}", percent(*share_),
                       of_peak, describe_saturation());
  }

  /// "finds 98 % of its sectors in the L1 cache"
  std::string describe_hits() const {
    constexpr double high = 90;
    for (const auto& [metric, cache] :
         {std::pair{"l1_hit_rate", "L1"}, std::pair{"l2_hit_rate", "L2"}}) {
      const auto rate = figure_of(point_, {metric, Origin::hardware});
      if (rate && *rate >= high) {
        return fmt::format("finds {:.0f} % of its sectors in the {} cache", *rate, cache);
      }
    }
    return {};
  }

  /// "is predicted to be bound by device memory, then by L2 at 62 % of that"
  std::string describe_prediction() const {
    constexpr double worth_a_word = 25;
    const auto bound = figure_of(point_, {"bottleneck", Origin::predicted});
    const auto next = figure_of(point_, {"next_bound", Origin::predicted});
    if (!bound || !next) return {};
    std::string text = "is predicted to be bound by " + word_of("bottleneck", *bound);
    if (*next >= worth_a_word) {
      text += fmt::format("; what takes second longest takes {:.0f} % of that", *next);
    }
    return text;
  }

  std::vector<std::string> describe_waste() const {
    // Where the bytes wanted fill the memory's bandwidth nothing else can be what it waits for.
    if (share_ && *share_ >= saturated && *share_ <= full_share) return {};
    std::vector<std::string> parts = describe_global_waste();
    for (std::string part :
         {describe_conflicts(), describe_idle_lanes(), describe_spills(), describe_occupancy()}) {
      if (!part.empty()) parts.push_back(std::move(part));
    }
    return parts;
  }

 private:
  /// The hardware's count, or the emulator's.
  struct Count {
    double figure = 0;
    bool is_emulated = false;

    const char* origin() const { return is_emulated ? " (emulated)" : ""; }
  };

  std::optional<Count> count(const std::string& metric) const {
    for (const Origin origin : {Origin::hardware, Origin::emulated}) {
      const auto figure = figure_of(point_, {metric, origin});
      if (figure && std::isfinite(*figure)) return Count{*figure, origin == Origin::emulated};
    }
    return std::nullopt;
  }

  std::optional<Count> positive_count(const std::string& metric) const {
    const auto found = count(metric);
    return found && found->figure > 0 ? found : std::nullopt;
  }

  std::optional<double> measured(const char* metric, double unit) const {
    const auto figure = figure_of(point_, {metric, Origin::measured});
    if (!figure || !std::isfinite(*figure) || *figure <= 0) return std::nullopt;
    return *figure * unit;
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
    if (loads_ && stores_) return share_of_peak((loads_->figure + stores_->figure) * sector);
    const auto efficiency = positive_count("efficiency");
    if (!share_ || !efficiency) return std::nullopt;
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

  /// "8 times the sectors that the bytes fill: 32 a request, where 4 would do", of the loads or the
  /// stores. Empty where these are few.
  std::string describe_sectors(const std::string& kind, const std::optional<Count>& own) const {
    const auto efficiency = positive_count(kind + "_efficiency");
    const auto sectors = positive_count(kind + "_sectors_per_request");
    const bool matters =
        !loads_ || !stores_ || own->figure >= least_part * (loads_->figure + stores_->figure);
    if (!efficiency || efficiency->figure >= good_efficiency || !matters) return {};
    std::string text =
        rough(full_share / efficiency->figure) + " times the sectors that the bytes fill";
    if (sectors) {
      text += fmt::format(": {} a request, where {} would do", rough(sectors->figure),
                          rough(sectors->figure * efficiency->figure / full_share));
    }
    return text + efficiency->origin();
  }

  std::vector<std::string> describe_global_waste() const {
    const std::string loads = describe_sectors("load", loads_);
    const std::string stores = describe_sectors("store", stores_);
    std::vector<std::string> parts;
    if (!loads.empty() && loads == stores) {
      parts = {"asks for " + loads};
    } else {
      if (!loads.empty()) parts.push_back("asks in its loads for " + loads);
      if (!stores.empty()) parts.push_back("asks in its stores for " + stores);
    }
    if (!parts.empty()) parts.back() += describe_served();
    return parts;
  }

  /// What need not come from memory of the sectors asked for; empty where nothing was timed.
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
    const auto clock = measured("sm_clock", 1e6);
    const auto blocks = launch_blocks(point_.key.pattern_text, point_.key.parameters);
    if (!loads || !stores || !clock || !blocks || !seconds_ || device_.multiprocessors <= 0) {
      return std::nullopt;
    }
    const double busy = std::min(*blocks, static_cast<double>(device_.multiprocessors));
    return (loads->figure + stores->figure) / busy / *clock / *seconds_ * full_share;
  }

  std::string describe_conflicts() const {
    constexpr double least_time = 25;
    const auto efficiency = positive_count("shared_efficiency");
    const auto conflicts = positive_count("shared_conflicts");
    if (!conflicts || !efficiency || efficiency->figure >= good_efficiency) return {};
    const auto share = shared_memory_share();
    if (seconds_ && share.value_or(0) < least_time) return {};
    std::string text = fmt::format(
        "takes {} times the passes through shared memory that its bytes need, for {} bank "
        "conflicts{}",
        rough(full_share / efficiency->figure), format_total(conflicts->figure),
        conflicts->origin());
    if (share) {
      text += fmt::format(", and these passes take {:.0f} % of its time at least",
                          std::min(*share, full_share));
    }
    return text;
  }

  std::string describe_idle_lanes() const {
    constexpr double most = 28;
    const auto lanes = positive_count("load_lanes_per_request");
    if (!lanes || lanes->figure >= most) return {};
    return fmt::format("loads with {} of a warp's 32 threads{}", rough(lanes->figure),
                       lanes->origin());
  }

  std::string describe_spills() const {
    double sectors = 0;
    const char* origin = "";
    for (const char* metric : {"local_load_sectors", "local_store_sectors"}) {
      const auto found = count(metric);
      if (!found) continue;
      sectors += found->figure;
      origin = found->origin();
    }
    const double others = (loads_ ? loads_->figure : 0) + (stores_ ? stores_->figure : 0);
    if (sectors <= 0 || sectors < least_part * (sectors + others)) return {};
    return fmt::format("moves {} sectors of local memory, as spilled registers do{}",
                       format_total(sectors), origin);
  }

  /// What the device says of the kernel, or the emulator.
  std::optional<double> resource(const std::string& metric) const {
    const auto figure = figure_of(point_, {metric, Origin::measured});
    return figure ? figure : figure_of(point_, {metric, Origin::emulated});
  }

  /// "fills 25 % of a multiprocessor, which its 128 registers a thread limit"
  std::string describe_occupancy() const {
    constexpr double low = 50;
    const auto occupancy = resource("occupancy");
    const auto resident = resource("resident_blocks");
    if (!occupancy || !resident || !(*occupancy > 0) || *occupancy >= low) return {};
    const auto is_limit = [&](const char* metric) { return resource(metric) == resident; };
    std::string limit = "the size of its blocks";
    if (is_limit("blocks_by_registers")) {
      limit = fmt::format("its {} registers a thread", resource("registers").value_or(0));
    } else if (is_limit("blocks_by_shared")) {
      limit = fmt::format("its {} bytes of shared memory a block",
                          format_total(resource("static_shared_bytes").value_or(0) +
                                       resource("dynamic_shared_bytes").value_or(0)));
    } else if (is_limit("blocks_by_slots")) {
      limit = fmt::format("the {} blocks there can be", *resident);
    }
    return fmt::format("has {} % of the warps that a multiprocessor has room for, limited by {}",
                       percent(*occupancy), limit);
  }

  const PointRecord& point_;
  const Device& device_;
  const std::optional<double> seconds_;
  const std::optional<double> share_;  ///< of the peak, of the bytes wanted, in %
  const std::optional<Count> loads_;   ///< sectors
  const std::optional<Count> stores_;
};

PointLimits limits_of(const RunAnalysis& run, std::size_t place) {
  return {*run.points[place], run.results.run.provenance.device};
}

void add_limits(const RunAnalysis& run, const VerdictGroup& group,
                std::vector<std::string>& sentences) {
  const std::string of_group = group.label.empty() ? "" : " of " + group.label;
  const PointLimits limits = limits_of(run, group.best);
  std::vector<std::string> parts;
  for (const std::string& part : {limits.describe_share(), limits.describe_prediction(),
                                  limits.describe_hits(), in_words(limits.describe_waste())}) {
    if (!part.empty()) parts.push_back((parts.empty() ? "" : "it ") + part);
  }
  if (!parts.empty()) {
    sentences.push_back(fmt::format("The best{} {}.", of_group, fmt::join(parts, "; ")));
  }
  // What a search has left behind is nobody's choice.
  if (!group.slowest || group.tuned) return;
  const PointVerdict& verdict = *run.verdicts.of_points[*group.slowest];
  const std::string waste = in_words(limits_of(run, *group.slowest).describe_waste());
  sentences.push_back(
      fmt::format("The {}{}, {}, has {}: {}{}{}.", word_for_slowest(group.metric), of_group,
                  describe(*run.points[*group.slowest], run.told_in_group),
                  describe_figure(group.metric, verdict.figure),
                  beside_the_best(to_string(verdict)), waste.empty() ? "" : "; it ", waste));
}

/// Without times: from the best to the worst of what a table of the run shows first.
void add_count_range(const RunAnalysis& run, std::vector<std::string>& sentences) {
  const auto range = main_count_range(run);
  if (!range) return;
  const auto& [metric, best, worst] = *range;
  std::string name = metric.name;
  if (metric.origin == Origin::hardware) name = "The hardware's " + name;
  if (metric.origin == Origin::emulated) name = "Emulated " + name;
  const std::string best_figure = describe_figure(metric, *figure_of(*run.points[best], metric));
  if (best == worst) {
    sentences.push_back(fmt::format("{} is {} in all points.", name, best_figure));
    return;
  }
  sentences.push_back(fmt::format("{} goes from {} ({}) to {} ({}).", name, best_figure,
                                  describe(*run.points[best], run.told_in_group),
                                  describe_figure(metric, *figure_of(*run.points[worst], metric)),
                                  describe(*run.points[worst], run.told_in_group)));
  const std::string waste = in_words(limits_of(run, worst).describe_waste());
  if (!waste.empty()) sentences.push_back("The worst " + waste + '.');
}

/// Where predicted and measured times part: "Of 64 predicted times, 60 hold the measured one in
/// their interval; farthest, at STRIDE = 32, 81.2 us were predicted, bound by L2, and 120 us
/// measured."
void add_agreement(const RunAnalysis& run, std::vector<std::string>& sentences) {
  std::size_t all = 0;
  std::size_t agreeing = 0;
  double farthest = 0;
  std::string example;
  for (const PointRecord* point : run.points) {
    const auto predicted = figure_of(*point, {"time", Origin::predicted});
    const auto low = figure_of(*point, {"time_low", Origin::predicted});
    const auto high = figure_of(*point, {"time_high", Origin::predicted});
    const auto measured = figure_of(*point, {"time", Origin::measured});
    if (!predicted || !low || !high || !measured) continue;
    ++all;
    if (*low <= *measured && *measured <= *high) {
      ++agreeing;
      continue;
    }
    const double distance = std::abs(std::log(*measured / *predicted));
    if (distance <= farthest) continue;
    farthest = distance;
    const double bound = figure_of(*point, {"bottleneck", Origin::predicted}).value_or(-1);
    example =
        fmt::format("; farthest, at {}, {} us were predicted, bound by {}, and {} us measured",
                    describe(*point, run.told), format_figure(*predicted),
                    word_of("bottleneck", bound), format_figure(*measured));
  }
  if (all == 0) return;
  sentences.push_back(fmt::format("Of {}, {} hold the measured one in their interval{}.",
                                  count_of(all, "predicted time"),
                                  agreeing == all ? "all" : format_thousands(agreeing), example));
}

}  // namespace

std::vector<std::string> describe_waste(const PointRecord& point, const Device& device) {
  return PointLimits(point, device).describe_waste();
}

std::optional<CountRange> main_count_range(const RunAnalysis& run) {
  const auto& tables = run.results.layout.tables;
  std::vector<MetricColumn> candidates = main_columns(run.points);
  if (!tables.empty()) {
    const auto chosen = choose_metric(run.points, tables.front().values);
    if (chosen) candidates.insert(candidates.begin(), *chosen);
  }
  const auto better = [&](const MetricColumn& each) {
    return better_for(each, run.results.run.tuning);
  };
  const auto metric = std::ranges::find_if(
      candidates, [&](const auto& each) { return better(each) != Better::neither; });
  if (metric == candidates.end()) return std::nullopt;
  const double sign = better(*metric) == Better::lower ? -1 : 1;
  const auto value = [&](std::size_t i) { return sign * *figure_of(*run.points[i], *metric); };
  std::optional<CountRange> range;
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    const auto figure = figure_of(*run.points[i], *metric);
    if (run.points[i]->status != PointStatus::ok || !figure || !std::isfinite(*figure)) continue;
    if (!range) range = CountRange{*metric, i, i};
    if (value(i) > value(range->best)) range->best = i;
    if (value(i) < value(range->worst)) range->worst = i;
  }
  return range;
}

std::optional<Headline> headline_of(const RunAnalysis& run) {
  if (const auto& ends = run.verdicts.overall) {
    // Beyond the whole peak caches serve more than memory could.
    constexpr double whole_peak = 100;
    const std::string& metric = ends->metric.name;
    Headline headline = {(metric == "time" ? "shortest " : "best ") + metric, ends->metric,
                         ends->best};
    const auto share = figure_of(*run.points[ends->best], MetricColumn{"percent_of_peak"});
    if (share && *share <= whole_peak) headline.share_of_peak = share;
    headline.worst = ends->slowest;
    headline.worst_label = word_for_slowest(ends->metric);
    headline.distance = ends->distance + ": ";
    return headline;
  }
  const auto range = main_count_range(run);
  if (!range || !run.verdicts.groups.empty()) return std::nullopt;
  const std::string& metric = range->metric.name;
  if (range->best == range->worst) {
    return Headline{"all points have " + metric, range->metric, range->best};
  }
  Headline headline = {"best " + metric, range->metric, range->best};
  headline.worst = range->worst;
  headline.worst_label = "worst " + metric;
  return headline;
}

std::vector<std::string> describe_limits(const RunAnalysis& run) {
  std::vector<std::string> sentences;
  const auto& groups = run.verdicts.groups;
  for (std::size_t i = 0; i < std::min(groups.size(), most_groups_limited); ++i) {
    add_limits(run, groups[i], sentences);
  }
  if (groups.empty()) add_count_range(run, sentences);
  add_agreement(run, sentences);
  return sentences;
}

std::vector<std::string> findings_of(const RunAnalysis& run, bool has_ranking) {
  std::vector<std::string> findings = describe_best(run);
  // Of a search the first line says what it did.
  if (has_ranking) findings.resize(run.results.run.tuning ? 1 : 0);
  std::ranges::move(describe_limits(run), std::back_inserter(findings));
  return findings;
}

}  // namespace sweep
