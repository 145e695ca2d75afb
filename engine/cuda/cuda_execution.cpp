#include "engine/cuda/cuda_execution.h"

#include <fmt/format.h>

#include "engine/cuda/cuda_context.h"

namespace sweep {
namespace {

/// "the init of 'a' or 'b'": pieces of work that the device runs without a stop between them.
template <class Plans, class NameOf>
std::string one_of(const char* what, const Plans& plans, NameOf name_of) {
  std::string names;
  for (const auto& plan : plans) {
    const std::string name = name_of(plan);
    if (name.empty() || names.find(fmt::format("'{}'", name)) != std::string::npos) continue;
    names += fmt::format("{}'{}'", names.empty() ? "" : " or ", name);
  }
  return names.empty() ? fmt::format("the {}", what) : fmt::format("the {} of {}", what, names);
}

}  // namespace

CudaExecution::CudaExecution(CudaContext& context, const Workload& workload)
    : context_(context), busy_(context) {
  guarded(context_, "the kernel", [&] {
    loaded_.emplace(context_, workload);
    addresses_ = context_.buffers.acquire(loaded_->sizes());
    sampler_.emplace(context_, *loaded_, addresses_, busy_);
  });
}

void CudaExecution::initialise() {
  const std::string culprit =
      one_of("init", loaded_->workload().buffers, [](const BufferPlan& buffer) {
        return buffer.init_entry.empty() ? std::string() : buffer.name;
      });
  guarded(context_, culprit, [&] { busy_.run([&] { loaded_->queue_init(addresses_); }); });
}

void CudaExecution::launch() {
  guarded(context_, "the kernel", [&] { busy_.run([&] { loaded_->queue_kernel(addresses_); }); });
}

std::optional<std::string> CudaExecution::verify() {
  const auto& plans = loaded_->workload().verify;
  if (plans.empty()) return std::nullopt;
  const std::string culprit =
      one_of("check", plans, [](const VerificationPlan& plan) { return plan.buffer; });
  return guarded(context_, culprit, [&] { return run_checks(); });
}

/// All checks at once; the first that does not hold again, for its first element alone, which
/// shows both sides.
std::optional<std::string> CudaExecution::run_checks() {
  const auto& plans = loaded_->workload().verify;
  CheckResults& results = context_.check_results;
  busy_.run([&] {
    results.queue_reset(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      loaded_->queue_check(i, addresses_, 0, plans[i].length, results.place(i));
    }
    results.queue_fetch();
  });
  for (std::size_t i = 0; i < plans.size(); ++i) {
    CheckResult result = results[i];
    if (result.count == 0) continue;
    busy_.run([&] {
      results.queue_reset(1);
      loaded_->queue_check(i, addresses_, result.first, result.first + 1, results.place(0));
      results.queue_fetch();
    });
    result.actual = results[0].actual;
    result.expected = results[0].expected;
    return describe_mismatch(plans[i], result);
  }
  return std::nullopt;
}

void CudaExecution::warm_up(CacheState cache, int count) {
  guarded(context_, "the kernel", [&] { sampler_->warm_up(cache, count); });
}

std::vector<Sample> CudaExecution::sample(CacheState cache, int count) {
  return guarded(context_, "the kernel", [&] { return sampler_->take(cache, count); });
}

}  // namespace sweep
