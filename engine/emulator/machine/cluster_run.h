#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/emulator/machine/block_run.h"

namespace sweep {

/// Executes one cluster after the other: its blocks take turns, since they may wait for each other.
/// Without clusters every block is one of its own.
class ClusterRun {
 public:
  /// Adds the counts to `count`, which nobody else's thread shares: but for
  /// the work, when complete_count is called. Throws std::bad_alloc.
  ClusterRun(const Launch& launch, LaunchCount& count);

  /// As those of its blocks.
  void start(std::uint64_t index);
  void start_elements(std::span<const std::uint64_t> elements);

  /// Lets every block have a turn; true when all threads have ended. Throws KernelFault for what
  /// the kernel does wrong, and for threads that all wait for each other.
  bool run(std::uint64_t turn);
  /// Runs the cluster to its end, whatever the others do.
  void finish();

  /// Of what has been executed.
  void complete_count();

  std::uint64_t number() const { return number_; }  ///< in the grid
  std::uint64_t instructions() const;
  std::uint64_t retired() const { return blocks_.front()->retired(); }
  std::uint32_t live() const { return cluster_.live; }  ///< threads that have not ended
  /// Whether nothing was done in the last turn but to look whether others have done something.
  bool is_idle() const { return idle_turns_ > 0; }
  std::span<const std::unique_ptr<BlockRun>> blocks() const { return blocks_; }
  /// Throws the KernelFault of a kernel that does not end.
  [[noreturn]] void report_runaway() const;

 private:
  [[noreturn]] void report_deadlock() const;

  const Launch& launch_;
  std::uint64_t number_ = 0;
  Cluster cluster_;
  std::vector<std::unique_ptr<BlockRun>> blocks_;  ///< by rank
  std::uint64_t idle_turns_ = 0;                   ///< one after the other
};

/// Throws the KernelFault of blocks that wait for each other, and says where those are that have
/// not ended, of the `count` blocks of `what`.
[[noreturn]] void report_waiting_blocks(const std::string& what, std::uint64_t count,
                                        std::span<const BlockRun* const> blocks);

}  // namespace sweep
