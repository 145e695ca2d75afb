#include "engine/run/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/run/counting.h"
#include "engine/run/interleaved_comparison.h"

namespace sweep {
namespace {

/// What a search comes to.
struct Winner {
  TunedGroup group;  ///< all but what the search itself knows
  std::vector<ComparisonRecord> comparisons = {};
};

/// Chooses the winner among the configurations tried. Where the device measures, those that may be
/// the best are measured again in turn, together with the default: the figures are those of the
/// rounds, since the best of many noisy figures is best by luck too. Among those that cannot be
/// told apart the further objectives decide. They are counted meanwhile.
class WinnerChoice {
 public:
  WinnerChoice(RunStage& stage, const SearchObjective& objective, const TuningGroup& group,
               const std::vector<TriedConfiguration>& tried)
      : stage_(stage),
        objective_(objective),
        default_(group.default_configuration),
        ranked_by_(objective.ranked_by()) {
    std::ranges::copy_if(tried, std::back_inserter(tried_),
                         [](const TriedConfiguration& one) { return one.figure.has_value(); });
    std::ranges::stable_sort(tried_, [&](const auto& a, const auto& b) {
      return is_better(*a.figure, *b.figure, ranked_by_.better);
    });
  }

  Winner choose() {
    if (tried_.empty()) return {};
    const bool can_compare = stage_.can_time() && ranked_by_.origin == Origin::measured;
    if (!can_compare || !compare()) choose_by_figures();
    return std::move(winner_);
  }

 private:
  static ComparisonRules comparison_rules() {
    ComparisonRules rules;
    rules.most_rounds = 40;
    rules.free_seconds = 2;
    rules.until_clear = true;
    return rules;
  }

  auto find_tried(std::size_t point_index) const {
    return std::ranges::find(tried_, point_index, &TriedConfiguration::point_index);
  }

  /// Chooses by measuring the leading ones again; false where that says nothing. What fails then
  /// is no candidate any more; where all fail it is the device that does.
  bool compare() {
    const std::vector<std::size_t> leading = leading_ones();
    // The default takes part if it can be executed.
    const bool has_default = default_ && find_tried(*default_) != tried_.end();
    const bool adds_default = has_default && std::ranges::find(leading, *default_) == leading.end();
    if (leading.size() + (adds_default ? 1 : 0) < 2) return false;
    InterleavedComparison comparison(stage_, leading, ranked_by_, comparison_rules());
    if (has_default) comparison.add_reference(*default_);
    stage_.observer.on_stage(fmt::format(
        "comparing the best {}{}",
        leading.size() == 1 ? "configuration" : fmt::format("{} configurations", leading.size()),
        adds_default ? " and the default" : ""));
    comparison.count();
    if (comparison.run()) {
      // What further objectives go by.
      if (stage_.counts != nullptr) stage_.counts->wait();
      choose_by(comparison);
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

  static Interval interval_of_figure(const TriedConfiguration& one) {
    return one.interval.value_or(Interval{*one.figure, *one.figure});
  }

  std::vector<std::size_t> leading_ones() const {
    constexpr double margin = 0.02;
    constexpr std::size_t most = 6;
    std::vector<RankedFigure> figures;
    for (const TriedConfiguration& one : tried_) {
      // Of what is cut off the figure is a rough one, but not so rough.
      figures.push_back({one.cut_off ? 0 : *one.figure, interval_of_figure(one)});
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

  void choose_by(const InterleavedComparison& comparison) {
    const std::span<const Candidate> candidates = comparison.candidates();
    const auto find = [&](std::size_t point_index) {
      return std::ranges::find(candidates, point_index, &Candidate::point_index);
    };
    const Candidate& leader = candidates[comparison.best()];
    std::vector<std::size_t> equals = {leader.point_index};
    for (const Candidate& candidate : candidates) {
      const auto found = comparison.advantage(leader, candidate);
      if (&candidate != &leader && found && !found->is_different()) {
        equals.push_back(candidate.point_index);
      }
    }
    const Candidate& best = *find(preferred(equals));
    std::vector<double> figures;
    std::ranges::copy_if(best.figures, std::back_inserter(figures),
                         [](double figure) { return figure > 0; });
    winner_.group.rounds = static_cast<int>(figures.size());
    set_winner(best.point_index, median(figures), median_interval(figures));
    winner_.comparisons = comparison.records();
    if (!default_ || find(*default_) == candidates.end()) return;
    const auto gain = comparison.advantage(best, *find(*default_));
    if (!gain) return;
    winner_.group.gain_low = gain->low;
    winner_.group.gain = gain->ratio;
    winner_.group.gain_high = gain->high;
  }

  void choose_by_figures() {
    std::vector<std::size_t> equals;
    for (const TriedConfiguration& one : tried_) {
      if (*one.figure == *tried_.front().figure) equals.push_back(one.point_index);
    }
    const TriedConfiguration& best = *find_tried(preferred(equals));
    set_winner(best.point_index, *best.figure, interval_of_figure(best));
    if (!default_) return;
    const auto found = find_tried(*default_);
    if (found == tried_.end() || !(*found->figure > 0) || !(*best.figure > 0)) return;
    winner_.group.gain = ranked_by_.better == Better::higher ? *best.figure / *found->figure
                                                             : *found->figure / *best.figure;
  }

  void set_winner(std::size_t point_index, double figure, const Interval& interval) {
    winner_.group.winner = static_cast<std::int64_t>(point_index);
    winner_.group.figure_low = interval.low;
    winner_.group.figure = figure;
    winner_.group.figure_high = interval.high;
  }

  RunStage& stage_;
  const SearchObjective& objective_;
  std::optional<std::size_t> default_;
  RankedBy ranked_by_;
  std::vector<TriedConfiguration> tried_;  ///< that have a figure, the best first
  Winner winner_;
};

/// That a group's search can try: the default is one of them, also where the axes do not have it.
std::size_t configurations_of(const TuningGroup& group) {
  const bool adds_default =
      group.default_configuration &&
      !std::ranges::binary_search(group.configurations, *group.default_configuration);
  return group.configurations.size() + (adds_default ? 1 : 0);
}

/// At most so many points come of it.
std::size_t planned_points(const RunRequest& request) {
  std::size_t planned = 0;
  for (const TuningGroup& group : request.groups) {
    const std::size_t all = configurations_of(group);
    planned += std::min(all, request.sweep.tune->budget.configurations.value_or(all));
  }
  return planned;
}

class Tuning {
 public:
  explicit Tuning(RunStage& stage)
      : stage_(stage), objective_(stage.request.sweep.tune->objectives), drift_(stage) {
    const TuneRules& rules = *stage.request.sweep.tune;
    const TuneObjective& first = rules.objectives.front();
    record_.metric = first.metric;
    record_.better = first.better;
    record_.strategy = rules.strategy;
    record_.seed = rules.seed;
    record_.for_each = rules.for_each;
    // A search by the time does not wait for counts; the leading ones are counted at the end.
    const bool goes_by_time = follows_from_time(first.metric);
    tools_.counts.emulated = tools_.counts.waits = !goes_by_time && stage.counts != nullptr;
    tools_.counts.hardware = !goes_by_time && stage.can_time() && !stage.request.counters.empty();
  }

  void run() {
    stage_.observer.on_start(planned_points(stage_.request), 0);
    for (const TuningGroup& group : stage_.request.groups) {
      const SearchedGroup searched = search_group(tools_, group);
      stage_.summary.timing.compile += searched.compiled;
      Winner winner;
      if (!stage_.stop && objective_.followed()) {
        winner = WinnerChoice(stage_, objective_, group, searched.tried).choose();
      }
      record(group, searched, std::move(winner));
      if (stage_.stop) return;
    }
    drift_.measure_at_end();
  }

 private:
  void record(const TuningGroup& group, const SearchedGroup& searched, Winner winner) {
    TunedGroup& found = winner.group;
    found.group = group.values;
    found.configurations = static_cast<std::int64_t>(configurations_of(group));
    found.tried = static_cast<std::int64_t>(searched.tried.size());
    found.ended = searched.ended;
    if (group.default_configuration) {
      found.default_configuration = static_cast<std::int64_t>(*group.default_configuration);
    }
    found.why_no_default = group.why_no_default;
    if (objective_.followed()) {
      const RankedBy ranked_by = objective_.ranked_by();
      record_.metric = ranked_by.metric;
      record_.better = ranked_by.better;
      record_.origin = ranked_by.origin;
    }
    record_.groups.push_back(std::move(found));
    std::ranges::move(winner.comparisons, std::back_inserter(comparisons_));
    stage_.watch.time(Phase::store, [&] {
      stage_.store.set_tuning(stage_.summary.run, record_);
      stage_.store.set_comparisons(stage_.summary.run, comparisons_);
    });
  }

  RunStage& stage_;
  SearchObjective objective_;
  DriftReference drift_;
  SearchTools tools_{stage_, drift_, objective_};
  TuningRecord record_;
  std::vector<ComparisonRecord> comparisons_;
};

}  // namespace

void tune_groups(RunStage& stage) {
  Tuning(stage).run();
}

}  // namespace sweep
