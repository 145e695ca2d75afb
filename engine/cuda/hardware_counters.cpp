#include "engine/cuda/hardware_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/cuda/counter_failure.h"
#include "engine/cuda/cuda_context.h"
#include "engine/cuda/loaded_workload.h"
#include "engine/spec/counters.h"

namespace sweep {
namespace {

/// Runs workloads for the profiler, one at a time, each in its first state. Buffers come from the
/// context's pool, so that each `prepare` invalidates the one before. A workload's failure becomes
/// a note of its results; one that takes the context with it is thrown, as ExecutionFailure.
class CountedWorkloads {
 public:
  /// The L2 cache's state matters where `cache` is given. `results` has a place for each workload.
  CountedWorkloads(CudaContext& context, std::span<const Workload> workloads,
                   std::optional<CacheState> cache, const StepListener& on_step,
                   CounterResults& results)
      : context_(context),
        workloads_(workloads),
        cache_(cache),
        on_step_(on_step),
        results_(results) {}

  /// Loads workload `i`, fills its buffers and settles the cache; false when it cannot.
  bool prepare(std::size_t i) {
    on_step_("count");
    return attempt(i, [&] {
      load(workloads_[i]);
      initialise();
    });
  }
  /// Launches the workload that was prepared last, and waits for its end; false when it failed.
  bool launch(std::size_t i) {
    return attempt(i, [&] { launch_loaded(); });
  }

 private:
  /// A failure that leaves the context alive concerns no other workload.
  template <class Step>
  bool attempt(std::size_t i, Step step) {
    try {
      step();
      return true;
    } catch (const ExecutionFailure& failure) {
      results_.workloads[i].notes.push_back(
          fmt::format("its hardware counters were not read: {}", failure.what()));
      if (context_.poisoned) throw;
      return false;
    }
  }

  /// Finding a function may load it, so that the checks, which do not run, are left away.
  void load(const Workload& workload) {
    loaded_.reset();
    guarded(context_, "the kernel", [&] {
      Workload unchecked = workload;
      unchecked.verify.clear();
      loaded_.emplace(context_, unchecked);
      addresses_ = context_.buffers.acquire(loaded_->sizes());
    });
  }

  /// Cold: the flush also drives out the lines that the init has written. Warm: another launch has
  /// just run.
  void initialise() {
    guarded(context_, "the init", [&] {
      loaded_->queue_init(addresses_);
      if (cache_ == CacheState::cold) context_.flush.run(context_.stream.get());
      synchronize(context_.stream.get());
    });
    if (cache_ == CacheState::warm) launch_loaded();
  }

  void launch_loaded() {
    guarded(context_, "the kernel", [&] {
      loaded_->queue_kernel(addresses_);
      synchronize(context_.stream.get());
    });
  }

  CudaContext& context_;
  std::span<const Workload> workloads_;
  std::optional<CacheState> cache_;
  const StepListener& on_step_;
  CounterResults& results_;
  std::optional<LoadedWorkload> loaded_;
  LoadedWorkload::Addresses addresses_;
};

std::vector<Metric> metrics_of(const std::vector<CounterFormula>& formulas,
                               const CounterValues& values) {
  std::vector<Metric> metrics;
  for (const CounterFormula& formula : formulas) {
    if (const auto value = evaluate(formula, values)) {
      metrics.push_back({formula.metric, Origin::hardware, *value});
    }
  }
  return metrics;
}

/// Programs whose instructions the substitutes do not see. A program is searched once.
class Unsubstitutable {
 public:
  explicit Unsubstitutable(const CounterPlan& plan) : plan_(plan) {}
  bool contains(const Program& program) {
    const auto [place, is_new] = known_.try_emplace(&program, false);
    if (is_new) place->second = !may_substitute(plan_, program.ptx);
    return place->second;
  }

 private:
  const CounterPlan& plan_;
  std::map<const Program*, bool> known_;
};

}  // namespace

void HardwareCounters::complain(CounterResults& results, const std::string& problem) {
  if (said_.insert(problem).second) results.problems.push_back(problem);
}

void HardwareCounters::start() {
  if (profiler_ == nullptr) {
    profiler_ = std::make_unique<RangeProfiler>(context_.device.index, context_.primary.get());
  }
}

/// Keeps of every counter's names the one that the GPU has; false, with the first name, where it
/// has none.
bool HardwareCounters::find_counters(CounterFormula& formula, std::string& missing) const {
  for (auto* parts : {&formula.parts, &formula.over}) {
    for (CounterNames& names : *parts) {
      const auto found = std::ranges::find_if(
          names, [&](const std::string& name) { return profiler_->has(name); });
      if (found == names.end()) {
        missing = names.front();
        return false;
      }
      const std::string name = *found;
      names.assign(1, name);
    }
  }
  return true;
}

std::vector<CounterFormula> HardwareCounters::available(const std::vector<CounterFormula>& formulas,
                                                        CounterResults& results) {
  std::vector<CounterFormula> good;
  for (CounterFormula formula : formulas) {
    std::string missing;
    if (find_counters(formula, missing)) {
      good.push_back(std::move(formula));
    } else if (missing != formula.metric) {
      complain(results, fmt::format("this GPU ({}) has no counter {}, so {} is left out",
                                    profiler_->chip(), missing, formula.metric));
    } else {
      const std::string meant = profiler_->suggest(missing);
      complain(results, fmt::format("this GPU ({}) has no counter '{}', so it is left out{}{}",
                                    profiler_->chip(), missing, meant.empty() ? "" : "; ", meant));
    }
  }
  return good;
}

/// Asking CUPTI costs milliseconds: what was chosen last is kept.
void HardwareCounters::choose(const std::vector<std::string>& names, CounterResults& results) {
  if (names == names_) return;
  names_.clear();
  formulas_ = available(formulas_of(names), results);
  plan_ = plan_counters(formulas_, [&](const std::string& name) { return profiler_->has(name); });
  if (!profiler_->choose(plan_.first).empty()) plan_ = plan_exact_counters(formulas_);
  names_ = names;
}

void HardwareCounters::choose_counters(const std::vector<std::string>& counters,
                                       CounterResults& results) {
  for (const std::string& refused : profiler_->choose(counters)) {
    complain(results, fmt::format("the counter {} cannot be counted on this GPU ({}) now, so what "
                                  "needs it is left out",
                                  refused, profiler_->chip()));
  }
}

std::optional<CacheState> HardwareCounters::cache_for_counters(CacheState wanted) const {
  if (!std::ranges::any_of(profiler_->counters(), depends_on_cache)) return std::nullopt;
  return wanted;
}

/// Counts some of the workloads with the counters that are chosen.
void HardwareCounters::run(Call& call, std::span<const std::size_t> which, const Take& take) {
  CountedWorkloads counted(context_, call.workloads, cache_for_counters(call.cache), call.on_step,
                           call.results);
  CountedLaunches launches;
  launches.prepare = [&](std::size_t i) { return counted.prepare(which[i]); };
  launches.launch = [&](std::size_t i) { return counted.launch(which[i]); };
  launches.take = [&](std::size_t i, const std::vector<double>& values) {
    const std::vector<std::string>& counters = profiler_->counters();
    CounterValues by_name;
    for (std::size_t k = 0; k < counters.size(); ++k) by_name[counters[k]] = values[k];
    take(which[i], std::move(by_name));
  };
  profiler_->count(which.size(), launches);
}

void HardwareCounters::count_all(Call& call) {
  choose_counters(plan_.first, call.results);
  std::vector<std::size_t> all(call.workloads.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Unsubstitutable unsubstitutable(plan_);
  std::map<std::size_t, CounterValues> unsettled;
  run(call, all, [&](std::size_t i, CounterValues values) {
    if (unsubstitutable.contains(*call.workloads[i].program) || !apply_substitutes(plan_, values)) {
      unsettled.emplace(i, std::move(values));
    } else {
      call.results.workloads[i].metrics = metrics_of(formulas_, values);
    }
  });
  if (!unsettled.empty()) count_exactly(call, unsettled);
}

/// Adds what was not substituted to the values of these workloads.
void HardwareCounters::count_exactly(Call& call, std::map<std::size_t, CounterValues>& unsettled) {
  choose_counters(plan_.second, call.results);
  std::vector<std::size_t> which;
  for (const auto& [i, values] : unsettled) {
    which.push_back(i);
    // All there will be where none of the others can be counted.
    if (profiler_->counters().empty()) {
      call.results.workloads[i].metrics = metrics_of(formulas_, values);
    }
  }
  run(call, which, [&](std::size_t i, CounterValues values) {
    values.merge(unsettled[i]);
    call.results.workloads[i].metrics = metrics_of(formulas_, values);
  });
}

void HardwareCounters::rest() {
  if (profiler_ != nullptr) profiler_->disable();
}

CounterResults HardwareCounters::count(std::span<const Workload> workloads,
                                       const CounterRequest& request, const StepListener& on_step) {
  Call call{workloads, request.cache, on_step, {}};
  CounterResults& results = call.results;
  results.workloads.resize(workloads.size());
  for (const std::string& sentence : check_counters(request.names)) complain(results, sentence);
  if (is_hopeless_ || workloads.empty()) return results;
  try {
    start();
    choose(request.names, results);
    count_all(call);
  } catch (const CounterFailure& failure) {
    is_hopeless_ = failure.kind() == CounterFailure::Kind::lasting;
    complain(results, failure.what());
  } catch (const ExecutionFailure& failure) {
    complain(results, fmt::format("a kernel failed while its counters were read, and those counted "
                                  "with it have none: {}",
                                  failure.what()));
  } catch (const CudaError& error) {
    context_.poisoned = context_.poisoned || !context_.responds();
    complain(results, fmt::format("the hardware's counters were not read: {}", error.what()));
  }
  return std::move(call.results);
}

}  // namespace sweep
