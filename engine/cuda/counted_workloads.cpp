#include "engine/cuda/counted_workloads.h"

#include <fmt/format.h>

#include "engine/cuda/driver_failure.h"

namespace sweep {

/// A failure that leaves the context alive concerns no other workload.
template <class Step>
bool CountedWorkloads::attempt(std::size_t i, Step step) {
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

bool CountedWorkloads::prepare(std::size_t i) {
  on_step_("count");
  return attempt(i, [&] {
    load(workloads_[i]);
    initialise();
  });
}

bool CountedWorkloads::launch(std::size_t i) {
  return attempt(i, [&] { launch_loaded(); });
}

/// Finding a function may load it, so that the checks, which do not run, are left away.
void CountedWorkloads::load(const Workload& workload) {
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
void CountedWorkloads::initialise() {
  guarded(context_, "the init", [&] {
    loaded_->queue_init(addresses_);
    if (cache_ == CacheState::cold) context_.flush.run(context_.stream.get());
    synchronize(context_.stream.get());
  });
  if (cache_ == CacheState::warm) launch_loaded();
}

void CountedWorkloads::launch_loaded() {
  guarded(context_, "the kernel", [&] {
    loaded_->queue_kernel(addresses_);
    synchronize(context_.stream.get());
  });
}

}  // namespace sweep
