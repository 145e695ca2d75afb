#pragma once

#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/mismatch.h"
#include "engine/cuda/cuda_context.h"

namespace sweep {

/// One workload on a GPU. Driver errors become ExecutionFailure.
class CudaExecution : public Execution {
 public:
  CudaExecution(CudaContext& context, const Workload& workload);

  void initialise() override;
  void launch() override;
  std::optional<std::string> verify() override;
  std::vector<Sample> sample(CacheState cache, int count) override;

 private:
  void prepare();
  void check_limits() const;
  void check_kernel_limits() const;
  std::uint64_t device_limit(CUdevice_attribute attribute) const;
  void initialise_buffer(std::size_t index);
  void queue_kernel();
  void queue_over_elements(CUfunction function, std::uint64_t elements,
                           const std::vector<void*>& more_arguments);
  CheckResult run_check(CUfunction function, std::uint64_t first, std::uint64_t last);
  std::optional<std::string> verify_one(const VerificationPlan& plan);
  double sample_once(CacheState cache);
  void synchronize();

  CudaContext& context_;
  Workload workload_;
  const Module* module_ = nullptr;
  CUfunction kernel_ = nullptr;
  std::vector<CUdeviceptr> addresses_;
};

}  // namespace sweep
