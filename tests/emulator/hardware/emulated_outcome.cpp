#include "tests/emulator/hardware/emulated_outcome.h"

#include "engine/emulator/execution/emulator_backend.h"

namespace sweep::testing {
namespace {

Counts counts_of(const Kernel& kernel, const LaunchCount& launch) {
  Counts counts{};
  const auto add = [&](std::size_t first, std::uint64_t one, std::uint64_t two) {
    counts.at(first) += one;
    counts.at(first + 1) += two;
  };
  for (const Op& op : kernel.ops) {
    if (op.detail == none) continue;
    const bool is_store = op.kind == OpKind::store;
    if (is_store || op.kind == OpKind::load || op.kind == OpKind::async_copy) {
      const SiteCount& site = launch.sites[op.detail];
      add(is_store ? of_stores : of_loads, site.global.requests, site.global.sectors);
      add(is_store ? of_local_stores : of_local_loads, site.local.requests, site.local.sectors);
      add(is_store ? of_shared_stores : of_shared_loads, site.shared.wavefronts,
          site.shared.conflicts());
    } else if (op.kind == OpKind::atomic) {
      const SiteCount& site = launch.sites[op.detail];
      add(of_atomics, site.global.requests, site.global.sectors);
      counts[of_shared_atomics] += site.shared.wavefronts;
    }
  }
  return counts;
}

}  // namespace

Outcome emulate(const Workload& workload) {
  EmulatorSettings settings = emulator_settings(90, 1);
  settings.is_exact = true;
  EmulatorBackend backend(settings);
  Outcome outcome;
  try {
    const auto execution = backend.prepare_emulated(workload);
    execution->initialise();
    execution->launch();
    outcome.failure = execution->verify().value_or("");
    outcome.counts =
        counts_of(execution->counted_kernels().front().kernel, execution->counted().count);
    for (std::size_t i = 0; i < workload.buffers.size(); ++i) {
      outcome.buffers.push_back(workload.buffers[i].name);
      outcome.memory.push_back(execution->contents(i));
    }
  } catch (const ExecutionFailure& failure) {
    outcome.failure = failure.what();
  }
  return outcome;
}

}  // namespace sweep::testing
