#include "engine/run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/run/interleaved_comparison.h"
#include "engine/run/run_stage.h"
#include "engine/run/tuning.h"

namespace sweep {
namespace {

Provenance provenance_of(const RunRequest& request, const Device& device) {
  Provenance provenance = request.provenance;
  if (!request.replay) provenance.compiler = request.compile.nvrtc->version();
  provenance.measure = to_string(request.sweep.measure);
  provenance.device = device;
  if (device.is_emulated()) {
    provenance.measure = counting_rules_text(request.sweep.measure);
    provenance.seed = 0;
  }
  return provenance;
}

/// What the predictions come from.
void note_prediction(RunStage& stage) {
  if (!stage.request.predicted_gpu) return;
  const TimingProfile& gpu = *stage.request.predicted_gpu;
  stage.note(
      fmt::format("predicted times are those of the {}, by its profile ({}{}{}): nothing was "
                  "timed for them",
                  gpu.gpu, gpu.origin, gpu.date.empty() ? "" : ", ", gpu.date));
}

void note_disturbances(RunStage& stage) {
  for (const std::string& text : stage.measurer.disturbances()) stage.note(text);
}

/// The indices of the configurations that the run is about.
std::vector<std::size_t> own_configurations(const RunRequest& request) {
  if (request.share) return *request.share;
  std::vector<std::size_t> all(request.space.configurations.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Gives the run the points that the store has; leaves the indices of those it does not have.
std::vector<std::size_t> reuse_points(RunStage& stage, std::vector<std::size_t> own) {
  std::vector<std::optional<ReusedPoint>> reused(own.size());
  if (!stage.request.fresh) {
    reused = stage.watch.time(Phase::store, [&] {
      return stage.store.reuse_points(stage.summary.run, own, [&](std::size_t i) {
        return stage.key_of(stage.configuration(i));
      });
    });
  }
  std::vector<std::size_t> missing;
  MetricChanges changes;  // the metrics of one's own may be others than when they were measured
  for (std::size_t i = 0; i < reused.size(); ++i) {
    if (!reused[i]) {
      missing.push_back(own[i]);
    } else if (ChangeMetrics derive = stage.deriving(stage.configuration(own[i]))) {
      changes.emplace_back(reused[i]->id, std::move(derive));
    }
  }
  stage.watch.time(Phase::store, [&] { stage.store.change_metrics(changes); });
  stage.summary.reused = own.size() - missing.size();
  return missing;
}

void measure_points(RunStage& stage, const std::vector<std::size_t>& missing) {
  std::vector<std::size_t> order = missing;
  // What only counts gives the same in any order.
  if (stage.can_time()) {
    const auto random = measuring_order(missing.size(), stage.request.provenance.seed);
    std::ranges::transform(random, order.begin(), [&](std::size_t i) { return missing[i]; });
  }
  DriftReference drift(stage);
  PointSource source(stage, drift, {.emulated = true});
  source.add(order);
  // Waits for the device, while the first programs are compiled.
  if (!order.empty()) note_disturbances(stage);
  for (const std::size_t point_index : order) {
    if (stage.stop) {
      stage.summary.interrupted = true;
      break;
    }
    PointRecord point = source.next();
    const std::int64_t id = stage.record(point_index, point);
    if (stage.counts != nullptr) stage.counts->recorded(id);
  }
  if (!stage.summary.interrupted) drift.measure_if_due(true);
  stage.summary.timing.compile = source.statistics();
}

void measure_all(RunStage& stage) {
  const std::vector<std::size_t> missing = reuse_points(stage, own_configurations(stage.request));
  RunSummary& summary = stage.summary;
  stage.observer.on_start(missing.size() + summary.reused, summary.reused);
  if (summary.reused > 0) {
    stage.watch.time(Phase::store, [&] {
      stage.store.visit_points(
          summary.run, [&](const StoredPoint& stored) { stage.observer.on_reuse(stored.point); });
    });
  }
  measure_points(stage, missing);
  if (stage.stop || stage.request.replay) return;
  if (stage.request.on_measured) stage.request.on_measured(summary.run, summary.recent);
  if (!stage.request.pairs.empty()) {
    compare_pairs(stage);
  } else if (stage.request.compares_best) {
    compare_best(stage);
  }
}

}  // namespace

RunSummary run_sweep(const RunRequest& request, Measurer& measurer, Store& store,
                     RunObserver& observer, const std::atomic<bool>& stop) {
  RunStage stage{request, request.compile, measurer, store, observer, stop};
  stage.compile.stop = &stop;
  if (!request.replay) {
    stage.compile.compute_capability = code_capability(measurer.device(), *stage.compile.nvrtc);
  }
  std::optional<CountsBeside> counts;
  if (request.emulate.make_backend) stage.counts = &counts.emplace(stage);
  std::optional<EmulateAhead> emulators;
  if (request.measure.make_backend) {
    stage.emulators = &emulators.emplace(request.measure.make_backend, request.measure.threads,
                                         EmulateAhead::Use::measure);
  }
  RunSummary& summary = stage.summary;
  summary.run = store.begin_run(provenance_of(request, measurer.device()));
  try {
    note_prediction(stage);
    if (request.groups.empty()) {
      measure_all(stage);
    } else {
      note_disturbances(stage);
      tune_groups(stage);
    }
    if (!stop) read_counters(stage);
    if (counts) counts->finish();
    if (counts && request.waits_for_counts && !stop) count_the_rest(stage);
  } catch (const CompilingStopped&) {
    // What it waited for is not needed any more.
    summary.interrupted = true;
  } catch (...) {
    try {
      store.end_run(summary.run, RunState::interrupted);
    } catch (const std::exception&) {
      // The store is what failed, and that is what gets reported: the run stays marked as running,
      // like one that was killed.
    }
    throw;
  }
  summary.interrupted = summary.interrupted || stop;
  store.end_run(summary.run, summary.interrupted ? RunState::interrupted : RunState::finished);
  stage.watch.stop();
  summary.timing.wall_seconds = stage.watch.elapsed();
  return std::move(summary);
}

}  // namespace sweep
