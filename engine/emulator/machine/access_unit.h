#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/emulator/count/model.h"
#include "engine/emulator/machine/counts.h"
#include "engine/emulator/machine/launch.h"
#include "engine/emulator/machine/shadow_state.h"

namespace sweep {

struct MbarrierState;

/// The memory of the block under way: checks, counts and executes its accesses. What a kernel must
/// not do is a KernelFault.
class AccessUnit {
 public:
  /// Throws std::bad_alloc and MemoryShortage.
  AccessUnit(const Launch& launch, LaunchCount& count);

  void begin_block(std::uint64_t index);
  /// Executes an op that reaches memory for the lanes in `mask`.
  void execute(Warp& warp, const Op& op, std::uint32_t mask);

  /// How many ops have changed memory so far.
  std::uint64_t writes() const { return writes_; }
  // What follows the block's accesses and values; null where nothing does.
  RaceDetector* races() const { return races_.get(); }
  UndefinedValues* undefined() const { return undefined_.get(); }
  /// Throws where a lane uses registers that are all undefined: `use` says how.
  void check_defined(const Warp& warp, std::span<const std::uint32_t> slots, std::uint32_t lanes,
                     const char* use, std::uint32_t instruction) const;

 private:
  using Addresses = std::array<std::uint64_t, warp_size>;
  Addresses addresses_of(const AddressOperand& address) const;

  /// What the running op does wrong in a lane, in the words of fmt::format.
  template <class... Values>
  [[noreturn]] void fail(unsigned lane, fmt::format_string<Values...> what,
                         const Values&... values) const {
    fail_with(lane, fmt::vformat(what, fmt::make_format_args(values...)));
  }
  [[noreturn]] void fail_with(unsigned lane, const std::string& what) const;
  [[noreturn]] void fail_read_only(unsigned lane, const Allocation& allocation,
                                   std::uint64_t address) const;

  // Loads, stores and atomics.
  void access(std::uint32_t mask);
  void access_global(WarpAccess& access, AccessKind kind);
  void access_in_block(WarpAccess& access, AccessKind kind, bool is_shared);
  void access_generic(WarpAccess& access, AccessKind kind);
  void move(const WarpAccess& access, std::uintptr_t bias, bool is_global);

  // What must hold of them.
  void check_alignment(const WarpAccess& access, const Spread& spread) const;
  void check_inside(const WarpAccess& access, const Spread& spread, bool is_shared) const;
  Allocation& resolve(const WarpAccess& access, const Spread& spread, std::uint32_t& lanes);
  void prepare(Allocation& allocation, WarpAccess& access, AccessKind kind);
  void check_written(const Allocation& allocation, const std::uint64_t* begin, WarpAccess& access);
  void check_base(unsigned lane, std::uint64_t begin, std::uint64_t bytes, bool is_load) const;
  void check_races(const WarpAccess& access, AccessKind kind);
  void note_shared(std::uint64_t begin, std::uint64_t bytes, unsigned lane, AccessKind kind,
                   const std::byte* values, bool is_strong = false);

  // What they cost.
  template <class Count>
  void count(std::vector<std::unique_ptr<AccessCounter<Count>>>& counters, Count& total,
             const WarpAccess& access, const Spread& spread, AccessKind kind);
  void count_global(const WarpAccess& access, const Spread& spread, AccessKind kind);
  void count_local(const WarpAccess& access, AccessKind kind, GlobalCount& total) const;
  void tell_listener(const WarpAccess& access, AccessKind kind) const;

  // Copies, mbarriers and matrices.
  std::byte* bytes_at(unsigned lane, ptx::Space space, std::uint64_t address, std::uint64_t count,
                      bool is_load);
  void async_copy(std::uint32_t mask);
  void bulk_copy(std::uint32_t mask);
  MbarrierState& mbarrier_at(const AddressOperand& address, ptx::Space space, unsigned lane,
                             MbarrierMode mode, std::uint64_t& key);
  void mbarrier(unsigned lane);
  void move_matrices(std::uint32_t mask, bool is_load);

  // Calls, whose arguments lie in local memory.
  void print(unsigned lane);
  [[noreturn]] void assert_fail(std::uint32_t mask) const;
  void stack_allocate(unsigned lane);
  void stack_restore(unsigned lane);
  std::string text_at(std::uint64_t address) const;
  std::uint64_t argument(std::uint64_t offset, unsigned lane, unsigned bytes) const;

  std::uint32_t thread_of(unsigned lane) const { return warp_->index * warp_size + lane; }
  std::byte* local(unsigned lane) const { return local_.data() + thread_of(lane) * local_bytes_; }

  const Launch& launch_;
  const Kernel& kernel_;
  LaunchCount& count_;
  // What is executed: the memory op of loads, stores, atomics, copies and matrix moves.
  Warp* warp_ = nullptr;
  const Op* op_ = nullptr;
  const MemoryOp* memory_ = nullptr;
  // By memory op, made when it is counted first.
  std::vector<std::unique_ptr<GlobalCounter>> global_counters_;
  std::vector<std::unique_ptr<SharedCounter>> shared_counters_;
  std::uint64_t block_index_ = 0;
  std::uint64_t order_ = 0;  ///< numbers the executed ops
  std::uint64_t writes_ = 0;
  std::unique_ptr<RaceDetector> races_;
  std::unique_ptr<UndefinedValues> undefined_;
  std::vector<Allocation*> last_;  ///< by memory op: where it went last
  std::uint64_t shared_bytes_;
  LazyPages shared_;
  std::unordered_set<std::uint64_t> mbarriers_;  ///< in the block, where checked
  std::uint64_t local_bytes_;                    ///< of one thread, room for alloca included
  LazyPages local_;
  std::vector<std::uint64_t> stack_;  ///< of each thread: where alloca takes from
};

}  // namespace sweep
