#include "engine/run/runner.h"

#include <optional>

#include "engine/run/anchor_watch.h"
#include "engine/run/best_comparison.h"
#include "engine/run/code_capability.h"
#include "engine/run/count_points.h"
#include "engine/run/counts_beside.h"
#include "engine/run/hardware_counting.h"
#include "engine/run/measuring_order.h"
#include "engine/run/point_execution.h"
#include "engine/run/prepared_points.h"
#include "engine/run/run_stage.h"
#include "engine/run/tuning.h"
#include "engine/text/units.h"

namespace sweep {

namespace {

class Runner {
 public:
  Runner(const RunRequest& request, Measurer& measurer, Store& store, RunObserver& observer,
         const std::atomic<bool>& stop)
      : request_(request), stage_{request,  compile_settings(request, measurer, stop),
                                  measurer, store,
                                  observer, stop} {
    if (request.emulate.make_backend) stage_.counts = &counts_.emplace(stage_);
  }

  RunSummary run() {
    stage_.run = summary_.run = stage_.store.begin_run(provenance());
    try {
      if (request_.groups.empty()) {
        measure_all();
      } else {
        note_disturbances();
        tune_groups(stage_, summary_, points_);
      }
      if (!stage_.stop) read_counters(stage_);
      if (counts_) counts_->finish();
      if (counts_ && request_.waits_for_counts && !stage_.stop) count_the_rest();
    } catch (const CompilingStopped&) {
      // What it waited for is not needed any more.
      summary_.interrupted = true;
    } catch (...) {
      end_after_failure();
      throw;
    }
    summary_.interrupted = summary_.interrupted || stage_.stop;
    stage_.store.end_run(summary_.run,
                         summary_.interrupted ? RunState::interrupted : RunState::finished);
    stage_.watch.stop();
    stage_.timing.wall_seconds = stage_.watch.elapsed();
    summary_.timing = stage_.timing;
    summary_.recent = std::move(stage_.recent);
    return summary_;
  }

 private:
  static CompileSettings compile_settings(const RunRequest& request, const Measurer& measurer,
                                          const std::atomic<bool>& stop) {
    CompileSettings settings = request.compile;
    settings.stop = &stop;
    if (request.replay) return settings;
    settings.compute_capability = code_capability(measurer.device(), *settings.nvrtc);
    return settings;
  }

  /// What an earlier run left without counts.
  void count_the_rest() {
    std::vector<UncountedPoint> uncounted;
    stage_.store.visit_points(stage_.run, [&](const StoredPoint& stored) {
      if (!lacks_counts(stored.point)) return;
      const auto index = static_cast<std::size_t>(stored.ordinal);
      uncounted.push_back({stored.id, request_.space.configurations.at(index)});
    });
    if (uncounted.empty()) return;
    stage_.observer.on_stage("counting " + count_of(uncounted.size(), "point"));
    stage_.watch.time(Phase::emulate, [&] {
      count_points(uncounted, stage_.compile, request_.sweep.measure, request_.emulate,
                   stage_.store, [&](const UncountedPoint& point, const Observation& counted) {
                     stage_.observer.on_metrics(point.configuration, counted.metrics,
                                                counted.notes);
                   });
    });
  }

  void note_disturbances() {
    for (const std::string& text : stage_.measurer.disturbances()) stage_.note(text);
  }

  void measure_all() {
    const std::vector<std::size_t> missing = reuse_points();
    stage_.observer.on_start(request_.space.configurations.size(), summary_.reused);
    tell_reused();
    if (request_.replay) {
      replay_points(missing);
      return;
    }
    measure_points(missing);
    if (stage_.stop) return;
    if (request_.on_measured) request_.on_measured(stage_.run, stage_.recent);
    compare_best(stage_);
  }

  /// Gives the run the points that the store has; the places of those it does not have.
  std::vector<std::size_t> reuse_points() {
    const std::vector<Configuration>& configurations = request_.space.configurations;
    std::vector<std::optional<ReusedPoint>> reused(configurations.size());
    if (!request_.fresh) {
      reused = stage_.watch.time(Phase::store, [&] {
        return stage_.store.reuse_points(summary_.run, configurations.size(), [&](std::size_t i) {
          return points_.key_of(configurations[i]);
        });
      });
    }
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < reused.size(); ++i) {
      if (!reused[i]) missing.push_back(i);
    }
    summary_.reused = configurations.size() - missing.size();
    return missing;
  }

  void tell_reused() {
    if (summary_.reused == 0) return;
    stage_.watch.time(Phase::store, [&] {
      stage_.store.visit_points(
          stage_.run, [&](const StoredPoint& stored) { stage_.observer.on_reuse(stored.point); });
    });
  }

  /// The run's mark, as far as the store still works; the failure itself is what gets reported.
  void end_after_failure() noexcept {
    try {
      stage_.store.end_run(summary_.run, RunState::interrupted);
    } catch (const std::exception&) {
      // The store is what failed: the run stays marked as running, like one that was killed.
    }
  }

  Provenance provenance() const {
    Provenance provenance = request_.provenance;
    if (!request_.replay) provenance.compiler = request_.compile.nvrtc->version();
    provenance.measure = to_string(request_.sweep.measure);
    provenance.device = stage_.measurer.device();
    if (stage_.measurer.device().is_emulated()) {
      provenance.measure = counting_rules_text(request_.sweep.measure);
      provenance.seed = 0;
    }
    return provenance;
  }

  void replay_points(const std::vector<std::size_t>& missing) {
    for (const std::size_t index : missing) {
      if (stage_.stop) {
        summary_.interrupted = true;
        return;
      }
      PointRecord point = request_.replay(request_.space.configurations[index]);
      points_.record(index, point);
    }
  }

  void measure_points(const std::vector<std::size_t>& missing) {
    // What only counts gives the same in any order.
    std::vector<std::size_t> order;
    if (stage_.can_time()) {
      order = measuring_order(missing.size(), request_.provenance.seed);
    } else {
      for (std::size_t i = 0; i < missing.size(); ++i) order.push_back(i);
    }
    std::vector<Configuration> ordered;
    ordered.reserve(order.size());
    for (const std::size_t place : order) {
      ordered.push_back(request_.space.configurations[missing[place]]);
    }

    CompilePool compiled(stage_.compile);
    PreparedPoints prepared(compiled, ordered, counts_ ? counts_->emulators() : nullptr,
                            request_.sweep.measure);
    // Waits for the device, while the first programs are compiled.
    if (!order.empty()) note_disturbances();
    AnchorWatch anchor(stage_);
    for (const std::size_t place : order) {
      if (stage_.stop) {
        summary_.interrupted = true;
        break;
      }
      anchor.measure_if_due();
      const bool waits = !prepared.is_ready();
      if (waits) stage_.observer.on_compiler_wait(true);
      PreparedPoint point = stage_.watch.time(Phase::compile, [&] { return prepared.next(); });
      if (waits) stage_.observer.on_compiler_wait(false);
      const double begin = stage_.watch.elapsed();
      const std::size_t index = missing[place];
      PointRecord record = points_.execute(index, point, prepared, request_.sweep.measure);
      if (counts_ && record.status == PointStatus::ok) counts_->add_to(record, point.counts);
      // The worker loads the next program while this point goes into the store.
      if (const PreparedPoint* next = prepared.peek(); next != nullptr && next->workload) {
        stage_.measurer.load(*next->workload);
      }
      const std::int64_t id = points_.record(index, record);
      if (counts_) {
        const bool is_late = record.status == PointStatus::ok && point.counts.valid();
        if (is_late) counts_->expect(id, index, std::move(point.counts));
        counts_->take_ready();
      }
      anchor.on_point(index, point, record, begin);
    }
    if (!summary_.interrupted) anchor.measure_at_end();
    stage_.timing.compile = compiled.statistics();
  }

  const RunRequest& request_;
  RunStage stage_;
  RunSummary summary_;
  std::optional<CountsBeside> counts_;
  PointExecution points_{stage_, summary_};
};

}  // namespace

RunSummary run_sweep(const RunRequest& request, Measurer& measurer, Store& store,
                     RunObserver& observer, const std::atomic<bool>& stop) {
  return Runner(request, measurer, store, observer, stop).run();
}

}  // namespace sweep
