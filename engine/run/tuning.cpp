#include "engine/run/tuning.h"

#include <algorithm>
#include <iterator>

#include "engine/run/group_search.h"
#include "engine/run/winner.h"

namespace sweep {
namespace {

/// That a group's search can try: the default is one of them, also where the axes do not have it.
std::size_t configurations_of(const TuningGroup& group) {
  const bool has_standard_outside =
      group.standard && !std::ranges::binary_search(group.configurations, *group.standard);
  return group.configurations.size() + (has_standard_outside ? 1 : 0);
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

void add(CompileStatistics& sum, const CompileStatistics& more) {
  sum.configurations += more.configurations;
  sum.from_cache += more.from_cache;
  sum.programs += more.programs;
  sum.compiler_seconds += more.compiler_seconds;
  sum.wall_seconds += more.wall_seconds;
  sum.compilers = std::max(sum.compilers, more.compilers);
}

TuningRecord record_of(const TuneRules& rules) {
  TuningRecord record;
  record.metric = rules.objectives.front().metric;
  record.better = rules.objectives.front().better;
  record.strategy = rules.strategy;
  record.seed = rules.seed;
  record.for_each = rules.for_each;
  return record;
}

class Tuning {
 public:
  Tuning(RunStage& stage, RunSummary& summary, PointExecution& points)
      : stage_(stage),
        rules_(*stage.request.sweep.tune),
        objective_(rules_.objectives),
        anchor_(stage),
        record_(record_of(rules_)),
        tools_{stage, summary, points, anchor_, objective_} {
    const bool goes_by_time = follows_from_time(rules_.objectives.front().metric);
    tools_.reads_counters = !goes_by_time && stage.can_time() && !stage.request.counters.empty();
    // A search by the time does not wait for counts; the leading ones are counted at the end.
    tools_.waits_for_counts = !goes_by_time && stage.counts != nullptr;
  }

  void run() {
    stage_.observer.on_start(planned_points(stage_.request), 0);
    for (const TuningGroup& group : stage_.request.groups) {
      tune(group);
      if (stage_.stop) return;
    }
    anchor_.measure_at_end();
  }

 private:
  void tune(const TuningGroup& group) {
    GroupSearch search(tools_, group);
    search.run();
    add(stage_.timing.compile, search.compiled());
    Winner winner;
    if (!stage_.stop) {
      winner = choose_winner(stage_, objective_, group, search.tried());
    }
    record(group, search, std::move(winner));
  }

  void record(const TuningGroup& group, const GroupSearch& search, Winner winner) {
    TunedGroup& found = winner.group;
    found.group = group.values;
    found.configurations = static_cast<std::int64_t>(configurations_of(group));
    found.tried = static_cast<std::int64_t>(search.tried().size());
    found.ended = search.ended();
    if (group.standard) found.standard = static_cast<std::int64_t>(*group.standard);
    found.no_standard = group.no_standard;
    if (const auto& followed = objective_.followed()) {
      record_.metric = followed->metric;
      record_.better = followed->better;
      record_.origin = objective_.origin();
    }
    record_.groups.push_back(std::move(found));
    std::ranges::move(winner.comparisons, std::back_inserter(comparisons_));
    stage_.watch.time(Phase::store, [&] {
      stage_.store.set_tuning(stage_.run, record_);
      stage_.store.set_comparisons(stage_.run, comparisons_);
    });
  }

  RunStage& stage_;
  const TuneRules& rules_;
  SearchObjective objective_;
  AnchorWatch anchor_;
  TuningRecord record_;
  std::vector<ComparisonRecord> comparisons_;
  SearchTools tools_;
};

}  // namespace

void tune_groups(RunStage& stage, RunSummary& summary, PointExecution& points) {
  Tuning(stage, summary, points).run();
}

}  // namespace sweep
