#include "engine/run/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <memory>

#include "engine/run/counting.h"
#include "engine/run/interleaved_comparison.h"
#include "engine/search/strategy.h"

namespace sweep {
namespace {

/// A configuration that a search has a point of, and which has not failed.
struct TriedConfiguration {
  std::size_t point_index = 0;
  double figure = 0;
  Interval interval;  ///< the figure's
  bool cut_off = false;
};

/// What searches of one run have in common.
struct SearchTools {
  RunStage& stage;
  DriftReference& drift;
  SearchObjective& objective;
  /// The emulator's or the hardware's, which the points need since the search goes by them.
  PointSource::Counts counts = {};
};

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

/// Searches one group for its best configuration: asks the strategy, a few configurations ahead so
/// that they are compiled in the meantime, and tells it what became of each. The default
/// configuration comes first. A point that the store has already is not measured again; so a search
/// that was stopped goes the same way when it is started again, up to where it stopped and on.
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

  /// Ends when the budget is used up, nothing is left to try, or the run is to stop. Puts into the
  /// found group how many were tried and how the search ended.
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
      const Asked asked = std::move(asked_.front());
      asked_.pop_front();
      try {
        learn(asked, asked.stored ? take_from_store(asked) : measure(asked.point_index));
      } catch (const CompilingStopped&) {
        break;
      }
    }
    found_.tried = static_cast<std::int64_t>(progress_.best_after.size());
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
    while (asked_.size() < asked_ahead && progress_.best_after.size() + asked_.size() < most) {
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
    if (stage_.counts != nullptr && !tools_.counts.emulated) key.measure += "; without counts";
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
    const std::optional<double> figure = objective_.figure(point);
    if (!figure) return;
    const RankedBy& ranked_by = *objective_.followed();
    const auto interval = interval_of(point, ranked_by).value_or(Interval{*figure, *figure});
    tried_.push_back({asked.point_index, *figure, interval, is_cut_off(point)});
    if (!best_ || is_better(*figure, *best_, ranked_by.better)) best_ = figure;
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

/// Chooses the winner among the configurations tried. Where the device measures, those that may be
/// the best are measured again in turn, together with the default: the figures are those of the
/// rounds, since the best of many noisy figures is best by luck too. Among those that cannot be
/// told apart the further objectives decide. They are counted meanwhile.
class WinnerChoice {
 public:
  WinnerChoice(RunStage& stage, const SearchObjective& objective, const TuningGroup& group,
               std::vector<TriedConfiguration> tried)
      : stage_(stage),
        objective_(objective),
        default_(group.default_configuration),
        ranked_by_(*objective.followed()),
        tried_(std::move(tried)) {
    std::ranges::stable_sort(tried_, [&](const auto& a, const auto& b) {
      return is_better(a.figure, b.figure, ranked_by_.better);
    });
  }

  /// Puts the winner into `found`, and how others compare with it into `comparisons`.
  void choose(TunedGroup& found, std::vector<ComparisonRecord>& comparisons) {
    if (tried_.empty()) return;
    const bool can_compare = stage_.can_time() && ranked_by_.origin == Origin::measured;
    if (!can_compare || !compare(found, comparisons)) choose_by_figures(found);
  }

 private:
  auto find_tried(std::size_t point_index) const {
    return std::ranges::find(tried_, point_index, &TriedConfiguration::point_index);
  }

  /// Chooses by measuring the leading ones again; false where that says nothing. What fails then
  /// is no candidate any more; where all fail it is the device that does.
  bool compare(TunedGroup& found, std::vector<ComparisonRecord>& comparisons) {
    const std::vector<std::size_t> leading = leading_ones();
    // The default takes part if it can be executed.
    const bool has_default = default_ && find_tried(*default_) != tried_.end();
    const bool adds_default = has_default && std::ranges::find(leading, *default_) == leading.end();
    if (leading.size() + (adds_default ? 1 : 0) < 2) return false;
    InterleavedComparison comparison(
        stage_, leading, ranked_by_,
        {.most_rounds = 40, .free_seconds = 2, .until_clear = true, .counts = true});
    if (has_default) comparison.add_reference(*default_);
    stage_.observer.on_stage(fmt::format(
        "comparing the best {}{}",
        leading.size() == 1 ? "configuration" : fmt::format("{} configurations", leading.size()),
        adds_default ? " and the default" : ""));
    if (comparison.run()) {
      // What further objectives go by.
      if (stage_.counts != nullptr) stage_.counts->wait();
      choose_by(comparison, found);
      std::ranges::move(comparison.records(), std::back_inserter(comparisons));
      return true;
    }
    if (!comparison.candidates().empty()) {
      std::erase_if(tried_, [&](const TriedConfiguration& one) {
        const auto failed = comparison.failed();
        return std::ranges::find(failed, one.point_index) != failed.end();
      });
    }
    return false;
  }

  std::vector<std::size_t> leading_ones() const {
    constexpr double margin = 0.02;
    constexpr std::size_t most = 6;
    std::vector<RankedFigure> figures;
    for (const TriedConfiguration& one : tried_) {
      // Of what is cut off the figure is a rough one, but not so rough.
      figures.push_back({one.cut_off ? 0 : one.figure, one.interval});
    }
    std::vector<std::size_t> leading;
    for (const std::size_t i : worth_comparing(figures, ranked_by_.better, margin, most)) {
      leading.push_back(tried_[i].point_index);
    }
    return leading;
  }

  /// Of some points the one that the further objectives prefer, the first among equals.
  std::size_t preferred(std::vector<std::size_t> left) const {
    for (const TuneObjective& objective : objective_.further()) {
      std::optional<double> best;
      std::vector<std::size_t> bests;
      for (const std::size_t point_index : left) {
        const auto stored = stage_.stored(point_index);
        const auto figure =
            stored ? preferred_figure(stored->point, objective.metric) : std::nullopt;
        if (!figure) continue;
        const bool first = !best || is_better(figure->value, *best, objective.better);
        if (first) bests.clear();
        if (first || figure->value == *best) bests.push_back(point_index);
        if (first) best = figure->value;
      }
      if (!bests.empty()) left = std::move(bests);
    }
    return left.front();
  }

  void choose_by(const InterleavedComparison& comparison, TunedGroup& found) const {
    const std::span<const Candidate> candidates = comparison.candidates();
    const auto find = [&](std::size_t point_index) {
      return std::ranges::find(candidates, point_index, &Candidate::point_index);
    };
    const Candidate& leader = candidates[comparison.best()];
    std::vector<std::size_t> equals = {leader.point_index};
    for (const Candidate& candidate : candidates) {
      const auto advantage = comparison.advantage(leader, candidate);
      if (&candidate != &leader && advantage && !advantage->is_different()) {
        equals.push_back(candidate.point_index);
      }
    }
    const Candidate& best = *find(preferred(equals));
    std::vector<double> figures = best.figures;
    std::erase_if(figures, [](double figure) { return !(figure > 0); });
    found.rounds = static_cast<int>(figures.size());
    set_winner(found, best.point_index, median(figures), median_interval(figures));
    if (!default_ || find(*default_) == candidates.end()) return;
    if (const auto gain = comparison.advantage(best, *find(*default_))) {
      found.gain_low = gain->low;
      found.gain = gain->ratio;
      found.gain_high = gain->high;
    }
  }

  void choose_by_figures(TunedGroup& found) const {
    std::vector<std::size_t> equals;
    for (const TriedConfiguration& one : tried_) {
      if (one.figure == tried_.front().figure) equals.push_back(one.point_index);
    }
    const TriedConfiguration& best = *find_tried(preferred(equals));
    set_winner(found, best.point_index, best.figure, best.interval);
    if (!default_) return;
    const auto other = find_tried(*default_);
    if (other == tried_.end() || !(other->figure > 0) || !(best.figure > 0)) return;
    found.gain = ranked_by_.better == Better::higher ? best.figure / other->figure
                                                     : other->figure / best.figure;
  }

  static void set_winner(TunedGroup& found, std::size_t point_index, double figure,
                         const Interval& interval) {
    found.winner = static_cast<std::int64_t>(point_index);
    found.figure_low = interval.low;
    found.figure = figure;
    found.figure_high = interval.high;
  }

  RunStage& stage_;
  const SearchObjective& objective_;
  std::optional<std::size_t> default_;
  RankedBy ranked_by_;
  std::vector<TriedConfiguration> tried_;  ///< the best first
};

/// That a group's search can try: the default is one of them, also where the axes do not have it.
std::size_t configurations_of(const TuningGroup& group) {
  const bool adds_default =
      group.default_configuration &&
      !std::ranges::binary_search(group.configurations, *group.default_configuration);
  return group.configurations.size() + (adds_default ? 1 : 0);
}

}  // namespace

void tune_groups(RunStage& stage) {
  const TuneRules& rules = *stage.request.sweep.tune;
  const TuneObjective& first = rules.objectives.front();
  SearchObjective objective(rules.objectives);
  DriftReference drift(stage);
  // A search by the time does not wait for counts; the leading ones are counted at the end.
  const bool goes_by_time = follows_from_time(first.metric);
  const bool emulates = !goes_by_time && stage.counts != nullptr;
  const bool reads_counters = !goes_by_time && stage.can_time() && !stage.request.counters.empty();
  const SearchTools tools{stage, drift, objective, {emulates, emulates, reads_counters}};
  TuningRecord record = {
      first.metric, Origin::measured, first.better, rules.strategy, rules.seed, rules.for_each, {}};
  std::vector<ComparisonRecord> comparisons;

  std::size_t planned = 0;  // at most so many points come of it
  for (const TuningGroup& group : stage.request.groups) {
    const std::size_t all = configurations_of(group);
    planned += std::min(all, rules.budget.configurations.value_or(all));
  }
  stage.observer.on_start(planned, 0);
  for (const TuningGroup& group : stage.request.groups) {
    TunedGroup found;
    found.group = group.values;
    found.configurations = static_cast<std::int64_t>(configurations_of(group));
    if (group.default_configuration) {
      found.default_configuration = static_cast<std::int64_t>(*group.default_configuration);
    }
    found.why_no_default = group.why_no_default;
    std::vector<TriedConfiguration> tried = GroupSearch(tools, group, found).run();
    if (objective.followed()) {
      const RankedBy& ranked_by = *objective.followed();
      record.metric = ranked_by.metric;
      record.better = ranked_by.better;
      record.origin = ranked_by.origin;
      if (!stage.stop) {
        WinnerChoice(stage, objective, group, std::move(tried)).choose(found, comparisons);
      }
    }
    record.groups.push_back(std::move(found));
    stage.watch.time(Phase::store, [&] {
      stage.store.set_tuning(stage.summary.run, record);
      stage.store.set_comparisons(stage.summary.run, comparisons);
    });
    if (stage.stop) return;
  }
  drift.measure_at_end();
}

}  // namespace sweep
