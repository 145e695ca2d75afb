#include "engine/run/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/run/counting.h"
#include "engine/run/interleaved_comparison.h"

namespace sweep {
namespace {

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
    std::erase_if(tried_, [](const TriedConfiguration& one) { return !one.figure; });
    std::ranges::stable_sort(tried_, [&](const auto& a, const auto& b) {
      return is_better(*a.figure, *b.figure, ranked_by_.better);
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
      if (*one.figure == *tried_.front().figure) equals.push_back(one.point_index);
    }
    const TriedConfiguration& best = *find_tried(preferred(equals));
    set_winner(found, best.point_index, *best.figure, interval_of_figure(best));
    if (!default_) return;
    const auto other = find_tried(*default_);
    if (other == tried_.end() || !(*other->figure > 0) || !(*best.figure > 0)) return;
    found.gain = ranked_by_.better == Better::higher ? *best.figure / *other->figure
                                                     : *other->figure / *best.figure;
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
  std::vector<TriedConfiguration> tried_;  ///< that have a figure, the best first
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
    std::vector<TriedConfiguration> tried = search_group(tools, group, found);
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
