#include "engine/run/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "engine/run/interleaved_comparison.h"
#include "engine/search/strategy.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double signed_cost(double figure, Better better) {
  return better == Better::higher ? -figure : figure;
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
  for (const Origin origin : all_origins) {
    const auto value = figure_from(point, metric, origin);
    if (value) return Metric{metric, origin, *value};
  }
  return std::nullopt;
}

bool follows_from_time(std::string_view metric) {
  const MetricDefinition* definition = find_metric(metric);
  return definition != nullptr && definition->relation != TimeRelation::unrelated &&
         !definition->needs_counts;
}

std::optional<double> SearchObjective::figure(const PointRecord& point) const {
  if (!followed_ || point.status == PointStatus::failed) return std::nullopt;
  const auto found = figure_from(point, followed_->metric, followed_->origin);
  return found && std::isfinite(*found) ? found : std::nullopt;
}

std::optional<double> SearchObjective::cost(const PointRecord& point) {
  if (point.status == PointStatus::failed) return std::nullopt;
  for (std::size_t i = 0; i < objectives_.size() && !followed_; ++i) {
    const auto found = preferred_figure(point, objectives_[i].metric);
    if (!found) continue;
    followed_ = {found->name, objectives_[i].better, found->origin};
    next_ = i + 1;
  }
  const auto found = figure(point);
  if (!found) return std::nullopt;
  // Too little to matter where figures differ at all.
  constexpr double share = 1e-6;
  double cost = signed_cost(*found, followed_->better);
  double weight = share * (cost != 0 ? std::abs(cost) : 1);
  for (const TuneObjective& objective : further()) {
    if (const auto next = preferred_figure(point, objective.metric)) {
      // Squeezed between 0 and 1.
      const double own = signed_cost(next->value, objective.better);
      cost += weight * (1 + own / (1 + std::abs(own))) / 2;
    }
    weight *= share;
  }
  return cost;
}

double SearchObjective::seconds_when_slower(double figure, double factor,
                                            const UsefulTraffic& useful, const Device& device,
                                            const ChangeMetrics& derive) const {
  const MetricDefinition* definition = followed_ ? find_metric(followed_->metric) : nullptr;
  if (definition == nullptr || followed_->origin != Origin::measured || !(figure > 0)) return never;
  const bool is_time = definition->relation == TimeRelation::proportional;
  const bool is_wanted_long = is_time == (followed_->better == Better::higher);
  if (!follows_median(*definition) || is_wanted_long) return never;
  PointRecord of_a_second;
  const Sample second{1};
  of_a_second.metrics = timing_metrics(std::span(&second, 1), 1, useful, device);
  if (derive) derive(of_a_second.metrics);
  const auto reached = figure_from(of_a_second, followed_->metric, Origin::measured);
  // What moves nothing has no bandwidth, however long it takes.
  if (!reached || !(*reached > 0)) return never;
  return (is_time ? figure / *reached : *reached / figure) * factor;
}

namespace {

/// A configuration that a search has a point of, and which has not failed.
struct TriedConfiguration {
  std::size_t point_index = 0;
  double figure = 0;
  Interval interval;  ///< the figure's
  bool cut_off = false;
};

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
  return encode(group.configurations.size(), names, [&](std::size_t i, const std::string& name) {
    const Configuration& configuration = space.configurations[group.configurations[i]];
    return name == "pattern" ? &patterns.at(configuration.pattern.get())
                             : configuration.parameters.find(name);
  });
}

/// The row of a configuration in the group's search space; nothing for a default that is not in it.
std::optional<std::size_t> find_row(const TuningGroup& group, std::size_t point_index) {
  const auto found = std::ranges::lower_bound(group.configurations, point_index);
  if (found == group.configurations.end() || *found != point_index) return std::nullopt;
  return static_cast<std::size_t>(found - group.configurations.begin());
}

/// That a group's search can try: the default is one of them, also where the axes do not have it.
std::size_t configurations_of(const TuningGroup& group) {
  const auto& added = group.default_configuration;
  return group.configurations.size() + (added && !find_row(group, *added) ? 1 : 0);
}

/// Searches one group for its best configuration, and then chooses the winner among those tried.
class GroupTuning {
 public:
  /// `counts` are the emulator's or the hardware's if the search goes by them. If it `predicts`, it
  /// begins with predictions of the first objective.
  GroupTuning(RunStage& stage, DriftReference& drift, SearchObjective& objective,
              PointMeasurement::Counts counts, bool predicts, const TuningGroup& group)
      : stage_(stage),
        objective_(objective),
        counts_(counts),
        predicts_(predicts),
        rules_(*stage.request.sweep.tune),
        group_(group),
        default_(group.default_configuration),
        space_(search_space(stage.request.space, group)),
        source_(std::in_place, stage, counts.emulated),
        measurement_(std::in_place, stage, *source_, drift, counts) {
    found.place = static_cast<std::int64_t>(group.place);
    found.group = group.values;
    found.configurations = static_cast<std::int64_t>(configurations_of(group));
    if (default_) found.default_configuration = static_cast<std::int64_t>(*default_);
    found.why_no_default = group.why_no_default;
  }

  /// Asks the strategy, a few configurations ahead so that they are compiled in the meantime, and
  /// tells it what became of each. The default configuration comes first. A point that the store
  /// has already is not measured again; so a search that was stopped goes the same way when it is
  /// started again, up to where it stopped and on. Ends when the budget is used up, nothing is left
  /// to try, or the run is to stop.
  void search() {
    const double begin = stage_.watch.elapsed();
    found.ended = "was interrupted";
    if (predicts_) predict();
    strategy_ = make_strategy(rules_.strategy, space_, rules_.seed);
    if (default_) add(*default_);
    while (!stage_.stop) {
      if (auto end = should_stop(rules_.budget, progress_, stage_.watch.elapsed() - begin)) {
        found.ended = std::move(*end);
        break;
      }
      ask_ahead();
      if (asked_.empty()) {
        found.ended = "tried every configuration";
        break;
      }
      const Asked asked = std::move(asked_.front());
      asked_.pop_front();
      try {
        learn(asked.point_index,
              asked.stored ? take_from_store(asked) : measure(asked.point_index));
      } catch (const CompilingStopped&) {
        break;
      }
    }
    found.tried = static_cast<std::int64_t>(progress_.best_after.size());
    stage_.summary.timing.compile += source_->statistics();
    // What was asked for ahead is not needed.
    measurement_.reset();
    source_.reset();
  }

  /// Where the device measures, those that may be the best are measured again in turn, together
  /// with the default, and counted meanwhile: the figures are those of the rounds, since the best
  /// of many noisy figures is best by luck too. Among those that cannot be told apart the further
  /// objectives decide. Adds how others compare with the winner to `comparisons`. There is no
  /// winner where another process computed on the device while it was measured or compared.
  void choose_winner(std::vector<ComparisonRecord>& comparisons) {
    if (tried_.empty()) return;
    std::ranges::stable_sort(tried_, [&](const auto& a, const auto& b) {
      return is_better(a.figure, b.figure, ranked_by().better);
    });
    const MetricDefinition* definition = find_metric(ranked_by().metric);
    const bool can_compare = stage_.can_time() && ranked_by().origin == Origin::measured &&
                             (definition == nullptr || !definition->needs_counts);
    if (!can_compare || !compare(comparisons)) choose_by_figures();
    if (!found.why_no_winner.empty()) forget_winner();
  }

  TunedGroup found;

 private:
  struct Asked {
    std::size_t point_index = 0;
    std::optional<PointKey> stored;  ///< the key of a point that the store has
  };

  /// Has the emulators predict some configurations, for the strategy to know.
  void predict() {
    stage_.observer.on_stage(
        "predicting " + count_of(std::min(rules_.predictions, space_.size()), "configuration"));
    const EmulatorThreads& emulate = stage_.request.emulate;
    EmulateAhead emulators(emulate.make_backend, emulate.threads);
    PreparedPoints prepared(stage_.compile, stage_.request.sweep.measure, &emulators);
    try {
      stage_.watch.time(Phase::emulate, [&] {
        space_.set_predictions(sample_predictions(
            space_, rules_.seed, rules_.predictions,
            [&](std::span<const std::size_t> rows) { return predicted_costs(rows, prepared); }));
      });
    } catch (const CompilingStopped&) {
      // The search ends before it begins.
    }
    stage_.summary.timing.compile += prepared.statistics();
  }

  /// Throws CompilingStopped once the run is to stop.
  std::vector<std::optional<double>> predicted_costs(std::span<const std::size_t> rows,
                                                     PreparedPoints& prepared) {
    std::vector<const Configuration*> configurations;
    for (const std::size_t row : rows) {
      configurations.push_back(&stage_.configuration(group_.configurations[row]));
    }
    prepared.add(configurations);
    std::vector<PreparedPoint> points;  // counted as soon as they are compiled
    for (std::size_t i = 0; i < rows.size(); ++i) points.push_back(prepared.next());
    std::vector<std::optional<double>> costs;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::optional<double>& cost = costs.emplace_back();
      if (!points[i].counts.valid()) continue;
      PointRecord point;
      point.metrics = stage_.await(points[i].counts).metrics;
      stage_.derive(group_.configurations[rows[i]], point);
      const TuneObjective& objective = rules_.objectives.front();
      const auto figure = figure_from(point, objective.metric, Origin::predicted);
      if (figure) cost = signed_cost(*figure, objective.better);
    }
    return costs;
  }

  void ask_ahead() {
    // Enough to keep compilers busy before the first is told. Always the same number, so that the
    // course does not depend on the machine.
    constexpr std::size_t most_asked = 16;
    const std::size_t most =
        rules_.budget.configurations.value_or(std::numeric_limits<std::size_t>::max());
    while (asked_.size() < most_asked && progress_.best_after.size() + asked_.size() < most) {
      const auto row = strategy_->ask();
      if (!row) return;
      const std::size_t index = group_.configurations[*row];
      // The default is tried anyway.
      if (index != default_) add(index);
    }
  }

  void add(std::size_t point_index) {
    Asked asked{point_index, stored_key(point_index)};
    if (!asked.stored) source_->add({point_index});
    asked_.push_back(std::move(asked));
  }

  /// What a point of this search is stored as. One that was cut off is no result for a sweep that
  /// measures everything; a search by the time leaves the counts out that such a sweep has. One
  /// that another process disturbed has a key that no search looks for, so that it is measured
  /// anew.
  PointKey key_of(std::size_t point_index, bool cut_off, bool is_disturbed = false) const {
    PointKey key = stage_.key_of(stage_.configuration(point_index));
    if (cut_off) {
      key.measure += fmt::format("; cut off when {} times slower than the best {}", rules_.cut_off,
                                 rules_.objectives.front().metric);
    } else if (stage_.counts != nullptr && !counts_.emulated) {
      key.measure += "; without counts";
    }
    if (is_disturbed) key.measure += "; while another process computed";
    return key;
  }

  std::optional<PointKey> stored_key(std::size_t point_index) const {
    if (stage_.request.fresh) return std::nullopt;
    return stage_.watch.time(Phase::store, [&]() -> std::optional<PointKey> {
      for (const PointKey& one : {stage_.key_of(stage_.configuration(point_index)),
                                  key_of(point_index, false), key_of(point_index, true)}) {
        if (has_usable_point(one)) return one;
      }
      return std::nullopt;
    });
  }

  /// A search that needs counts cannot use what one by the time measured without them.
  bool has_usable_point(const PointKey& key) const {
    const auto metrics = stage_.store.metrics_of(key);
    if (!metrics || (!counts_.emulated && !counts_.hardware)) return metrics.has_value();
    const Origin needed = counts_.hardware ? Origin::hardware : Origin::emulated;
    return std::ranges::find(*metrics, needed, &Metric::origin) != metrics->end();
  }

  PointRecord take_from_store(const Asked& asked) {
    return stage_.watch.time(Phase::store, [&] {
      const auto ordinal = static_cast<std::int64_t>(asked.point_index);
      const auto reused = stage_.store.reuse_point(stage_.summary.run, ordinal, *asked.stored);
      if (ChangeMetrics derive = stage_.deriving(stage_.configuration(asked.point_index))) {
        stage_.store.change_metrics({{reused.value().id, std::move(derive)}});
      }
      ++stage_.summary.reused;
      PointRecord point = stage_.stored(asked.point_index).value().point;
      stage_.observer.on_reuse(point);
      return point;
    });
  }

  PointRecord measure(std::size_t point_index) {
    // The default is what the winner is compared with.
    const bool may_give_up = best_ && rules_.cut_off != 0 && point_index != default_;
    auto measured = measurement_->next([&](const Workload& workload) {
      if (!may_give_up) return never;
      return objective_.seconds_when_slower(*best_, rules_.cut_off, workload.useful,
                                            stage_.measurer->device(),
                                            stage_.deriving(stage_.configuration(point_index)));
    });
    // Another device's work has ended the run.
    if (!measured) throw CompilingStopped();
    PointRecord& point = measured->record;
    const bool cut_off = is_cut_off(point);
    if (cut_off) {
      point.notes.push_back(fmt::format(
          "cut off after its first samples, each of them more than {} times slower than "
          "the best before it",
          rules_.cut_off));
    }
    const bool is_disturbed = note_on_others(point).has_value();
    stage_.record(point_index, point, key_of(point_index, cut_off, is_disturbed));
    return point;
  }

  [[noreturn]] void reject_objectives() const {
    std::vector<std::string> names;
    for (const TuneObjective& objective : rules_.objectives) names.push_back(objective.metric);
    const Device& device = stage_.measurer->device();
    throw InputError(
        rules_.objectives.front().where,
        fmt::format("this sweep tunes {}, which {} does not give", fmt::join(names, ", "),
                    device.name),
        device.is_emulated()
            ? "where nothing is timed another objective can decide: minimize: instructions"
            : "counters of the hardware have to be asked for: measure: {counters: dram}");
  }

  void learn(std::size_t point_index, const PointRecord& point) {
    const auto cost = objective_.cost(point);
    if (point.status == PointStatus::ok && !objective_.followed()) reject_objectives();
    if (const auto row = find_row(group_, point_index)) strategy_->tell(*row, cost);
    progress_.tell(cost);
    const std::optional<double> figure = objective_.figure(point);
    if (!figure) return;
    const auto interval = interval_of(point, ranked_by()).value_or(Interval{*figure, *figure});
    tried_.push_back({point_index, *figure, interval, is_cut_off(point)});
    if (!best_ || is_better(*figure, *best_, ranked_by().better)) best_ = figure;
  }

  const RankedBy& ranked_by() const { return *objective_.followed(); }

  auto find_tried(std::size_t point_index) const {
    return std::ranges::find(tried_, point_index, &TriedConfiguration::point_index);
  }

  /// Chooses by measuring the leading ones again; false where that says nothing. What fails then
  /// is no candidate any more; where all fail it is the device that does.
  bool compare(std::vector<ComparisonRecord>& comparisons) {
    const std::vector<std::size_t> leading = leading_ones();
    ComparisonRules rules = {
        .most_rounds = 40, .free_seconds = 2, .until_clear = true, .counts = true};
    // The default takes part if it can be executed.
    if (default_ && find_tried(*default_) != tried_.end()) rules.reference = default_;
    const bool adds_default =
        rules.reference && std::ranges::find(leading, *default_) == leading.end();
    if (leading.size() + (adds_default ? 1 : 0) < 2) return false;
    InterleavedComparison comparison(stage_, leading, ranked_by(), rules);
    stage_.observer.on_stage(fmt::format(
        "comparing the best {}{}",
        leading.size() == 1 ? "configuration" : fmt::format("{} configurations", leading.size()),
        adds_default ? " and the default" : ""));
    if (comparison.run()) {
      // What further objectives go by.
      if (stage_.counts != nullptr) stage_.counts->wait(stage_);
      choose_by(comparison);
      if (!comparison.disturbance().empty()) {
        found.why_no_winner = comparison.disturbance();
        return true;
      }
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
    for (const std::size_t i :
         worth_comparing(figures, ranked_by().better, margin, figures.size())) {
      leading.push_back(tried_[i].point_index);
    }
    if (leading.size() <= most) return leading;
    // The last one is the plainest of the others: another run's luck leads to it again.
    const auto last = leading.begin() + most - 1;
    *last = *std::ranges::min_element(last, leading.end(), {},
                                      [&](std::size_t point) { return plainness(point); });
    leading.resize(most);
    return leading;
  }

  /// Decides among equals, the least first, so that a search that is repeated chooses the same:
  /// registers, parameters with other values than the default's, the place in the space.
  std::tuple<double, std::size_t, std::size_t> plainness(std::size_t point_index) const {
    const auto stored = stage_.stored(point_index);
    const auto registers = stored ? preferred_figure(stored->point, "registers") : std::nullopt;
    const Configuration& own = stage_.configuration(point_index);
    const Configuration& standard = stage_.configuration(default_.value_or(point_index));
    std::size_t changed = own.pattern == standard.pattern ? 0 : 1;
    for (const auto& [name, value] : own.parameters.entries()) {
      const Value* other = standard.parameters.find(name);
      changed += other != nullptr && *other == value ? 0 : 1;
    }
    return {registers ? registers->value : never, changed, point_index};
  }

  /// Of some points the one that the further objectives prefer, the plainest among equals.
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
    return *std::ranges::min_element(left, {}, [&](std::size_t point) { return plainness(point); });
  }

  void choose_by(const InterleavedComparison& comparison) {
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
    set_winner(best.point_index, median(figures), median_interval(figures));
    if (!default_ || find(*default_) == candidates.end()) return;
    if (const auto gain = comparison.advantage(best, *find(*default_))) {
      found.gain_low = gain->low;
      found.gain = gain->ratio;
      found.gain_high = gain->high;
    }
  }

  void choose_by_figures() {
    std::vector<std::size_t> equals;
    for (const TriedConfiguration& one : tried_) {
      if (one.figure == tried_.front().figure) equals.push_back(one.point_index);
    }
    const TriedConfiguration& best = *find_tried(preferred(equals));
    set_winner(best.point_index, best.figure, best.interval);
    if (!default_) return;
    const auto other = find_tried(*default_);
    if (other == tried_.end() || !(other->figure > 0) || !(best.figure > 0)) return;
    found.gain = ranked_by().better == Better::higher ? best.figure / other->figure
                                                      : other->figure / best.figure;
  }

  void set_winner(std::size_t point_index, double figure, const Interval& interval) {
    found.winner = static_cast<std::int64_t>(point_index);
    found.figure_low = interval.low;
    found.figure = figure;
    found.figure_high = interval.high;
    const auto stored = stage_.stored(point_index);
    const auto note = stored ? note_on_others(stored->point) : std::nullopt;
    if (note) found.why_no_winner = *note;
  }

  void forget_winner() {
    found.winner.reset();
    found.rounds = 0;
    found.figure_low = found.figure = found.figure_high = 0;
    found.gain_low = found.gain = found.gain_high = 0;
  }

  RunStage& stage_;
  SearchObjective& objective_;
  const PointMeasurement::Counts counts_;
  const bool predicts_;
  const TuneRules& rules_;
  const TuningGroup& group_;
  const std::optional<std::size_t> default_;
  SearchSpace space_;
  std::unique_ptr<Strategy> strategy_;  ///< from when it searches on
  std::optional<PointSource> source_;   ///< while it searches
  std::optional<PointMeasurement> measurement_;
  SearchProgress progress_;
  std::deque<Asked> asked_;                ///< not yet tried
  std::optional<double> best_;             ///< figure
  std::vector<TriedConfiguration> tried_;  ///< the best first once the winner is chosen
};

}  // namespace

void tune_groups(RunStage& stage) {
  const TuneRules& rules = *stage.request.sweep.tune;
  const TuneObjective& first = rules.objectives.front();
  SearchObjective objective(rules.objectives);
  // A search by the time does not wait for counts; the leading ones are counted at the end.
  const MetricDefinition* definition = find_metric(first.metric);
  const bool is_measured =
      follows_from_time(first.metric) ||
      (definition != nullptr && !definition->needs_counts && is_of_time(*definition));
  const bool emulates = !is_measured && stage.counts != nullptr;
  const bool reads_counters = !is_measured && stage.can_time() && !stage.request.counters.empty();
  const bool predicts = is_measured && stage.can_time() && stage.counts != nullptr &&
                        stage.request.predicted_gpu && rules.predictions > 0;
  TuningRecord record = {
      first.metric, Origin::measured, first.better, rules.strategy, rules.seed, rules.for_each, {}};
  std::vector<ComparisonRecord> comparisons;

  std::size_t planned = 0;  // at most so many points come of it
  for (const TuningGroup& group : stage.request.groups) {
    const std::size_t all = configurations_of(group);
    planned += std::min(all, rules.budget.configurations.value_or(all));
  }
  stage.observer.on_start(planned, 0);
  const auto tune = [&](RunStage& own, DriftReference& drift, const TuningGroup& group) {
    GroupTuning tuning(own, drift, objective, {emulates, emulates, reads_counters}, predicts,
                       group);
    tuning.search();
    if (const auto& ranked_by = objective.followed()) {
      record.metric = ranked_by->metric;
      record.better = ranked_by->better;
      record.origin = ranked_by->origin;
      if (!own.stop && !own.team->is_over) tuning.choose_winner(comparisons);
    }
    record.groups.push_back(std::move(tuning.found));
    own.watch.time(Phase::store, [&] {
      own.store.set_tuning(own.summary.run, record);
      own.store.set_comparisons(own.summary.run, comparisons);
    });
  };
  std::deque<const TuningGroup*> waiting;
  for (const TuningGroup& group : stage.request.groups) waiting.push_back(&group);
  std::size_t under_way = 0;
  on_every_device(stage, [&](RunStage& own) {
    note_disturbances(own);
    DriftReference drift(own);
    while (!own.stop && !own.team->is_over) {
      if (waiting.empty()) {
        // A device that falls out leaves its group to the others.
        if (under_way == 0) break;
        own.tell_state("waits for the others");
        own.team->wait();
        continue;
      }
      const TuningGroup* group = waiting.front();
      waiting.pop_front();
      ++under_way;
      try {
        tune(own, drift, *group);
      } catch (const DeviceError&) {
        --under_way;
        waiting.push_back(group);
        if (own.team->devices == 1) throw;
        // A group's points are those of one device.
        std::vector<std::size_t> begun = group->configurations;
        if (group->default_configuration) begun.push_back(*group->default_configuration);
        own.store.take_out(own.summary.run, begun);
        throw;
      }
      --under_way;
      own.team->tell();
    }
    if (!own.stop) drift.measure_if_due(true);
  });
  if (!stage.stop) compare_devices(stage);
}

}  // namespace sweep
