#include "engine/cuda/cuda_backend.h"

#include <fmt/format.h>

#include "engine/cuda/cuda_context.h"
#include "engine/cuda/cuda_execution.h"
#include "engine/cuda/device_monitor.h"
#include "engine/cuda/hardware_counters.h"
#include "engine/cuda/loaded_workload.h"

namespace sweep {
namespace {

class CudaBackend : public Backend {
 public:
  explicit CudaBackend(const Device& device) : monitor_(device), context_(device) {}

  const Device& device() const override { return context_.device; }
  bool can_time() const override { return true; }
  bool usable() const override { return !context_.poisoned; }
  std::unique_ptr<Execution> prepare(const Workload& workload, const MeasureRules&) override {
    counters_.rest();
    return std::make_unique<CudaExecution>(context_, workload);
  }
  void load(const Workload& workload) override { load_functions(context_, workload); }
  DeviceState state() override { return monitor_.state(); }
  std::vector<std::string> disturbances() override { return monitor_.disturbances(); }
  CounterResults count(std::span<const Workload> workloads, const CounterRequest& request,
                       const StepListener& on_step) override {
    return counters_.count(workloads, request, on_step);
  }

 private:
  DeviceMonitor monitor_;
  CudaContext context_;
  HardwareCounters counters_{context_};
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const Device& device) {
  try {
    return std::make_unique<CudaBackend>(device);
  } catch (const CudaError& error) {
    throw DeviceError(
        fmt::format("GPU {} ({}) does not start: {}", device.index, device.name, error.what()));
  }
}

}  // namespace sweep
