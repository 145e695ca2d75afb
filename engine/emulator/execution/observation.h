#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/emulator/cache/cache_model.h"
#include "engine/emulator/cubin/memory_instructions.h"
#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/counts.h"
#include "engine/spec/metric.h"

namespace sweep {

/// What a launch's counts stand for.
struct CountedLaunch {
  LaunchCount count;
  bool are_totals = true;     ///< false: of the executed blocks alone, which are not all
  double executed_share = 1;  ///< of the grid's blocks
  std::optional<CacheCount> caches;
};

/// The counts as metrics. Without totals only the figures that do not depend on how many blocks
/// were executed.
std::vector<Metric> metrics_of(const Kernel& kernel, const CountedLaunch& launch);

/// The loads and stores of a kernel's PTX, as those of its machine code are counted.
MemoryInstructionCount ptx_memory_instructions(const Kernel& kernel);

}  // namespace sweep
