#include "engine/run/hardware_counting.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/run/measuring_order.h"
#include "engine/run/prepared_points.h"
#include "engine/spec/counters.h"

namespace sweep {
namespace {

/// As many points are counted at once, since the profiler's sessions cost much by themselves. A run
/// that is killed loses so many counts.
constexpr std::size_t points_at_once = 256;

struct Uncounted {
  std::int64_t id = 0;
  Configuration configuration;
};

/// Counts of these points are missing, in the order that their programs were compiled in.
std::vector<Uncounted> uncounted_points(const RunStage& stage, const std::string& wanted) {
  std::vector<Uncounted> all;
  stage.store.visit_points(stage.run, [&](const StoredPoint& stored) {
    if (stored.point.status != PointStatus::ok || stored.point.collected_counters == wanted) return;
    const auto index = static_cast<std::size_t>(stored.ordinal);
    all.push_back({stored.id, stage.request.space.configurations.at(index)});
  });
  std::vector<Uncounted> ordered;
  for (const std::size_t place : measuring_order(all.size(), stage.request.provenance.seed)) {
    ordered.push_back(all[place]);
  }
  return ordered;
}

class CounterReader {
 public:
  CounterReader(RunStage& stage, std::string wanted)
      : stage_(stage), wanted_(std::move(wanted)), points_(uncounted_points(stage, wanted_)) {
    for (const Uncounted& point : points_) configurations_.push_back(point.configuration);
  }

  void read_all() {
    if (points_.empty()) return;
    stage_.observer.on_stage(fmt::format("reading the hardware's counters of {} point{}",
                                         points_.size(), points_.size() == 1 ? "" : "s"));
    CompilePool compiled(stage_.compile);
    PreparedPoints prepared(compiled, configurations_, nullptr, stage_.request.sweep.measure);
    for (std::size_t begin = 0; begin < points_.size() && !stage_.stop; begin += points_at_once) {
      const std::size_t end = std::min(begin + points_at_once, points_.size());
      if (!read_some(prepared, begin, end)) return;
    }
  }

 private:
  /// False when nothing can be counted.
  bool read_some(PreparedPoints& prepared, std::size_t begin, std::size_t end) {
    std::vector<Workload> workloads;
    std::vector<const Uncounted*> counted;
    for (std::size_t i = begin; i < end; ++i) {
      PreparedPoint point = stage_.watch.time(Phase::compile, [&] { return prepared.next(); });
      if (!point.workload) continue;
      workloads.push_back(std::move(*point.workload));
      counted.push_back(&points_[i]);
    }
    const CounterRequest request = {stage_.request.counters, stage_.request.sweep.measure.cache};
    const CounterResults results =
        stage_.watch.time(Phase::count, [&] { return stage_.measurer.count(workloads, request); });
    for (const std::string& problem : results.problems) stage_.note(problem);
    bool has_some = false;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      const Observation& counts = results.workloads.at(i);
      if (counts.metrics.empty()) continue;
      has_some = true;
      ++stage_.timing.counted;
      stage_.watch.time(Phase::store, [&] {
        stage_.store.add_counts(counted[i]->id, wanted_, counts.metrics, counts.notes);
      });
      stage_.observer.on_metrics(counted[i]->configuration, counts.metrics, counts.notes);
    }
    return has_some;
  }

  RunStage& stage_;
  std::string wanted_;
  std::vector<Uncounted> points_;
  std::vector<Configuration> configurations_;
};

}  // namespace

void read_counters(RunStage& stage) {
  // The emulator's own counts are all there is to know of it.
  if (stage.request.counters.empty() || !stage.can_time()) return;
  CounterReader(stage, counters_text(stage.request.counters)).read_all();
}

}  // namespace sweep
