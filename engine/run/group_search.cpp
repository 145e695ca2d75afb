#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <memory>

#include "engine/run/tuning.h"
#include "engine/search/strategy.h"

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

namespace {

/// So many are asked for before the first of them is told: enough to keep compilers busy. Always
/// the same number, so that the course does not depend on the machine.
constexpr std::size_t asked_ahead = 16;

/// The group's configurations as the strategy sees them: "pattern" and then the parameters.
SearchSpace search_space(const Space& space, const TuningGroup& group) {
  std::map<const Pattern*, Value> patterns;
  std::vector<std::string> names = {"pattern"};
  for (const std::size_t index : group.configurations) {
    const Pattern* pattern = space.configurations[index].pattern.get();
    if (!patterns.try_emplace(pattern, pattern->name).second) continue;
    for (const std::string& name : pattern->parameter_names()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  const auto value_of = [&](std::size_t i, const std::string& name) {
    const Configuration& configuration = space.configurations[group.configurations[i]];
    return name == "pattern" ? &patterns.at(configuration.pattern.get())
                             : configuration.parameters.find(name);
  };
  return encode(group.configurations.size(), names, value_of);
}

class GroupSearch {
 public:
  GroupSearch(const SearchTools& tools, const TuningGroup& group, TunedGroup& found)
      : tools_(tools),
        stage_(tools.stage),
        objective_(tools.objective),
        rules_(*stage_.request.sweep.tune),
        group_(group),
        space_(search_space(stage_.request.space, group)),
        strategy_(make_strategy(rules_.strategy, space_, rules_.seed)),
        source_(stage_, tools.drift, tools.counts),
        found_(found) {}

  std::vector<TriedConfiguration> run() {
    begin_ = stage_.watch.elapsed();
    ask_default();
    found_.ended = "was interrupted";
    while (!stage_.stop) {
      if (auto end = should_stop(rules_.budget, progress_, stage_.watch.elapsed() - begin_)) {
        found_.ended = std::move(*end);
        break;
      }
      ask_ahead();
      if (asked_.empty()) {
        found_.ended = "tried every configuration";
        break;
      }
      try {
        try_next();
      } catch (const CompilingStopped&) {
        break;
      }
    }
    found_.tried = static_cast<std::int64_t>(tried_.size());
    stage_.summary.timing.compile += source_.statistics();
    return std::move(tried_);
  }

 private:
  struct Asked {
    std::optional<std::size_t> row;  ///< nothing for a default that is not in the space
    std::size_t point_index = 0;
    std::optional<PointKey> stored;  ///< the key of a point that the store has
  };

  void ask_default() {
    if (!group_.default_configuration) return;
    const std::size_t index = *group_.default_configuration;
    const auto found = std::ranges::lower_bound(group_.configurations, index);
    std::optional<std::size_t> row;
    if (found != group_.configurations.end() && *found == index) {
      row = static_cast<std::size_t>(found - group_.configurations.begin());
    }
    add(row, index);
  }

  void ask_ahead() {
    const std::size_t most =
        rules_.budget.configurations.value_or(std::numeric_limits<std::size_t>::max());
    while (asked_.size() < asked_ahead && tried_.size() + asked_.size() < most) {
      const auto row = strategy_->ask();
      if (!row) return;
      const std::size_t index = group_.configurations[*row];
      // The default is tried anyway.
      if (index != group_.default_configuration) add(row, index);
    }
  }

  void add(std::optional<std::size_t> row, std::size_t point_index) {
    Asked asked{row, point_index, stored_key(key_of(point_index))};
    if (!asked.stored) source_.add({point_index});
    asked_.push_back(std::move(asked));
  }

  PointKey key_of(std::size_t point_index) const {
    return stage_.key_of(stage_.configuration(point_index));
  }

  /// A search by the time leaves the counts out that a sweep which measures everything has.
  PointKey own_key(PointKey key) const {
    const bool lacks_counts = stage_.request.emulate.make_backend && !tools_.counts.emulated;
    if (lacks_counts) key.measure += "; without counts";
    return key;
  }

  /// A point that was cut off is no result for a sweep that measures everything.
  PointKey cut_off_key(PointKey key) const {
    key.measure += fmt::format("; cut off when {} times slower than the best {}", rules_.cut_off,
                               rules_.objectives.front().metric);
    return key;
  }

  std::optional<PointKey> stored_key(const PointKey& key) const {
    if (stage_.request.fresh) return std::nullopt;
    return stage_.watch.time(Phase::store, [&]() -> std::optional<PointKey> {
      for (const PointKey& one : {key, own_key(key), cut_off_key(key)}) {
        if (has_usable_point(one)) return one;
      }
      return std::nullopt;
    });
  }

  /// A search that needs counts cannot use what one by the time measured without them.
  bool has_usable_point(const PointKey& key) const {
    if (!tools_.counts.emulated && !tools_.counts.hardware) return stage_.store.has_point(key);
    const Origin needed = tools_.counts.hardware ? Origin::hardware : Origin::emulated;
    const auto metrics = stage_.store.metrics_of(key);
    return metrics && std::ranges::find(*metrics, needed, &Metric::origin) != metrics->end();
  }

  void try_next() {
    const Asked asked = std::move(asked_.front());
    asked_.pop_front();
    learn(asked, asked.stored ? take_from_store(asked) : measure(asked.point_index));
  }

  PointRecord take_from_store(const Asked& asked) {
    return stage_.watch.time(Phase::store, [&] {
      const auto ordinal = static_cast<std::int64_t>(asked.point_index);
      stage_.store.reuse_point(stage_.summary.run, ordinal, *asked.stored);
      ++stage_.summary.reused;
      PointRecord point = stage_.stored(asked.point_index).value().point;
      stage_.observer.on_reuse(point);
      return point;
    });
  }

  PointRecord measure(std::size_t point_index) {
    // The default is what the winner is compared with.
    const bool may_give_up =
        best_ && rules_.cut_off != 0 && point_index != group_.default_configuration;
    PointRecord point = source_.next([&](const Workload& workload) {
      return may_give_up ? objective_.seconds_when_slower(*best_, rules_.cut_off, workload.useful,
                                                          stage_.measurer.device())
                         : std::numeric_limits<double>::infinity();
    });
    PointKey key = key_of(point_index);
    key = is_cut_off(point) ? cut_off_key(std::move(key)) : own_key(std::move(key));
    if (is_cut_off(point)) {
      point.notes.push_back(fmt::format(
          "cut off after its first samples, each of them more than {} times slower than "
          "the best before it",
          rules_.cut_off));
    }
    stage_.record(point_index, point, std::move(key));
    return point;
  }

  [[noreturn]] void reject_objectives() const {
    std::vector<std::string> names;
    for (const TuneObjective& objective : rules_.objectives) names.push_back(objective.metric);
    const Device& device = stage_.measurer.device();
    throw InputError(
        rules_.objectives.front().where,
        fmt::format("this sweep tunes {}, which {} does not give", fmt::join(names, ", "),
                    device.name),
        device.is_emulated()
            ? "where nothing is timed another objective can decide: minimize: instructions"
            : "counters of the hardware have to be asked for: measure: {counters: dram}");
  }

  void learn(const Asked& asked, const PointRecord& point) {
    const auto cost = objective_.cost(point);
    if (point.status == PointStatus::ok && !objective_.followed()) reject_objectives();
    if (asked.row) strategy_->tell(*asked.row, cost);
    progress_.tell(cost);
    TriedConfiguration tried{asked.point_index, objective_.figure(point), {}, is_cut_off(point)};
    if (tried.figure) {
      const RankedBy& ranked_by = *objective_.followed();
      tried.interval = interval_of(point, ranked_by);
      if (!best_ || is_better(*tried.figure, *best_, ranked_by.better)) best_ = tried.figure;
    }
    tried_.push_back(tried);
  }

  const SearchTools& tools_;
  RunStage& stage_;
  SearchObjective& objective_;
  const TuneRules& rules_;
  const TuningGroup& group_;
  SearchSpace space_;
  std::unique_ptr<Strategy> strategy_;
  PointSource source_;
  SearchProgress progress_;
  std::deque<Asked> asked_;     ///< not yet tried
  std::optional<double> best_;  ///< figure
  double begin_ = 0;
  std::vector<TriedConfiguration> tried_;
  TunedGroup& found_;
};

}  // namespace

std::vector<TriedConfiguration> search_group(const SearchTools& tools, const TuningGroup& group,
                                             TunedGroup& found) {
  return GroupSearch(tools, group, found).run();
}

}  // namespace sweep
