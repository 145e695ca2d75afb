#include "engine/run/group_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "engine/run/paired_comparison.h"
#include "engine/search/encoded_space.h"

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

std::unique_ptr<PointSource> source_of(const SearchTools& tools) {
  if (tools.stage.request.replay) return std::make_unique<ReplayedPoints>(tools.stage.request);
  return std::make_unique<MeasuredPoints>(tools.stage, tools.points, tools.anchor,
                                          tools.waits_for_counts, tools.reads_counters);
}

}  // namespace

GroupSearch::GroupSearch(SearchTools tools, const TuningGroup& group)
    : tools_(tools),
      rules_(*tools.stage.request.sweep.tune),
      group_(group),
      space_(search_space(tools.stage.request.space, group)),
      strategy_(make_strategy(rules_.strategy, space_, rules_.seed)),
      source_(source_of(tools)) {}

void GroupSearch::run() {
  begin_ = tools_.stage.watch.elapsed();
  ask_standard();
  while (!tools_.stage.stop && !is_over()) {
    ask_ahead();
    if (asked_.empty()) {
      ended_ = "tried every configuration";
      break;
    }
    try {
      try_next();
    } catch (const CompilingStopped&) {
      break;
    }
  }
  if (ended_.empty()) ended_ = "was interrupted";
  statistics_ = source_->statistics();
}

bool GroupSearch::is_over() {
  const double elapsed = tools_.stage.watch.elapsed() - begin_;
  const auto end = should_stop(rules_.budget, progress_, elapsed);
  if (end) ended_ = end->words;
  return end.has_value();
}

void GroupSearch::ask_standard() {
  if (!group_.standard) return;
  const auto found = std::ranges::lower_bound(group_.configurations, *group_.standard);
  std::optional<std::size_t> row;
  if (found != group_.configurations.end() && *found == *group_.standard) {
    row = static_cast<std::size_t>(found - group_.configurations.begin());
  }
  add(row, *group_.standard);
}

void GroupSearch::ask_ahead() {
  const std::size_t most =
      rules_.budget.configurations.value_or(std::numeric_limits<std::size_t>::max());
  while (asked_.size() < asked_ahead && tried_.size() + asked_.size() < most) {
    const auto row = strategy_->ask();
    if (!row) return;
    const std::size_t index = group_.configurations[*row];
    // The default is tried anyway.
    if (index != group_.standard) add(row, index);
  }
}

void GroupSearch::add(std::optional<std::size_t> row, std::size_t index) {
  const Configuration& configuration = tools_.stage.request.space.configurations[index];
  Asked asked{row, index, stored_key(tools_.points.key_of(configuration))};
  if (!asked.stored) source_->add(index);
  asked_.push_back(std::move(asked));
}

/// A search by the time leaves the counts out that a sweep which measures everything has.
PointKey GroupSearch::own_key(PointKey key) const {
  const bool lacks_counts = tools_.stage.request.emulate.make_backend && !tools_.waits_for_counts;
  if (lacks_counts) key.measure += "; without counts";
  return key;
}

/// A point that was cut off is no result for a sweep that measures everything.
PointKey GroupSearch::cut_off_key(PointKey key) const {
  key.measure += fmt::format("; cut off when {} times slower than the best {}", rules_.cut_off,
                             rules_.objectives.front().metric);
  return key;
}

std::optional<PointKey> GroupSearch::stored_key(const PointKey& key) const {
  if (tools_.stage.request.fresh) return std::nullopt;
  return tools_.stage.watch.time(Phase::store, [&]() -> std::optional<PointKey> {
    if (has_usable_point(key)) return key;
    PointKey own = own_key(key);
    if (has_usable_point(own)) return own;
    PointKey cut_off = cut_off_key(key);
    if (has_usable_point(cut_off)) return cut_off;
    return std::nullopt;
  });
}

/// A search that needs counts cannot use what one by the time measured without them.
bool GroupSearch::has_usable_point(const PointKey& key) const {
  if (!tools_.waits_for_counts && !tools_.reads_counters) {
    return tools_.stage.store.has_point(key);
  }
  const Origin needed = tools_.reads_counters ? Origin::hardware : Origin::emulated;
  const auto metrics = tools_.stage.store.metrics_of(key);
  return metrics && std::ranges::any_of(
                        *metrics, [&](const Metric& metric) { return metric.origin == needed; });
}

void GroupSearch::try_next() {
  const Asked asked = std::move(asked_.front());
  asked_.pop_front();
  learn(asked, asked.stored ? take_from_store(asked) : measure(asked));
}

PointRecord GroupSearch::take_from_store(const Asked& asked) {
  RunStage& stage = tools_.stage;
  return stage.watch.time(Phase::store, [&] {
    const auto ordinal = static_cast<std::int64_t>(asked.index);
    stage.store.reuse_point(stage.run, ordinal, *asked.stored);
    ++tools_.summary.reused;
    PointRecord point = stage.store.point(stage.run, ordinal).value().point;
    stage.observer.on_reuse(point);
    return point;
  });
}

double GroupSearch::give_up_seconds(const UsefulTraffic& useful) const {
  if (!best_ || rules_.cut_off == 0) return std::numeric_limits<double>::infinity();
  return tools_.objective.seconds_when_slower(*best_, rules_.cut_off, useful,
                                              tools_.stage.measurer.device());
}

PointRecord GroupSearch::measure(const Asked& asked) {
  // The default is what the winner is compared with.
  const bool is_standard = asked.index == group_.standard;
  PointRecord point = source_->next([&](const UsefulTraffic& useful) {
    return is_standard ? std::numeric_limits<double>::infinity() : give_up_seconds(useful);
  });
  PointKey key = tools_.points.key_of(tools_.stage.request.space.configurations[asked.index]);
  key = is_cut_off(point) ? cut_off_key(std::move(key)) : own_key(std::move(key));
  if (is_cut_off(point)) {
    point.notes.push_back(
        fmt::format("cut off after its first samples, each of them more than {} times slower than "
                    "the best before it",
                    rules_.cut_off));
  }
  tools_.points.record(asked.index, point, std::move(key));
  return point;
}

void GroupSearch::reject_objectives() const {
  std::vector<std::string> names;
  for (const TuneObjective& objective : rules_.objectives) names.push_back(objective.metric);
  const RunStage& stage = tools_.stage;
  throw InputError(
      rules_.objectives.front().where,
      fmt::format("this sweep tunes {}, which {} does not give", fmt::join(names, ", "),
                  stage.measurer.device().name),
      stage.measurer.device().is_emulated()
          ? "where nothing is timed another objective can decide: minimize: "
            "instructions"
          : "counters of the hardware have to be asked for: measure: {counters: dram}");
}

void GroupSearch::learn(const Asked& asked, const PointRecord& point) {
  const auto cost = tools_.objective.cost(point);
  if (point.status == PointStatus::ok && !tools_.objective.followed()) reject_objectives();
  if (asked.row) strategy_->tell(*asked.row, cost);
  progress_.tell(cost);
  TriedConfiguration tried{asked.index, tools_.objective.figure(point), {}, is_cut_off(point)};
  if (tried.figure) {
    const TuneObjective& followed = *tools_.objective.followed();
    const RankedBy ranked_by{followed.metric, followed.better, tools_.objective.origin()};
    tried.interval = interval_of(point, ranked_by);
    if (!best_ || is_better(*tried.figure, *best_, followed.better)) best_ = tried.figure;
  }
  tried_.push_back(tried);
}

}  // namespace sweep
