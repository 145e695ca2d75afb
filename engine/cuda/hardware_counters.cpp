#include "engine/cuda/hardware_counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/counter_failure.h"
#include "engine/spec/counter_set.h"

namespace sweep {
namespace {

/// Every counter that the formulas need, each once.
std::vector<std::string> counters_of(const std::vector<CounterFormula>& formulas) {
  std::vector<std::string> counters;
  const auto add = [&](const std::vector<CounterNames>& parts) {
    for (const CounterNames& part : parts) {
      for (const std::string& name : part) {
        if (std::ranges::find(counters, name) == counters.end()) counters.push_back(name);
      }
    }
  };
  for (const CounterFormula& formula : formulas) {
    add(formula.parts);
    add(formula.over);
  }
  return counters;
}

std::vector<Metric> metrics_of(const std::vector<CounterFormula>& formulas,
                               const std::vector<std::string>& counters,
                               const std::vector<double>& values) {
  CounterValues by_name;
  for (std::size_t i = 0; i < counters.size(); ++i) by_name[counters[i]] = values[i];
  std::vector<Metric> metrics;
  for (const CounterFormula& formula : formulas) {
    if (const auto value = evaluate(formula, by_name)) {
      metrics.push_back({formula.metric, Origin::hardware, *value});
    }
  }
  return metrics;
}

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
  for (const std::string& refused : profiler_->choose(counters_of(formulas_))) {
    complain(results, fmt::format("the counter {} cannot be counted on this GPU ({}) now, so what "
                                  "needs it is left out",
                                  refused, profiler_->chip()));
  }
  names_ = names;
}

/// Cold: the flush also drives out the lines that the init has written. Warm: another launch has
/// just run.
void HardwareCounters::settle_cache(Execution& execution, CacheState cache) {
  if (cache == CacheState::warm) return execution.launch();
  context_.flush.run(context_.stream.get());
  Driver::get().check(Driver::get().stream_synchronize(context_.stream.get()),
                      "cuStreamSynchronize");
}

void HardwareCounters::run(std::span<const Workload> workloads, CacheState cache,
                           const StepListener& on_step, CounterResults& results) {
  std::unique_ptr<Execution> execution;
  // A failure of one workload that leaves the context alive concerns no other.
  const auto attempt = [&](std::size_t i, const auto& step) {
    const auto is_survived = [&](const std::exception& failure) {
      results.workloads[i].notes.push_back(
          fmt::format("its hardware counters were not read: {}", failure.what()));
      return !context_.poisoned;
    };
    try {
      step();
      return true;
    } catch (const ExecutionFailure& failure) {
      if (!is_survived(failure)) throw;
    } catch (const CudaError& error) {
      context_.poisoned = context_.poisoned || !context_.responds();
      if (!is_survived(error)) throw;
    }
    return false;
  };
  CountedLaunches launches;
  launches.prepare = [&](std::size_t i) {
    on_step("count");
    execution.reset();
    return attempt(i, [&] {
      execution = prepare_(workloads[i]);
      execution->initialise();
      settle_cache(*execution, cache);
    });
  };
  launches.launch = [&](std::size_t i) { return attempt(i, [&] { execution->launch(); }); };
  launches.take = [&](std::size_t i, const std::vector<double>& values) {
    results.workloads[i].metrics = metrics_of(formulas_, profiler_->counters(), values);
  };
  profiler_->count(workloads.size(), launches);
}

CounterResults HardwareCounters::count(std::span<const Workload> workloads,
                                       const CounterRequest& request, const StepListener& on_step) {
  CounterResults results;
  results.workloads.resize(workloads.size());
  for (const std::string& sentence : check_counters(request.names)) complain(results, sentence);
  if (is_hopeless_ || workloads.empty()) return results;
  try {
    start();
    choose(request.names, results);
    run(workloads, request.cache, on_step, results);
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
  return results;
}

}  // namespace sweep
