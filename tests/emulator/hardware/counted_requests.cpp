#include "tests/emulator/hardware/counted_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/cuda/cuda_backend.h"

namespace sweep::testing {
namespace {

/// NaN, which equals nothing, where there is none.
double value_of(const Observation& observation, const std::string& name) {
  const auto found = std::ranges::find(observation.metrics, name, &Metric::name);
  return found != observation.metrics.end() ? found->value : std::nan("");
}

}  // namespace

std::vector<std::string> differing_requests(
    const std::vector<ComparedConfiguration>& configurations) {
  const std::string counter = "l1tex__t_requests_pipe_lsu_mem_global_op_";
  std::vector<Workload> workloads;
  for (const ComparedConfiguration& one : configurations) workloads.push_back(one.workload);
  const auto backend = make_cuda_backend(cuda_device(0));
  const auto count = [&](const std::vector<std::string>& names) {
    const CounterRequest request{names, CacheState::cold};
    return backend->count(workloads, request, [](std::string_view) {});
  };
  const CounterResults quick = count({"memory"});
  const CounterResults exact = count({counter + "ld.sum", counter + "st.sum"});
  std::vector<std::string> lines = quick.problems;
  lines.insert(lines.end(), exact.problems.begin(), exact.problems.end());
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    for (const auto& [metric, op] : {std::pair("load_requests", "ld"), {"store_requests", "st"}}) {
      const double found = value_of(quick.workloads[i], metric);
      const double meant = value_of(exact.workloads[i], counter + op + ".sum");
      if (found == meant) continue;
      lines.push_back(fmt::format("{}: {} {}, by the counter {}", configurations[i].text, metric,
                                  found, meant));
    }
  }
  return lines;
}

}  // namespace sweep::testing
