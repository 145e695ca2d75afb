#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/emulator/machine/cluster_run.h"
#include "engine/emulator/machine/launch.h"

namespace sweep {

/// How the blocks of a grid are executed.
struct GridOptions {
  unsigned threads = 1;               ///< of this machine, where nothing links the blocks
  std::uint64_t resident_blocks = 1;  ///< that the device holds at once
  /// Hears of each cluster that has ended. Where it is set, one thread executes them in their
  /// order.
  std::function<void(std::uint64_t cluster)> on_end = {};
  /// Where blocks are executed in their order: none begins after so many thread instructions, but
  /// for the first `least_blocks`; those that all run together are given up.
  std::uint64_t instruction_budget = ~std::uint64_t{0};
  std::uint64_t least_blocks = 0;
  /// Likewise, beside the budget: where it is set and says so, no further cluster begins.
  std::function<bool(const WorkCount& so_far)> is_enough = {};
  /// Warp instructions that blocks which run by turns may execute together while none of their
  /// threads ends, before they count as running away.
  std::uint64_t stall_limit = ~std::uint64_t{0};
};

struct GridResult {
  LaunchCount count;
  std::uint64_t blocks = 0;  ///< executed: those of the grid's first clusters
};

/// Executes every block. Blocks that wait for others are held while those run, as many at a time
/// as the device holds; of a cooperative launch all. Throws KernelFault: that of the first block
/// that fails.
GridResult run_grid(const Launch& launch, const GridOptions& options);

/// Executes the grid's first clusters, so many, side by side in short turns, until they have ended
/// or, asked after every of them has had a turn, `is_enough` says so.
LaunchCount run_side_by_side(const Launch& launch, std::uint64_t clusters,
                             const std::function<bool(const WorkCount& so_far)>& is_enough);

/// Executes the blocks of the clusters [begin, end), which do not see each other's work.
LaunchCount run_blocks_total(const Launch& launch, std::uint64_t begin, std::uint64_t end,
                             const GridOptions& options);

/// Executes the clusters of these numbers, without clusters blocks, and gives the counts of each.
std::vector<LaunchCount> run_blocks(const Launch& launch, std::span<const std::uint64_t> clusters,
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

/// A generated function over elements, `if (thread < length) ...`, executed for any elements one
/// likes: each lane is the thread of one element.
class ElementFunction {
 public:
  /// Of `launch` the kernel, the memory, the parameters and what its accesses mean are taken; it
  /// needs a name.
  explicit ElementFunction(Launch launch);

  /// Throws KernelFault.
  void run(std::span<const std::uint64_t> elements);
  /// All elements of [begin, end).
  void run_range(std::uint64_t begin, std::uint64_t end);
  /// For how many of the elements so far the thread ended early: it is one that
  /// `Launch::retires_stale_readers` means.
  std::uint64_t retired() const { return run_->retired(); }

 private:
  Launch launch_;
  LaunchCount count_;
  std::unique_ptr<ClusterRun> run_;
};

/// A buffer's first values, computed by its init function for the elements that are reached, when
/// they are reached first. Several threads may reach for them.
class LazyValues {
 public:
  using MakeFunction = std::function<std::unique_ptr<ElementFunction>()>;

  /// `make_init` gives the function, for this thread's use. The buffers of one execution share the
  /// mutex, since their init functions may read each other's values.
  LazyValues(Allocation& allocation, std::uint64_t length, MakeFunction make_init,
             std::recursive_mutex& mutex);
  ~LazyValues() { allocation_.lazy = nullptr; }
  LazyValues(const LazyValues&) = delete;
  LazyValues& operator=(const LazyValues&) = delete;

  /// Makes sure that the bytes [begin[t], begin[t] + count) of the allocation have their first
  /// values, for all lanes t in `mask`.
  void ensure(const std::uint64_t* begin, std::uint64_t count, std::uint32_t mask);
  /// Computes all that is missing, once, with so many threads; accesses pass without a look from
  /// then on. Throws KernelFault.
  void complete(unsigned threads);

 private:
  Allocation& allocation_;
  std::uint64_t length_;
  MakeFunction make_init_;
  std::unique_ptr<ElementFunction> init_;
  TouchedBytes known_;  ///< one for each element
  std::recursive_mutex& mutex_;
};

}  // namespace sweep
