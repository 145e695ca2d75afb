#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/emulator/count/access_counter.h"
#include "engine/emulator/machine/counts.h"
#include "engine/emulator/machine/launch.h"
#include "engine/emulator/machine/race_detector.h"
#include "engine/emulator/machine/undefined_values.h"

namespace sweep {

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
  /// That lanes do something with registers that are undefined: `use` says what, at the
  /// instruction.
  void check_defined(const Warp& warp, std::span<const std::uint32_t> slots, std::uint32_t lanes,
                     const char* use, std::uint32_t instruction) const;

 private:
  using Addresses = std::array<std::uint64_t, warp_size>;
  static Addresses addresses_of(const Warp& warp, const AddressOperand& address);

  [[noreturn]] void fail(const Warp& warp, const Op& op, unsigned lane, const std::string& what);
  [[noreturn]] void fail_read_only(const Warp& warp, const Op& op, unsigned lane,
                                   const Allocation& allocation, std::uint64_t address);

  // Loads, stores and atomics.
  void access(Warp& warp, const Op& op, std::uint32_t mask);
  void access_global(Warp& warp, const Op& op, WarpAccess& access, AccessKind kind);
  void access_in_block(Warp& warp, const Op& op, WarpAccess& access, AccessKind kind,
                       bool is_shared);
  void access_generic(Warp& warp, const Op& op, WarpAccess& access, AccessKind kind);
  void move(Warp& warp, const Op& op, const WarpAccess& access, std::uintptr_t bias,
            bool is_global);
  void atomic_lanes(Warp& warp, const MemoryOp& memory, const WarpAccess& access,
                    std::uintptr_t bias, bool is_global);

  // What must hold of them.
  void check_alignment(const Warp& warp, const Op& op, const WarpAccess& access,
                       const Spread& spread);
  void check_inside(const Warp& warp, const Op& op, const WarpAccess& access, const Spread& spread,
                    bool is_shared);
  Allocation& resolve(const Warp& warp, const Op& op, const WarpAccess& access,
                      const Spread& spread, std::uint32_t& lanes);
  void prepare(Warp& warp, const Op& op, Allocation& allocation, WarpAccess& access,
               AccessKind kind);
  void check_written(Warp& warp, const Op& op, const Allocation& allocation,
                     const std::uint64_t* begin, WarpAccess& access);
  void check_base(const Warp& warp, const Op& op, unsigned lane, std::uint64_t begin,
                  std::uint64_t bytes, bool is_load);
  void check_races(const Warp& warp, const Op& op, const WarpAccess& access, AccessKind kind);
  void note_shared(const Warp& warp, const Op& op, std::uint64_t begin, std::uint64_t bytes,
                   unsigned lane, AccessKind kind, const std::byte* values, bool is_strong = false);

  // What they cost.
  template <class Count>
  void count(std::vector<std::unique_ptr<AccessCounter<Count>>>& counters, Count& total,
             const Op& op, const WarpAccess& access, const Spread& spread, AccessKind kind);
  void count_global(const Op& op, const WarpAccess& access, const Spread& spread, AccessKind kind);
  void count_local(const WarpAccess& access, AccessKind kind, GlobalCount& total) const;
  void tell_listener(const WarpAccess& access, AccessKind kind, CachePolicy policy);

  // Copies, mbarriers and matrices.
  std::byte* bytes_at(Warp& warp, const Op& op, unsigned lane, ptx::Space space,
                      std::uint64_t address, std::uint64_t count, bool is_load);
  void async_copy(Warp& warp, const Op& op, std::uint32_t mask);
  void bulk_copy(Warp& warp, const Op& op, std::uint32_t mask);
  void reduce_bytes(const MemoryOp& memory, std::byte* target, const std::byte* source,
                    std::uint64_t size);
  std::uint64_t* mbarrier_at(Warp& warp, const Op& op, const AddressOperand& address,
                             ptx::Space space, unsigned lane, std::uint64_t& key);
  void check_mbarrier(const Warp& warp, const Op& op, unsigned lane, std::uint64_t key,
                      MbarrierMode mode, bool is_valid);
  void mbarrier(Warp& warp, const Op& op, unsigned lane);
  void move_matrices(Warp& warp, const Op& op, std::uint32_t mask, bool is_load);

  // Calls, whose arguments lie in local memory.
  void print(Warp& warp, const Op& op, unsigned lane);
  [[noreturn]] void assert_fail(Warp& warp, const Op& op, std::uint32_t mask);
  void stack_allocate(Warp& warp, const Op& op, unsigned lane);
  void stack_restore(Warp& warp, const Op& op, unsigned lane);
  std::string text_at(std::uint64_t address) const;
  std::uint64_t argument(const Warp& warp, std::uint64_t offset, unsigned lane,
                         unsigned bytes) const;

  static std::uint32_t thread_of(const Warp& warp, unsigned lane) {
    return warp.index * warp_size + lane;
  }
  std::byte* local(const Warp& warp, unsigned lane) const {
    return local_.data() + thread_of(warp, lane) * local_bytes_;
  }

  const Launch& launch_;
  const Kernel& kernel_;
  LaunchCount& count_;
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
