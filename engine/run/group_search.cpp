#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <memory>

#include "engine/run/statistics.h"
#include "engine/run/tuning.h"
#include "engine/search/encoded_space.h"
#include "engine/search/strategy.h"
#include "engine/store/ranking.h"

namespace sweep {
namespace {

/// So many are asked for before the first of them is told: enough to keep compilers busy. Always
/// the same number, so that the course does not depend on the machine.
constexpr std::size_t asked_ahead = 16;

/// The parameters of the group's configurations, after "pattern".
std::vector<std::string> names_in(const Space& space, const TuningGroup& group) {
  std::vector<std::string> names = {"pattern"};
  const Pattern* last = nullptr;
  for (const std::size_t index : group.configurations) {
    const Pattern* pattern = space.configurations[index].pattern.get();
    if (pattern == last) continue;
    last = pattern;
    for (const Parameter& parameter : pattern->parameters) {
      if (std::ranges::find(names, parameter.name) == names.end()) names.push_back(parameter.name);
    }
  }
  return names;
}

/// The group's configurations as the strategy sees them; those of the space are not copied.
SearchSpace search_space(const Space& space, const TuningGroup& group) {
  std::map<const Pattern*, Value> patterns;
  for (const std::size_t index : group.configurations) {
    const PatternPtr& pattern = space.configurations[index].pattern;
    patterns.try_emplace(pattern.get(), pattern->name);
  }
  const auto value_of = [&](std::size_t i, const std::string& name) {
    const Configuration& configuration = space.configurations[group.configurations[i]];
    return name == "pattern" ? &patterns.at(configuration.pattern.get())
                             : configuration.parameters.find(name);
  };
  return encode(group.configurations.size(), names_in(space, group), value_of).space;
}

class GroupSearch {
 public:
  GroupSearch(const SearchTools& tools, const TuningGroup& group)
      : tools_(tools),
        stage_(tools.stage),
        objective_(tools.objective),
        rules_(*stage_.request.sweep.tune),
        group_(group),
        space_(search_space(stage_.request.space, group)),
        strategy_(make_strategy(rules_.strategy, space_, rules_.seed)),
        source_(stage_, tools.drift, tools.counts) {}

  SearchedGroup run() {
    begin_ = stage_.watch.elapsed();
    ask_default();
    while (!stage_.stop && !is_over()) {
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
    if (found_.ended.empty()) found_.ended = "was interrupted";
    found_.compiled = source_.statistics();
    return std::move(found_);
  }

 private:
  struct Asked {
    std::optional<std::size_t> row;  ///< nothing for a default that is not in the space
    std::size_t point_index = 0;
    std::optional<PointKey> stored;  ///< the key of a point that the store has
  };

  bool is_over() {
    const auto end = should_stop(rules_.budget, progress_, stage_.watch.elapsed() - begin_);
    if (end) found_.ended = *end;
    return end.has_value();
  }

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
    while (asked_.size() < asked_ahead && found_.tried.size() + asked_.size() < most) {
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
    PointRecord point = source_.next([&](const UsefulTraffic& useful) {
      return may_give_up ? objective_.seconds_when_slower(*best_, rules_.cut_off, useful,
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
      const RankedBy ranked_by = objective_.ranked_by();
      tried.interval = interval_of(point, ranked_by);
      if (!best_ || is_better(*tried.figure, *best_, ranked_by.better)) best_ = tried.figure;
    }
    found_.tried.push_back(tried);
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
  SearchedGroup found_;
};

}  // namespace

SearchedGroup search_group(const SearchTools& tools, const TuningGroup& group) {
  return GroupSearch(tools, group).run();
}

}  // namespace sweep
