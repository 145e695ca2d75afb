// Stands in for hardware_counters.cpp where the headers of CUPTI's range profiler are not there.
#include <set>

#include "engine/cuda/hardware_counters.h"
#include "engine/spec/metric.h"

namespace sweep {
namespace {

class NoCounters : public HardwareCounters {
 public:
  CounterResults count(std::span<const Workload> workloads, const CounterRequest& request,
                       const StepListener& /*on_step*/) override {
    std::vector<std::string> problems = check_counters(request.names);
    if (!workloads.empty()) {
      problems.emplace_back(
          "the hardware's counters cannot be read: this program was built without the headers of "
          "CUPTI's range profiler; build it with a CUDA Toolkit 12.6 or newer that has them "
          "(NVIDIA's package cuda-cupti-dev-12-6 or newer)");
    }
    std::erase_if(problems, [&](const std::string& text) { return !said_.insert(text).second; });
    return {std::vector<Observation>(workloads.size()), std::move(problems)};
  }
  void rest() override {}

 private:
  std::set<std::string> said_;
};

}  // namespace

std::unique_ptr<HardwareCounters> make_hardware_counters(CudaContext& /*context*/) {
  return std::make_unique<NoCounters>();
}

}  // namespace sweep
