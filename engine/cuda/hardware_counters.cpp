#include "engine/cuda/hardware_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/cuda/cuda_execution.h"
#include "engine/cuda/range_profiler.h"
#include "engine/spec/metric.h"

namespace sweep {
namespace {

/// One call of `count`.
struct CountCall {
  std::span<const Workload> workloads;
  CacheState cache = CacheState::cold;
  const StepListener& on_step;
  CounterResults results = {};
};

class CuptiCounters : public HardwareCounters {
 public:
  explicit CuptiCounters(CudaContext& context) : context_(context) {}

  CounterResults count(std::span<const Workload> workloads, const CounterRequest& request,
                       const StepListener& on_step) override {
    CountCall call{workloads, request.cache, on_step};
    CounterResults& results = call.results;
    results.workloads.resize(workloads.size());
    for (const std::string& sentence : check_counters(request.names)) complain(results, sentence);
    if (is_hopeless_ || workloads.empty()) return std::move(results);
    try {
      if (!profiler_) {
        profiler_.emplace(driver_number(context_.device.index), context_.primary.get());
      }
      plan_for(request.names, results);
      count_all(call);
    } catch (const CounterFailure& failure) {
      is_hopeless_ = failure.kind() == CounterFailure::Kind::lasting;
      complain(results, failure.what());
    } catch (const ExecutionFailure& failure) {
      complain(results, fmt::format("a kernel failed while its counters were read, and those "
                                    "counted with it have none: {}",
                                    failure.what()));
    } catch (const CudaError& error) {
      context_.poisoned = context_.poisoned || !context_.responds();
      complain(results, fmt::format("the hardware's counters were not read: {}", error.what()));
    }
    return std::move(results);
  }

  void rest() override {
    if (profiler_) profiler_->disable();
  }

 private:
  void complain(CounterResults& results, const std::string& problem) {
    if (said_.insert(problem).second) results.problems.push_back(problem);
  }

  /// Asking CUPTI costs milliseconds: what was chosen last is kept.
  void plan_for(const std::vector<std::string>& names, CounterResults& results) {
    if (names == names_) return;
    names_.clear();
    formulas_.clear();
    for (CounterFormula& formula : formulas_of(names)) {
      if (keep_available(formula, results)) formulas_.push_back(std::move(formula));
    }
    for (const std::string& refused : profiler_->choose(counters_of(formulas_))) {
      complain(results,
               fmt::format("the counter {} cannot be counted on this GPU ({}) now, so what "
                           "needs it is left out",
                           refused, profiler_->chip()));
    }
    names_ = names;
  }

  /// Keeps of every counter's names the one that the GPU has; false where it has none.
  bool keep_available(CounterFormula& formula, CounterResults& results) {
    for (auto* parts : formula.sums()) {
      for (CounterNames& names : *parts) {
        const auto found = std::ranges::find_if(names, [&](const std::string& name) {
          return name == no_counter || profiler_->has(name);
        });
        if (found != names.end()) {
          names = {*found};
          continue;
        }
        const std::string& missing = names.front();
        if (missing != formula.metric) {
          complain(results, fmt::format("this GPU ({}) has no counter {}, so {} is left out",
                                        profiler_->chip(), missing, formula.metric));
        } else {
          const std::string meant = profiler_->suggest(missing);
          complain(results,
                   fmt::format("this GPU ({}) has no counter '{}', so it is left out{}{}",
                               profiler_->chip(), missing, meant.empty() ? "" : "; ", meant));
        }
        return false;
      }
    }
    return true;
  }

  /// Counts the workloads, one at a time, each in its first state. Buffers come from the context's
  /// pool, so that each `prepare` invalidates the one before.
  void count_all(CountCall& call) {
    const std::vector<std::string>& counters = profiler_->counters();
    const bool needs_cache = std::ranges::any_of(counters, depends_on_cache);
    const CUstream stream = context_.stream.get();
    std::optional<LoadedWorkload> loaded;
    LoadedWorkload::Addresses addresses;
    const auto launch = [&] {
      guarded(context_, "the kernel", [&] {
        loaded->queue_kernel(addresses);
        synchronize(stream);
      });
    };
    const auto prepare = [&](Workload workload) {
      loaded.reset();
      guarded(context_, "the kernel", [&] {
        workload.verify.clear();  // not run, and finding a function may load it
        loaded.emplace(context_, workload);
        addresses = context_.acquire_buffers(workload);
      });
      guarded(context_, "the init", [&] {
        loaded->queue_init(addresses);
        loaded->pack_parameters(addresses);
        // The flush also drives out the lines that the init has written.
        if (needs_cache && call.cache == CacheState::cold) context_.flush.run(stream);
        synchronize(stream);
      });
      if (needs_cache && call.cache == CacheState::warm) launch();
    };
    CountedLaunches launches;
    launches.prepare = [&](std::size_t i) {
      call.on_step("count");
      return attempt(call, i, [&] { prepare(call.workloads[i]); });
    };
    launches.launch = [&](std::size_t i) { return attempt(call, i, launch); };
    launches.take = [&](std::size_t i, const std::vector<double>& values) {
      CounterValues by_name;
      for (std::size_t k = 0; k < counters.size(); ++k) by_name[counters[k]] = values[k];
      call.results.workloads[i].metrics = metrics_of(by_name);
    };
    // CUPTI changes the code of kernels whose instructions it counts, and crashes in a later pass
    // if their module is unloaded before.
    context_.modules.retain();
    const auto release = [&] {
      if (context_.modules.has_retained()) profiler_->disable();
      context_.modules.release();
    };
    try {
      profiler_->count(call.workloads.size(), launches);
    } catch (...) {
      release();
      throw;
    }
    release();
  }

  /// False where the step fails: a note of the workload's results then says so. A failure that
  /// leaves the context alive concerns no other workload; one that takes it along is thrown.
  template <class Step>
  bool attempt(CountCall& call, std::size_t i, const Step& step) {
    try {
      step();
      return true;
    } catch (const ExecutionFailure& failure) {
      call.results.workloads[i].notes.push_back(
          fmt::format("its hardware counters were not read: {}", failure.what()));
      if (context_.poisoned) throw;
      return false;
    }
  }

  std::vector<Metric> metrics_of(const CounterValues& values) const {
    std::vector<Metric> metrics;
    for (const CounterFormula& formula : formulas_) {
      if (const auto value = evaluate(formula, values)) {
        metrics.push_back({formula.metric, Origin::hardware, *value});
      }
    }
    return metrics;
  }

  CudaContext& context_;
  std::optional<RangeProfiler> profiler_;
  std::vector<std::string> names_;        ///< what was planned last
  std::vector<CounterFormula> formulas_;  ///< what that comes to on this GPU
  std::set<std::string> said_;
  bool is_hopeless_ = false;  ///< this process will never count
};

}  // namespace

std::unique_ptr<HardwareCounters> make_hardware_counters(CudaContext& context) {
  return std::make_unique<CuptiCounters>(context);
}

}  // namespace sweep
