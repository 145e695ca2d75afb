#include "engine/run/runner.h"

#include <algorithm>
#include <optional>

#include "engine/run/counting.h"
#include "engine/run/interleaved_comparison.h"
#include "engine/run/run_stage.h"
#include "engine/run/tuning.h"

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
    summary_.run = stage_.store.begin_run(provenance());
    try {
      if (request_.groups.empty()) {
        measure_all();
      } else {
        note_disturbances();
        tune_groups(stage_);
      }
      if (!stage_.stop) read_counters(stage_);
      if (counts_) counts_->finish();
      if (counts_ && request_.waits_for_counts && !stage_.stop) count_the_rest(stage_);
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
    summary_.timing.wall_seconds = stage_.watch.elapsed();
    return std::move(summary_);
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

  void note_disturbances() {
    for (const std::string& text : stage_.measurer.disturbances()) stage_.note(text);
  }

  void measure_all() {
    const std::vector<std::size_t> missing = reuse_points();
    stage_.observer.on_start(request_.space.configurations.size(), summary_.reused);
    tell_reused();
    measure_points(missing);
    if (stage_.stop || request_.replay) return;
    if (request_.on_measured) request_.on_measured(summary_.run, summary_.recent);
    compare_best(stage_);
  }

  /// Gives the run the points that the store has; the indices of those it does not have.
  std::vector<std::size_t> reuse_points() {
    const std::vector<Configuration>& configurations = request_.space.configurations;
    std::vector<std::optional<ReusedPoint>> reused(configurations.size());
    if (!request_.fresh) {
      reused = stage_.watch.time(Phase::store, [&] {
        return stage_.store.reuse_points(summary_.run, configurations.size(), [&](std::size_t i) {
          return stage_.key_of(configurations[i]);
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
          summary_.run, [&](const StoredPoint& stored) { stage_.observer.on_reuse(stored.point); });
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

  void measure_points(const std::vector<std::size_t>& missing) {
    std::vector<std::size_t> order = missing;
    // What only counts gives the same in any order.
    if (stage_.can_time()) {
      const auto random = measuring_order(missing.size(), request_.provenance.seed);
      std::ranges::transform(random, order.begin(), [&](std::size_t i) { return missing[i]; });
    }
    DriftReference drift(stage_);
    PointSource source(stage_, drift, {.emulated = true});
    source.add(order);
    // Waits for the device, while the first programs are compiled.
    if (!order.empty()) note_disturbances();
    for (const std::size_t point_index : order) {
      if (stage_.stop) {
        summary_.interrupted = true;
        break;
      }
      PointRecord point = source.next();
      const std::int64_t id = stage_.record(point_index, point);
      if (counts_) counts_->recorded(id);
    }
    if (!summary_.interrupted) drift.measure_at_end();
    summary_.timing.compile = source.statistics();
  }

  const RunRequest& request_;
  RunStage stage_;
  RunSummary& summary_ = stage_.summary;
  std::optional<CountsBeside> counts_;
};

}  // namespace

RunSummary run_sweep(const RunRequest& request, Measurer& measurer, Store& store,
                     RunObserver& observer, const std::atomic<bool>& stop) {
  return Runner(request, measurer, store, observer, stop).run();
}

}  // namespace sweep
