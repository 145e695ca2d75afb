#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/jit/program_cache.h"

namespace sweep {

struct SharedOutcomes {
  std::vector<CompileOutcome> outcomes;  ///< of the configurations, in their order
  std::size_t found = 0;                 ///< of them in the cache
};

using CompileBatch = std::function<std::vector<CompileOutcome>(std::span<const Configuration>)>;

/// Compiles a batch of configurations of one pattern, but for those that the cache has or that
/// another process with the same cache is compiling, which it waits for; and keeps what it
/// compiles. Once `stopped`, it waits no more.
SharedOutcomes compile_shared(std::span<const Configuration> batch, ProgramCache& cache,
                              std::string_view identity, const CompileBatch& compile,
                              const std::atomic<bool>& stopped);

}  // namespace sweep
