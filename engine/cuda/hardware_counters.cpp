#include "engine/cuda/hardware_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/cuda/counted_workloads.h"
#include "engine/cuda/counter_failure.h"
#include "engine/spec/counters.h"

namespace sweep {
namespace {

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
