#include "engine/run/winner.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/run/contest.h"
#include "engine/run/counts_beside.h"

namespace sweep {
namespace {

class WinnerChoice {
 public:
  WinnerChoice(RunStage& stage, const SearchObjective& objective, const TuningGroup& group,
               std::span<const TriedConfiguration> tried)
      : stage_(stage),
        objective_(objective),
        group_(group),
        ranked_by_{objective.followed()->metric, objective.followed()->better, objective.origin()} {
    for (const TriedConfiguration& one : tried) {
      if (one.figure) tried_.push_back(one);
    }
    std::ranges::stable_sort(tried_, [&](const auto& a, const auto& b) {
      return is_better(*a.figure, *b.figure, ranked_by_.better);
    });
  }

  Winner choose() {
    Winner winner;
    if (tried_.empty()) return winner;
    const bool can_compare = stage_.can_time() && ranked_by_.origin == Origin::measured;
    if (!can_compare || !compare(winner)) choose_by_figures(winner);
    return winner;
  }

 private:
  static ContestRules contest_rules() {
    ContestRules rules;
    rules.most_rounds = 40;
    rules.free_seconds = 2;
    rules.until_clear = true;
    return rules;
  }

  /// The default, if it can be executed.
  std::optional<std::int64_t> working_standard() const {
    if (!group_.standard) return std::nullopt;
    const auto found = std::ranges::find(tried_, *group_.standard, &TriedConfiguration::index);
    return found != tried_.end() ? std::optional(static_cast<std::int64_t>(*group_.standard))
                                 : std::nullopt;
  }

  /// Chooses by measuring the leading ones again; false where that says nothing. What fails then
  /// is no candidate any more; where all fail it is the device that does.
  bool compare(Winner& winner) {
    const std::vector<std::int64_t> leading = leading_ones();
    const auto standard = working_standard();
    const bool adds_standard = standard && std::ranges::find(leading, *standard) == leading.end();
    if (leading.size() + (adds_standard ? 1 : 0) < 2) return false;
    Contest contest(stage_, leading, ranked_by_, contest_rules());
    if (standard) contest.add_reference(*standard);
    stage_.observer.on_stage(fmt::format(
        "comparing the best {}{}",
        leading.size() == 1 ? "configuration" : fmt::format("{} configurations", leading.size()),
        adds_standard ? " and the default" : ""));
    contest.count();
    if (contest.hold()) {
      // What further objectives go by.
      if (stage_.counts != nullptr) stage_.counts->wait();
      choose_by(contest, winner);
      return true;
    }
    if (!contest.contenders().empty()) drop(contest.failed());
    return false;
  }

  void drop(std::span<const std::int64_t> failed) {
    std::vector<TriedConfiguration> left;
    for (const TriedConfiguration& one : tried_) {
      const auto place = static_cast<std::int64_t>(one.index);
      if (std::ranges::find(failed, place) == failed.end()) left.push_back(one);
    }
    tried_ = std::move(left);
  }

  std::vector<std::int64_t> leading_ones() const {
    constexpr double margin = 0.02;
    constexpr std::size_t most = 6;
    std::vector<RankedFigure> figures;
    for (const TriedConfiguration& one : tried_) {
      const auto interval = one.interval.value_or(FigureInterval{*one.figure, *one.figure});
      // Of what is cut off the figure is a rough one, but not so rough.
      figures.push_back({one.cut_off ? 0 : *one.figure, {interval.low, interval.high}});
    }
    std::vector<std::int64_t> leading;
    for (const std::size_t i : worth_comparing(figures, ranked_by_.better, margin, most)) {
      leading.push_back(static_cast<std::int64_t>(tried_[i].index));
    }
    return leading;
  }

  /// Of some places in the space the one that the further objectives prefer, the first among
  /// equals.
  std::size_t preferred(const std::vector<std::size_t>& equals) const {
    std::vector<std::size_t> left = equals;
    for (const TuneObjective& objective : objective_.further()) {
      std::optional<double> best;
      std::vector<std::size_t> bests;
      for (const std::size_t index : left) {
        const auto stored = stage_.store.point(stage_.run, static_cast<std::int64_t>(index));
        const auto figure =
            stored ? preferred_figure(stored->point, objective.metric) : std::nullopt;
        if (!figure) continue;
        const bool first = !best || is_better(figure->value, *best, objective.better);
        if (first) bests.clear();
        if (first || figure->value == *best) bests.push_back(index);
        if (first) best = figure->value;
      }
      if (!bests.empty()) left = std::move(bests);
    }
    return left.front();
  }

  void choose_by(const Contest& contest, Winner& winner) const {
    const std::span<const Contender> contenders = contest.contenders();
    const Contender& leader = contenders[contest.best()];
    std::vector<std::size_t> equals = {static_cast<std::size_t>(leader.ordinal)};
    for (const Contender& contender : contenders) {
      const auto found = contest.advantage(leader, contender);
      if (contender.ordinal != leader.ordinal && found && !found->is_different()) {
        equals.push_back(static_cast<std::size_t>(contender.ordinal));
      }
    }
    const auto chosen = static_cast<std::int64_t>(preferred(equals));
    const Contender& best = *std::ranges::find(contenders, chosen, &Contender::ordinal);
    std::vector<double> figures;
    for (const double figure : best.figures) {
      if (figure > 0) figures.push_back(figure);
    }
    TunedGroup& group = winner.group;
    group.winner = chosen;
    group.rounds = static_cast<int>(figures.size());
    const Interval interval = median_interval(figures);
    group.figure_low = interval.low;
    group.figure = median(figures);
    group.figure_high = interval.high;
    winner.comparisons = contest.records();
    if (!group_.standard) return;
    const auto standard = static_cast<std::int64_t>(*group_.standard);
    const auto found = std::ranges::find(contenders, standard, &Contender::ordinal);
    if (found == contenders.end()) return;
    const auto gain = contest.advantage(best, *found);
    if (!gain) return;
    group.gain_low = gain->low;
    group.gain = gain->ratio;
    group.gain_high = gain->high;
  }

  void choose_by_figures(Winner& winner) const {
    std::vector<std::size_t> equals;
    for (const TriedConfiguration& one : tried_) {
      if (*one.figure == *tried_.front().figure) equals.push_back(one.index);
    }
    const std::size_t chosen = preferred(equals);
    const TriedConfiguration& best = *std::ranges::find(tried_, chosen, &TriedConfiguration::index);
    TunedGroup& group = winner.group;
    group.winner = static_cast<std::int64_t>(chosen);
    group.figure = *best.figure;
    const auto interval = best.interval.value_or(FigureInterval{*best.figure, *best.figure});
    group.figure_low = interval.low;
    group.figure_high = interval.high;
    if (!group_.standard) return;
    const auto standard = std::ranges::find(tried_, *group_.standard, &TriedConfiguration::index);
    if (standard == tried_.end() || !(*standard->figure > 0) || !(*best.figure > 0)) return;
    group.gain = ranked_by_.better == Better::higher ? *best.figure / *standard->figure
                                                     : *standard->figure / *best.figure;
  }

  RunStage& stage_;
  const SearchObjective& objective_;
  const TuningGroup& group_;
  RankedBy ranked_by_;
  std::vector<TriedConfiguration> tried_;  ///< that have a figure, the best first
};

}  // namespace

Winner choose_winner(RunStage& stage, const SearchObjective& objective, const TuningGroup& group,
                     std::span<const TriedConfiguration> tried) {
  if (!objective.followed()) return {};
  return WinnerChoice(stage, objective, group, tried).choose();
}

}  // namespace sweep
