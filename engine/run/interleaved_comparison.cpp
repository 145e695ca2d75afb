#include "engine/run/interleaved_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>

#include "engine/run/run_stage.h"
#include "engine/run/workload.h"

namespace sweep {
namespace {

constexpr int samples_a_round = 5;
/// The rounds after which it may become clear: with every look a chance grows to be misled.
constexpr std::size_t look_every = 8;
/// Nobody minds which of two is taken that differ by less.
constexpr double matters = 0.003;

/// The run's points with what ranks them, and nothing else.
std::vector<StoredPoint> figures_of_points(const RunStage& stage) {
  std::vector<StoredPoint> points;
  stage.store.visit_points(stage.summary.run, [&](StoredPoint&& stored) {
    PointRecord& point = stored.point;
    point.key.pattern_text = {};
    point.samples = {};
    point.notes = {};
    std::erase_if(point.metrics,
                  [](const Metric& metric) { return metric.origin != Origin::measured; });
    point.metrics.shrink_to_fit();
    points.push_back(std::move(stored));
  });
  return points;
}

/// Those of a group's points that may be the best, the likeliest first. On another device a figure
/// may be another by `spread`.
std::vector<std::size_t> best_of(const std::vector<StoredPoint>& points, const RankedGroup& group,
                                 double spread) {
  std::vector<RankedFigure> figures;
  for (const std::size_t i : group.places) {
    const double figure = figure_of(points[i].point, group.ranked_by).value_or(0);
    // Without an interval, what is near the best may be the best.
    figures.push_back(
        {figure, interval_of(points[i].point, group.ranked_by).value_or(Interval{figure, figure})});
    Interval& interval = figures.back().interval;
    interval = {interval.low * (1 - spread / 2), interval.high * (1 + spread / 2)};
  }
  std::vector<std::size_t> best;
  for (const std::size_t i : worth_comparing(figures, group.ranked_by.better)) {
    best.push_back(static_cast<std::size_t>(points[group.places[i]].ordinal));
  }
  return best;
}

}  // namespace

InterleavedComparison::InterleavedComparison(RunStage& stage,
                                             std::span<const std::size_t> point_indices,
                                             RankedBy ranked_by, const ComparisonRules& rules)
    : stage_(stage),
      rules_(rules),
      ranked_by_(std::move(ranked_by)),
      measure_(stage.request.sweep.measure),
      devices_{stage.measurer} {
  if (rules.on_every_device) {
    for (const DeviceSeat& seat : stage.further) devices_.push_back(seat.measurer);
  }
  for (const std::size_t index : point_indices) candidates_.push_back({index});
  if (rules.reference &&
      std::ranges::find(point_indices, *rules.reference) == point_indices.end()) {
    candidates_.push_back({*rules.reference});
  }
  measure_.min_samples = measure_.max_samples = samples_a_round;
}

/// Compiles the programs of those that were not among the last executed.
void InterleavedComparison::prepare() {
  std::vector<const Configuration*> forgotten;
  for (Candidate& candidate : candidates_) {
    if (const Workload* recent = stage_.summary.recent.find(candidate.point_index)) {
      candidate.workload = *recent;
    } else {
      forgotten.push_back(&stage_.configuration(candidate.point_index));
    }
  }
  PreparedPoints prepared(stage_.compile, measure_);
  prepared.add(forgotten);
  for (Candidate& candidate : candidates_) {
    if (candidate.workload.program == nullptr) {
      PreparedPoint point = stage_.watch.time(Phase::compile, [&] { return prepared.next(); });
      if (!point.workload) continue;
      candidate.workload = std::move(*point.workload);
    }
    if (rules_.counts && stage_.counts != nullptr) {
      stage_.counts->begin(stage_, candidate.point_index, candidate.workload);
    }
  }
  std::erase_if(candidates_, [](const Candidate& one) { return one.workload.program == nullptr; });
}

/// Measures a round on each device and gives how many that were: none is measured of a device that
/// is lost, which takes no further part. Throws DeviceError where no other is left.
std::size_t InterleavedComparison::measure_rounds(std::size_t first) {
  std::vector<Candidate*> going_on;
  for (Candidate& candidate : candidates_) {
    if (candidate.goes_on) going_on.push_back(&candidate);
  }
  using Round = std::vector<std::pair<Candidate*, Measurement>>;
  std::vector<std::future<Round>> rounds;
  std::vector<Measurer*> left;
  const auto measure = [&](std::size_t i) {
    Round round;
    for (const std::size_t place : round_order(going_on.size(), first + i)) {
      Candidate* candidate = going_on[place];
      round.emplace_back(candidate, devices_[i]->measure(candidate->workload, measure_));
    }
    return round;
  };
  const auto take = [&](std::size_t i) {
    Round round;
    try {
      round = stage_.team->aside([&] { return rounds[i].get(); });
    } catch (const DeviceError& lost) {
      if (left.empty() && i + 1 == devices_.size()) throw;
      stage_.note(fmt::format("GPU {} takes no further part in comparing the best: {}",
                              devices_[i]->device().index, lost.what()));
      return;
    }
    left.push_back(devices_[i]);
    for (Candidate& candidate : candidates_) candidate.figures.push_back(0);
    for (auto& [candidate, measurement] : round) {
      PointRecord& point = measurement.point;
      stage_.summary.timing.busy_seconds += measurement.busy_seconds;
      stage_.derive(candidate->point_index, point);
      if (auto note = note_on_others(point)) disturbance_ = std::move(*note);
      candidate->figures.back() = figure_of(point, ranked_by_).value_or(0);
    }
  };
  stage_.watch.time(Phase::compare, [&] {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      // The first one's in this thread; others too where there is no thread to be had.
      const auto how = std::launch::deferred | (i == 0 ? std::launch{} : std::launch::async);
      rounds.push_back(std::async(how, measure, i));
    }
    for (std::size_t i = 0; i < devices_.size(); ++i) take(i);
  });
  devices_ = left;
  std::erase_if(candidates_, [&](const Candidate& candidate) {
    const auto of_these = std::span(candidate.figures).last(left.size());
    const bool has_failed = candidate.goes_on && !std::ranges::all_of(of_these, [](double figure) {
                              return figure > 0;
                            });
    if (has_failed) failed_.push_back(candidate.point_index);
    return has_failed;
  });
  return left.size();
}

/// Whether no other may be better than the best, or only by so little that it does not matter.
/// Drops those that are not.
bool InterleavedComparison::is_clear(std::size_t rounds) {
  if (!rules_.until_clear || rounds % look_every != 0 || candidates_.empty()) return false;
  const std::size_t leader = best();
  bool clear = true;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (!candidates_[i].goes_on) continue;
    const bool is_reference = rules_.reference == candidates_[i].point_index;
    const auto found = advantage(candidates_[leader], candidates_[i]);
    const bool is_slower = i != leader && found && found->low > 1;
    candidates_[i].goes_on = !is_slower || is_reference;
    if (i == leader || is_slower || is_reference) continue;
    clear = clear && found && found->low > 1 - matters && found->high < 1 + matters;
  }
  return clear;
}

bool InterleavedComparison::is_over(std::size_t rounds, double spent) const {
  constexpr double share_of_run = 0.1;
  constexpr double patience = 60;  // seconds, for the fewest rounds that say something
  const double allowed = std::max(rules_.free_seconds, share_of_run * begin_);
  if (rounds >= fewest_for_interval && spent > allowed) return true;
  return spent / static_cast<double>(rounds) * static_cast<double>(fewest_for_interval) > patience;
}

bool InterleavedComparison::run() {
  prepare();
  begin_ = stage_.watch.elapsed();
  std::size_t rounds = 0;
  while (candidates_.size() >= 2 && rounds < rules_.most_rounds && !stage_.stop) {
    rounds += measure_rounds(rounds);
    if (is_over(rounds, stage_.watch.elapsed() - begin_) || is_clear(rounds)) break;
  }
  return candidates_.size() >= 2 && rounds >= fewest_for_interval;
}

std::optional<PairedComparison> InterleavedComparison::advantage(const Candidate& one,
                                                                 const Candidate& other) const {
  return ranked_by_.better == Better::higher ? compare_paired(one.figures, other.figures)
                                             : compare_paired(other.figures, one.figures);
}

std::size_t InterleavedComparison::best() const {
  std::size_t best = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const auto against = advantage(candidates_[best], candidates_[i]);
    if (against && against->ratio < 1) best = i;
  }
  return best;
}

std::vector<ComparisonRecord> InterleavedComparison::records() const {
  const Candidate& leader = candidates_[best()];
  std::vector<ComparisonRecord> records;
  for (const Candidate& candidate : candidates_) {
    const auto found = advantage(leader, candidate);
    if (!found) continue;
    records.push_back({static_cast<std::int64_t>(candidate.point_index),
                       static_cast<int>(found->rounds), found->low, found->ratio, found->high});
  }
  return records;
}

void compare_best(RunStage& stage) {
  const std::int64_t run = stage.summary.run;
  if (!stage.can_time()) return;
  if (stage.summary.measured == 0 && stage.store.take_over_comparisons(run)) return;
  const std::vector<StoredPoint> points = figures_of_points(stage);
  std::vector<ComparisonRecord> records;
  for (const RankedGroup& group : ranked_groups(points)) {
    const std::vector<std::size_t> best = best_of(points, group, stage.device_spread);
    if (best.size() < 2) continue;
    stage.observer.on_stage(
        fmt::format("comparing the best {} configurations of {}", best.size(), group.pattern));
    InterleavedComparison comparison(stage, best, group.ranked_by, {.on_every_device = true});
    if (comparison.run()) std::ranges::move(comparison.records(), std::back_inserter(records));
    if (stage.stop) break;
  }
  stage.watch.time(Phase::store, [&] { stage.store.set_comparisons(run, records); });
}

void compare_pairs(RunStage& stage) {
  const auto& pairs = stage.request.pairs;
  stage.summary.pairs.resize(pairs.size());
  if (!stage.can_time()) return;
  const RankedBy by_time = {"time", Better::lower, Origin::measured};
  const ComparisonRules rules = {.most_rounds = 20, .free_seconds = 3, .on_every_device = true};
  const auto has_time = [&](std::size_t point_index) {
    const auto stored = stage.stored(point_index);
    return stored && figure_of(stored->point, by_time).has_value();
  };
  constexpr std::size_t told_every = 20;
  for (std::size_t i = 0; i < pairs.size() && !stage.stop; ++i) {
    if (i % told_every == 0) {
      stage.observer.on_stage(fmt::format("measuring in turn: pair {} of {}", i + 1, pairs.size()));
    }
    if (!std::ranges::all_of(pairs[i], has_time)) continue;
    InterleavedComparison comparison(stage, pairs[i], by_time, rules);
    if (!comparison.run()) continue;
    const auto candidates = comparison.candidates();
    stage.summary.pairs[i] = comparison.advantage(candidates[0], candidates[1]);
  }
}

}  // namespace sweep
