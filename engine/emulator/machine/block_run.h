#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/emulator/machine/access_unit.h"
#include "engine/emulator/machine/launch.h"

namespace sweep {

/// Executes one block after the other. Lanes that diverge go on as fragments of their warp; the one
/// furthest behind in the order of basic blocks runs first, and fragments that meet become one.
class BlockRun {
 public:
  /// Adds the counts to `count`, which nobody shares. Throws std::bad_alloc.
  BlockRun(const Launch& launch, LaunchCount& count);

  /// Begins a block by its number in the grid.
  void start(std::uint64_t index);
  /// Begins up to a warp's worth of threads, each as if its number in the grid were that of an
  /// element: for functions over elements, whose blocks are one warp.
  void start_elements(std::span<const std::uint64_t> elements);

  /// Lets every warp execute up to `turn` basic blocks; true when all threads have ended. Throws
  /// KernelFault for what the kernel does wrong and for a block whose threads all wait for each
  /// other.
  bool run(std::uint64_t turn);
  /// Runs the block to its end, whatever the others do.
  void finish();

  std::uint64_t instructions() const { return instructions_; }
  /// Threads that ended since they read what was not theirs to judge.
  std::uint64_t retired() const { return retired_; }
  /// Threads that have not ended.
  std::uint32_t live() const { return live_; }
  /// Throws the KernelFault of a kernel that does not end.
  [[noreturn]] void report_runaway() const;

 private:
  struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t needed = 0;  ///< 0: all threads that have not exited
    std::uint32_t count = 0;   ///< threads whose predicate holds
    std::uint32_t votes = 0;   ///< threads that brought a predicate
  };

  void reset(std::uint64_t index);
  void begin(Warp& warp, std::uint32_t lanes);
  bool run_warp(Warp& warp, std::uint64_t turn);
  void run_fragment(Warp& warp, Fragment fragment, std::uint64_t& turn);
  template <bool follows_values>
  void run_ops(Warp& warp, const BasicBlock& block, std::uint32_t& mask);
  void execute(Warp& warp, const Op& op, std::uint32_t mask);
  void retire(Warp& warp, std::uint32_t lanes);
  void count(const BasicBlock& block, std::uint32_t lanes);
  void uncount(const BasicBlock& block, std::uint32_t lanes, bool is_whole_fragment);

  // The end of a basic block: false where the fragment does not simply go on.
  bool end_block(Warp& warp, const BasicBlock& block, Fragment& fragment);
  bool branch(Warp& warp, const BasicBlock& block, Fragment& fragment);
  bool indexed_branch(Warp& warp, const BasicBlock& block, Fragment& fragment);
  bool leave(Warp& warp, const BasicBlock& block, Fragment& fragment);
  std::uint32_t lanes_of_guard(const Warp& warp, const BasicBlock& block,
                               std::uint32_t lanes) const;
  void check_decision(const Warp& warp, const BasicBlock& block, std::uint32_t slot,
                      std::uint32_t lanes) const;

  // The lanes of a warp that meet.
  bool collective(Warp& warp, const BasicBlock& block, Fragment& fragment);
  bool warp_barrier(Warp& warp, const BasicBlock& block, Fragment& fragment, std::uint32_t members);
  void check_members(const Warp& warp, const BasicBlock& block, const CollectiveOp& collective,
                     std::uint32_t lanes) const;
  void follow_collective(const Warp& warp, const BasicBlock& block, const CollectiveOp& collective,
                         std::uint32_t members, std::uint32_t group);

  // The warps of the block that meet.
  bool barrier(Warp& warp, const BasicBlock& block, Fragment& fragment);
  void release_complete(std::uint32_t number);
  void release(std::uint32_t number);
  bool is_same_barrier(const BasicBlock& a, const BasicBlock& b) const;
  void check_together(std::uint32_t number) const;

  /// What lanes do wrong at the end of a block, in the words of fmt::format.
  template <class... Values>
  [[noreturn]] void fail(const Warp& warp, std::uint32_t lanes, const BasicBlock& block,
                         fmt::format_string<Values...> what, const Values&... values) const {
    throw fault_at(kernel_, block.instruction,
                   describe_thread(launch_, index_, warp.index, lowest_lane(lanes)) + ": " +
                       fmt::vformat(what, fmt::make_format_args(values...)));
  }
  [[noreturn]] void report_deadlock() const;
  [[noreturn]] void report_waiting(FaultKind kind, const std::string& what) const;

  const Launch& launch_;
  const Kernel& kernel_;
  LaunchCount& count_;
  std::uint64_t index_ = 0;
  std::uint64_t instructions_ = 0;
  std::uint64_t retired_ = 0;
  std::uint32_t live_ = 0;
  std::vector<Warp> warps_;
  bool has_spent_turn_ = false;
  std::uint64_t idle_passes_ = 0;
  LazyPages registers_;
  std::array<Barrier, 16> barriers_;
  AccessUnit access_;
  RaceDetector* races_ = nullptr;         ///< the access unit's, or null
  UndefinedValues* undefined_ = nullptr;  ///< the same
};

}  // namespace sweep
