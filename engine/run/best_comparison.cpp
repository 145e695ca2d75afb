#include "engine/run/best_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/run/paired_comparison.h"
#include "engine/run/prepared_points.h"
#include "engine/store/ranking.h"

namespace sweep {
namespace {

constexpr std::size_t most_rounds = 12;
constexpr int samples_a_round = 5;

/// Comparing may take as long, in seconds of wall time, whatever the run took, or such a share of
/// that; more only for the fewest rounds that say something, and those only up to `patience`.
constexpr double free_seconds = 1;
constexpr double share_of_run = 0.1;
constexpr double patience = 60;

/// One of the configurations that may be the best.
struct Contender {
  std::int64_t ordinal = 0;
  Configuration configuration;
  PreparedPoint prepared = {};
  std::vector<double> figures = {};  ///< by round; 0 where measuring failed
};

class Contest {
 public:
  Contest(RunStage& stage, std::vector<Contender> contenders, RankedBy ranked_by)
      : stage_(stage), contenders_(std::move(contenders)), ranked_by_(std::move(ranked_by)) {
    rules_ = stage.request.sweep.measure;
    rules_.min_samples = rules_.max_samples = samples_a_round;
  }

  /// How each compares with the best of them; nothing when there was no time to find out.
  std::vector<ComparisonRecord> compare() {
    prepare();
    std::erase_if(contenders_,
                  [](const Contender& contender) { return !contender.prepared.workload; });
    if (contenders_.size() < 2 || !measure_rounds()) return {};
    return records();
  }

 private:
  void prepare() {
    std::vector<Configuration> configurations;
    for (const Contender& contender : contenders_) {
      configurations.push_back(contender.configuration);
    }
    CompileAhead compiled(stage_.compile, configurations);
    PreparedPoints prepared(compiled, configurations, nullptr, rules_);
    for (Contender& contender : contenders_) {
      contender.prepared = stage_.watch.time(Phase::compile, [&] { return prepared.next(); });
    }
  }

  /// False when the rounds are too few to say something.
  bool measure_rounds() {
    const double begin = stage_.watch.elapsed();
    const double allowed = std::max(free_seconds, share_of_run * begin);
    for (std::size_t round = 0; round < most_rounds && !stage_.stop; ++round) {
      for (const std::size_t i : round_order(contenders_.size(), round)) {
        contenders_[i].figures.push_back(measure_once(contenders_[i]));
      }
      const double spent = stage_.watch.elapsed() - begin;
      const auto rounds = static_cast<double>(round + 1);
      if (rounds >= fewest_for_interval && spent > allowed) break;
      if (spent / rounds * fewest_for_interval > patience) return false;
    }
    return contenders_.front().figures.size() >= fewest_for_interval;
  }

  double measure_once(const Contender& contender) {
    const PointRecord point = stage_
                                  .measure(*contender.prepared.workload, rules_,
                                           contender.prepared.useful, Phase::compare)
                                  .point;
    return figure_of(point, ranked_by_).value_or(0);
  }

  /// The other's time over the best's, so to speak: above 1 where `other` is slower.
  std::optional<PairedComparison> slowdown(const Contender& best, const Contender& other) const {
    return ranked_by_.better == Better::higher ? compare_paired(best.figures, other.figures)
                                               : compare_paired(other.figures, best.figures);
  }

  /// The one that the others are not faster than.
  const Contender& find_best() const {
    const Contender* best = &contenders_.front();
    for (const Contender& contender : contenders_) {
      const auto against = slowdown(*best, contender);
      if (against && against->ratio < 1) best = &contender;
    }
    return *best;
  }

  std::vector<ComparisonRecord> records() const {
    const Contender& best = find_best();
    std::vector<ComparisonRecord> records;
    for (const Contender& contender : contenders_) {
      if (&contender == &best) {
        records.push_back({contender.ordinal, static_cast<int>(contender.figures.size())});
      } else if (const auto found = slowdown(best, contender)) {
        records.push_back({contender.ordinal, static_cast<int>(found->rounds), found->low,
                           found->ratio, found->high});
      }
    }
    return records;
  }

  RunStage& stage_;
  std::vector<Contender> contenders_;
  RankedBy ranked_by_;
  MeasureRules rules_;
};

/// Those of a group's points that may be the best, the likeliest first.
std::vector<Contender> contenders_of(const RunStage& stage, const std::vector<StoredPoint>& points,
                                     const RankedGroup& group) {
  std::vector<RankedFigure> figures;
  for (const std::size_t i : group.places) {
    const double figure = figure_of(points[i].point, group.ranked_by).value_or(0);
    const auto interval = interval_of(points[i].point, group.ranked_by);
    // Without an interval, what is near the best may be the best.
    figures.push_back(interval ? RankedFigure{figure, {interval->low, interval->high}}
                               : RankedFigure{figure, {figure, figure}});
  }
  std::vector<Contender> contenders;
  for (const std::size_t i : worth_comparing(figures, group.ranked_by.better)) {
    const std::int64_t ordinal = points[group.places[i]].ordinal;
    const auto index = static_cast<std::size_t>(ordinal);
    contenders.push_back({ordinal, stage.request.space.configurations.at(index)});
  }
  return contenders;
}

}  // namespace

void compare_best(RunStage& stage) {
  if (stage.measurer.device().is_emulated()) return;
  if (stage.timing.measured == 0 && stage.store.take_over_comparisons(stage.run)) return;
  const std::vector<StoredPoint> points = stage.store.points(stage.run);
  std::vector<ComparisonRecord> records;
  for (const RankedGroup& group : ranked_groups(points)) {
    std::vector<Contender> contenders = contenders_of(stage, points, group);
    if (contenders.size() < 2) continue;
    stage.observer.on_stage(fmt::format("comparing the best {} configurations of {}",
                                        contenders.size(), group.pattern));
    const std::vector<ComparisonRecord> found =
        Contest(stage, std::move(contenders), group.ranked_by).compare();
    records.insert(records.end(), found.begin(), found.end());
    if (stage.stop) break;
  }
  stage.watch.time(Phase::store, [&] { stage.store.set_comparisons(stage.run, records); });
}

}  // namespace sweep
