#include "engine/backend/backend.h"

namespace sweep {

CounterResults Backend::count(std::span<const Workload> workloads, const CounterRequest&,
                              const StepListener&) {
  return {std::vector<Observation>(workloads.size()),
          {"this device has no hardware counters, so none are taken"}};
}

}  // namespace sweep
