#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "engine/emulator/machine/block_run.h"

namespace sweep {

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
  std::unique_ptr<BlockRun> run_;
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
  /// Computes all that is missing, with so many threads; accesses pass without a look from then on.
  /// Throws KernelFault.
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
