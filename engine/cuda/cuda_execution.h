#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/cuda/cuda_context.h"
#include "engine/cuda/loaded_workload.h"
#include "engine/cuda/sampler.h"

namespace sweep {

/// One workload on a GPU. Driver errors become ExecutionFailure.
class CudaExecution : public Execution {
 public:
  CudaExecution(CudaContext& context, const Workload& workload);

  void initialise() override;
  void launch() override;
  std::optional<std::string> verify() override;
  std::vector<Sample> sample(CacheState cache, int count) override;
  void warm_up(CacheState cache, int count) override;
  int launches_per_sample() const override { return sampler_->launches_per_sample(); }
  double busy_seconds() const override { return busy_.seconds(); }

 private:
  std::optional<std::string> run_checks();

  CudaContext& context_;
  BusyTime busy_;
  std::optional<LoadedWorkload> loaded_;
  LoadedWorkload::Addresses addresses_;
  std::optional<Sampler> sampler_;
};

}  // namespace sweep
