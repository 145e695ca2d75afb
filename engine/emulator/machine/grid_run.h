#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/emulator/machine/counts.h"
#include "engine/emulator/machine/launch.h"

namespace sweep {

/// How the blocks of a grid are executed.
struct GridOptions {
  unsigned threads = 1;               ///< of this machine, where nothing links the blocks
  std::uint64_t resident_blocks = 1;  ///< that the device holds at once
  /// Warps and blocks take turns at every basic block, as the caches need it; one thread does all.
  bool interleaves = false;
  /// Where blocks see each other's work, or take turns: no block begins after so many thread
  /// instructions.
  std::uint64_t instruction_budget = ~std::uint64_t{0};
  /// Warp instructions that blocks which run by turns may execute together while none of their
  /// threads ends, before they count as running away.
  std::uint64_t stall_limit = ~std::uint64_t{0};
};

struct GridResult {
  LaunchCount count;
  std::uint64_t blocks = 0;  ///< executed: the first of the grid
};

/// Executes every block. Blocks that wait for others are held while those run, as many at a time
/// as the device holds. Throws KernelFault: that of the first block that fails.
GridResult run_grid(const Launch& launch, const GridOptions& options);

/// Executes the blocks [begin, end), which do not see each other's work.
LaunchCount run_blocks_total(const Launch& launch, std::uint64_t begin, std::uint64_t end,
                             const GridOptions& options);

/// Executes the blocks of these numbers and gives the counts of each.
std::vector<LaunchCount> run_blocks(const Launch& launch, std::span<const std::uint64_t> blocks,
                                    const GridOptions& options);

/// Hands out the numbers [0, size) in chunks to so many threads, this one among them, or fewer
/// where the system has no more. Each thread makes a state of its own with `make_state()` and calls
/// `work(state, begin, end)` for the chunks it takes. After a failure no further chunk is handed
/// out; the failure of the first chunk that has one is thrown when all threads are done.
template <class MakeState, class Work>
void share_out(std::uint64_t size, std::uint64_t chunk, unsigned threads,
               const MakeState& make_state, const Work& work) {
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  std::uint64_t failed = 0;
  const auto take_chunks = [&] {
    std::uint64_t begin = 0;
    try {
      auto state = make_state();
      while ((begin = next.fetch_add(chunk)) < size) {
        work(state, begin, std::min(size, begin + chunk));
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (failure == nullptr || begin < failed) {
        failure = std::current_exception();
        failed = begin;
      }
      next = size;
    }
  };
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    const std::uint64_t useful = std::min<std::uint64_t>(threads, (size + chunk - 1) / chunk);
    while (others.size() + 1 < useful) others.emplace_back(std::cref(take_chunks));
  } catch (const std::system_error&) {
    // Those that run share the work.
  }
  take_chunks();
  for (std::thread& other : others) other.join();
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace sweep
