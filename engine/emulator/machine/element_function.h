#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/emulator/machine/block_run.h"
#include "engine/emulator/machine/counts.h"
#include "engine/emulator/machine/launch.h"

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

}  // namespace sweep
