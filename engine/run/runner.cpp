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

/// The indices of the configurations that the run is about.
std::vector<std::size_t> own_configurations(const RunRequest& request) {
  if (request.share) return *request.share;
  std::vector<std::size_t> all(request.space.configurations.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Gives the run the points that the store has of this device; leaves the indices of those it does
/// not have.
std::vector<std::size_t> reuse_points_of(RunStage& stage, const Device& device,
                                         const std::vector<std::size_t>& own) {
  const auto reused = stage.watch.time(Phase::store, [&] {
    return stage.store.reuse_points(stage.summary.run, own, [&](std::size_t i) {
      return stage.key_of(stage.configuration(i), device);
    });
  });
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
  stage.summary.reused += own.size() - missing.size();
  return missing;
}

/// The same of any of the run's devices.
std::vector<std::size_t> reuse_points(RunStage& stage) {
  std::vector<std::size_t> missing = own_configurations(stage.request);
  if (stage.request.fresh) return missing;
  missing = reuse_points_of(stage, stage.measurer->device(), missing);
  for (const Measurer* further : stage.request.further) {
    missing = reuse_points_of(stage, further->device(), missing);
  }
  return missing;
}

void measure_points(RunStage& stage, const std::vector<std::size_t>& missing) {
  std::vector<std::size_t> order = missing;
  // What only counts gives the same in any order.
  if (stage.can_time()) {
    const auto random = measuring_order(missing.size(), stage.request.provenance.seed);
    std::ranges::transform(random, order.begin(), [&](std::size_t i) { return missing[i]; });
  }
  PointSource source(stage, true, !stage.further.empty());
  source.add(order);
  if (order.empty()) return;
  on_every_device(stage, [&](RunStage& own) {
    // Waits for the device, while the first programs are compiled.
    note_disturbances(own);
    DriftReference drift(own);
    PointMeasurement measurement(own, source, drift, {.emulated = true});
    while (!own.stop) {
      auto point = measurement.next();
      if (!point) break;
      const std::int64_t id = own.record(point->point_index, point->record);
      if (own.counts != nullptr) own.counts->recorded(own, point->point_index, id);
    }
    own.tell_state(own.stop ? "has stopped" : "is done");
    if (!own.stop) drift.measure_if_due(true);
  });
  stage.summary.interrupted = stage.summary.interrupted || stage.stop;
  stage.summary.timing.compile += source.statistics();
}

void measure_all(RunStage& stage) {
  const std::vector<std::size_t> missing = reuse_points(stage);
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
  compare_devices(stage);
  if (stage.request.on_measured) stage.request.on_measured(summary.run, summary.recent);
  if (!stage.request.pairs.empty()) {
    compare_pairs(stage);
  } else if (stage.request.compares_best) {
    compare_best(stage);
  }
}

}  // namespace

RunSummary& RunSummary::operator+=(const RunSummary& other) {
  measured += other.measured;
  reused += other.reused;
  failed += other.failed;
  interrupted = interrupted || other.interrupted;
  timing.wall_seconds += other.timing.wall_seconds;
  for (std::size_t i = 0; i < phase_count; ++i) {
    timing.phases.seconds.at(i) += other.timing.phases.seconds.at(i);
  }
  timing.busy_seconds += other.timing.busy_seconds;
  timing.measured += other.timing.measured;
  timing.counted += other.timing.counted;
  timing.compile += other.timing.compile;
  recent.add(other.recent);
  return *this;
}

RunSummary run_sweep(const RunRequest& request, Measurer& measurer, Store& store,
                     RunObserver& observer, const std::atomic<bool>& stop) {
  RunStage stage{request, request.compile, &measurer, store, observer, stop};
  stage.compile.stop = &stop;
  if (!request.replay) {
    stage.compile.compute_capability = code_capability(measurer.device(), *stage.compile.nvrtc);
  }
  for (Measurer* further : request.further) {
    stage.further.push_back({further, stage.further.size() + 1});
  }
  stage.team->devices = stage.summary.timing.devices = 1 + stage.further.size();
  std::optional<CountsBeside> counts;
  if (request.emulate.make_backend) stage.counts = &counts.emplace(request);
  std::optional<EmulateAhead> emulators;
  if (request.measure.make_backend) {
    stage.emulators = &emulators.emplace(request.measure.make_backend, request.measure.threads,
                                         EmulateAhead::Use::measure);
  }
  RunSummary& summary = stage.summary;
  summary.run = store.begin_run(provenance_of(request, measurer.device()));
  try {
    note_prediction(stage);
    if (!request.further.empty()) {
      stage.devices = {{measurer.device().index, measurer.device().uuid}};
      for (const Measurer* further : request.further) {
        stage.devices.push_back({further->device().index, further->device().uuid});
      }
      store.set_devices(summary.run, stage.devices);
    }
    if (request.groups.empty()) {
      measure_all(stage);
    } else {
      tune_groups(stage);
    }
    if (!stop) read_counters(stage);
    if (counts) counts->finish(stage);
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
  summary.timing.busy_seconds /= static_cast<double>(summary.timing.devices);
  return std::move(summary);
}

}  // namespace sweep
