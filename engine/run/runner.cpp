#include "engine/run/runner.h"

#include <algorithm>
#include <future>

#include "engine/run/code_capability.h"
#include "engine/run/compile_ahead.h"
#include "engine/run/workload.h"

namespace sweep {
namespace {

DeviceRecord record_of(const Device& device) {
  return {device.backend,
          device.name,
          device.uuid,
          device.compute_capability,
          device.multiprocessors,
          device.l2_bytes,
          device.memory_bytes,
          device.memory_clock_hz,
          device.memory_bus_bits,
          device.peak_bandwidth(),
          device.driver,
          device.cuda};
}

class Runner {
 public:
  Runner(const RunRequest& request, Measurer& measurer, const std::shared_ptr<const Nvrtc>& nvrtc,
         Store& store, RunObserver& observer)
      : request_(request), measurer_(measurer), nvrtc_(nvrtc), store_(store), observer_(observer) {}

  RunSummary run(const std::atomic<bool>& stop) {
    const std::vector<bool> reusable = find_reusable();
    std::vector<Configuration> missing;
    for (std::size_t i = 0; i < reusable.size(); ++i) {
      if (!reusable[i]) missing.push_back(request_.space.configurations[i]);
    }
    observer_.on_start(reusable.size(), reusable.size() - missing.size());
    CompileSettings settings;
    settings.nvrtc = nvrtc_;
    settings.compute_capability = code_capability(measurer_.device(), *nvrtc_);
    CompileAhead compiled(settings, missing);
    summary_.run = store_.begin_run(provenance());
    try {
      add_points(reusable, compiled, stop);
    } catch (...) {
      close_after_failure(reusable);
      throw;
    }
    store_.end_run(summary_.run, summary_.interrupted ? RunState::interrupted : RunState::finished);
    return summary_;
  }

 private:
  /// For each configuration whether the store has its point already.
  std::vector<bool> find_reusable() const {
    std::vector<bool> reusable;
    for (const Configuration& configuration : request_.space.configurations) {
      reusable.push_back(!request_.fresh && store_.has_point(key_of(configuration)));
    }
    return reusable;
  }

  void add_points(const std::vector<bool>& reusable, CompileAhead& compiled,
                  const std::atomic<bool>& stop) {
    for (next_ = 0; next_ < reusable.size(); ++next_) {
      const Configuration& configuration = request_.space.configurations[next_];
      if (reusable[next_]) {
        reuse_point(next_);
      } else if (!stop) {
        add_point(configuration, compiled.next());
      } else {
        // What an earlier run measured still belongs to this run's report.
        summary_.interrupted = true;
      }
    }
  }

  void reuse_point(std::size_t index) {
    const Configuration& configuration = request_.space.configurations[index];
    if (!store_.reuse_point(summary_.run, static_cast<std::int64_t>(index),
                            key_of(configuration))) {
      throw StoreError(store_.path().string() + ": a point has vanished from the database");
    }
    ++summary_.reused;
  }

  /// Keeps the earlier points behind the failed one and marks the run, as far as the store still
  /// works; the failure itself is what gets reported.
  void close_after_failure(const std::vector<bool>& reusable) noexcept {
    try {
      for (++next_; next_ < reusable.size(); ++next_) {
        if (reusable[next_]) reuse_point(next_);
      }
      store_.end_run(summary_.run, RunState::interrupted);
    } catch (const std::exception&) {
      // The store is what failed: the run stays marked as running, like one that was killed.
    }
  }

  Provenance provenance() const {
    Provenance provenance = request_.provenance;
    provenance.compiler = nvrtc_->version();
    provenance.measure = to_string(request_.sweep.measure);
    provenance.device = record_of(measurer_.device());
    return provenance;
  }

  PointKey key_of(const Configuration& configuration) const {
    const Device& device = measurer_.device();
    return {configuration.pattern->name,
            configuration.pattern->source->text + configuration.pattern->included_text,
            configuration.parameters,
            to_string(request_.sweep.measure),
            device.backend + " " + device.name + " " + device.uuid,
            nvrtc_->version() + ", sweep " + request_.provenance.engine_version};
  }

  void add_point(const Configuration& configuration, const CompileOutcome& outcome) {
    PointRecord point = execute(configuration, outcome);
    point.key = key_of(configuration);
    store_.add_point(summary_.run, static_cast<std::int64_t>(next_), point);
    ++summary_.measured;
    if (point.status == PointStatus::failed) ++summary_.failed;
    observer_.on_point(configuration, point);
  }

  PointRecord execute(const Configuration& configuration, const CompileOutcome& outcome) {
    PointRecord failure;
    failure.status = PointStatus::failed;
    if (const auto* failed = std::get_if<CompileFailure>(&outcome)) {
      failure.reason = render(failed->errors);
      return failure;
    }
    const auto& compiled = std::get<CompiledConfiguration>(outcome);
    warn(compiled.warnings);
    try {
      return measure_and_count(make_workload(configuration, compiled),
                               useful_traffic_of(configuration));
    } catch (const ExecutionFailure& error) {
      failure.reason = error.what();
    } catch (const InputError& error) {
      failure.reason = render(error.diagnostics());
    }
    return failure;
  }

  /// The counter works while the device does.
  PointRecord measure_and_count(const Workload& workload, const UsefulTraffic& useful) {
    const MeasureRules& rules = request_.sweep.measure;
    if (request_.counter == nullptr) return measurer_.measure(workload, rules, useful).point;
    auto counting = std::async(std::launch::async, [&] {
      return LocalMeasurer(*request_.counter).measure(workload, rules, useful).point;
    });
    PointRecord point = measurer_.measure(workload, rules, useful).point;
    PointRecord counted = counting.get();
    if (point.status == PointStatus::failed) return point;
    if (counted.status == PointStatus::failed) {
      point.notes.push_back("the emulator does not count it: " + counted.reason);
      return point;
    }
    std::ranges::move(counted.metrics, std::back_inserter(point.metrics));
    std::ranges::move(counted.notes, std::back_inserter(point.notes));
    return point;
  }

  /// Each of the compiler's warnings once, though every configuration repeats it.
  void warn(const Diagnostics& warnings) {
    for (const Diagnostic& warning : warnings.list()) {
      std::string text = render(warning);
      if (std::ranges::find(warned_, text) != warned_.end()) continue;
      warned_.push_back(std::move(text));
      observer_.on_warning(warning);
    }
  }

  const RunRequest& request_;
  Measurer& measurer_;
  std::shared_ptr<const Nvrtc> nvrtc_;
  Store& store_;
  RunObserver& observer_;
  RunSummary summary_;
  std::size_t next_ = 0;  ///< the configuration under way
  std::vector<std::string> warned_;
};

}  // namespace

RunSummary run_sweep(const RunRequest& request, Measurer& measurer,
                     const std::shared_ptr<const Nvrtc>& nvrtc, Store& store, RunObserver& observer,
                     const std::atomic<bool>& stop) {
  return Runner(request, measurer, nvrtc, store, observer).run(stop);
}

}  // namespace sweep
