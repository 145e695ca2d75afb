#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/emulator/count/access.h"
#include "engine/emulator/machine/counts.h"
#include "engine/emulator/machine/launch.h"
#include "engine/emulator/machine/lazy_pages.h"
#include "engine/emulator/machine/race_detector.h"
#include "engine/emulator/machine/site_counter.h"
#include "engine/emulator/machine/undefined_values.h"
#include "engine/emulator/machine/warp.h"

namespace sweep {

/// The memory of the block under way: checks, counts and executes its accesses. What a kernel must
/// not do is a KernelFault.
class AccessUnit {
 public:
  /// Throws std::bad_alloc.
  AccessUnit(const Launch& launch, LaunchCount& count, std::uint32_t warps);

  /// What follows the block's accesses and values; null where nothing does.
  void begin_block(std::uint64_t index, RaceDetector* races, UndefinedValues* undefined);

  // One op of a warp for the lanes in `mask`.
  void load(Warp& warp, const Op& op, std::uint32_t mask);
  void store(Warp& warp, const Op& op, std::uint32_t mask);
  void atomic(Warp& warp, const Op& op, std::uint32_t mask);
  void async_copy(Warp& warp, const Op& op, std::uint32_t mask);
  void bulk_copy(Warp& warp, const Op& op, std::uint32_t mask);
  void load_matrix(Warp& warp, const Op& op, std::uint32_t mask);
  void store_matrix(Warp& warp, const Op& op, std::uint32_t mask);
  void mbarrier(Warp& warp, const Op& op, std::uint32_t mask);

  // Calls, whose arguments lie in local memory.
  void print(Warp& warp, const Op& op, std::uint32_t mask);
  [[noreturn]] void assert_fail(Warp& warp, const Op& op, std::uint32_t mask);
  void set_call_result(Warp& warp, const CallOp& call, std::uint64_t value, unsigned bytes,
                       std::uint32_t mask);
  void stack_allocate(Warp& warp, const Op& op, std::uint32_t mask);
  void stack_restore(Warp& warp, const Op& op, std::uint32_t mask);

  /// Of one thread's local memory, room for alloca included.
  std::uint64_t local_bytes() const { return local_bytes_; }
  /// How many ops have changed memory so far.
  std::uint64_t writes() const { return writes_; }

  [[noreturn]] void fail(const Warp& warp, const Op& op, unsigned lane, const std::string& what);
  /// That lanes do something with registers that are undefined: `use` says what, at the
  /// instruction.
  void check_defined(const Warp& warp, std::span<const std::uint32_t> slots, std::uint32_t lanes,
                     const char* use, std::uint32_t instruction) const;

 private:
  enum class Use : std::uint8_t { load, store, atomic };

  static void fill_addresses(const Warp& warp, const AddressOperand& address, std::uint64_t* to);

  void access(Warp& warp, const Op& op, std::uint32_t mask, Use use);
  void access_global(Warp& warp, const Op& op, WarpAccess& access, Use use);
  void access_shared(Warp& warp, const Op& op, WarpAccess& access, Use use);
  void access_local(Warp& warp, const Op& op, WarpAccess& access, Use use);
  void access_generic(Warp& warp, const Op& op, WarpAccess& access, Use use);
  void move(Warp& warp, const Op& op, const WarpAccess& access, std::uintptr_t bias);

  void check_alignment(const Warp& warp, const Op& op, const WarpAccess& access,
                       const Spread& spread);
  Allocation& resolve(const Warp& warp, const Op& op, const WarpAccess& access,
                      const Spread& spread, std::uint32_t& lanes);
  void prepare(Warp& warp, const Op& op, Allocation& allocation, WarpAccess& access, Use use);
  [[noreturn]] void fail_read_only(const Warp& warp, const Op& op, unsigned lane,
                                   const Allocation& allocation, std::uint64_t address);
  void check_written(Warp& warp, const Op& op, const Allocation& allocation,
                     const std::uint64_t* begin, WarpAccess& access);
  void check_shared(const Warp& warp, const Op& op, const WarpAccess& access, Use use);
  /// That a lane's bytes lie in the variable that their address is computed from.
  void check_base(const Warp& warp, const Op& op, unsigned lane, std::uint64_t begin,
                  std::uint64_t bytes, Use use);
  void check_mbarrier(const Warp& warp, const Op& op, unsigned lane, std::uint64_t key,
                      MbarrierMode mode, bool is_valid);
  void note_shared(const Warp& warp, const Op& op, std::uint64_t begin, std::uint32_t bytes,
                   unsigned lane, RaceDetector::Access kind, const std::byte* values);
  void count_global(const Op& op, const WarpAccess& access, const Spread& spread, Use use);
  void tell_listener(const WarpAccess& access, Use use, CachePolicy policy);

  void atomic_lanes(Warp& warp, const MemoryOp& memory, const WarpAccess& access,
                    std::uintptr_t bias, bool is_global);

  /// One lane's place in any space, checked; for what moves ranges of bytes.
  std::byte* bytes_at(Warp& warp, const Op& op, unsigned lane, ptx::Space space,
                      std::uint64_t address, std::uint64_t count, Use use);
  std::uint64_t* mbarrier_at(Warp& warp, const Op& op, const AddressOperand& address,
                             ptx::Space space, unsigned lane, std::uint64_t& key);
  static void complete_bytes(std::uint64_t& object, std::int64_t bytes);
  void mbarrier_lane(Warp& warp, const Op& op, const MbarrierOp& barrier, unsigned lane);
  void reduce_bytes(const MemoryOp& memory, std::byte* target, const std::byte* source,
                    std::uint64_t size);
  void move_matrices(Warp& warp, const Op& op, std::uint32_t mask, bool is_load);
  void count_matrix(const Op& op, const WarpAccess& access, bool is_first, bool is_load);
  std::string text_at(std::uint64_t address) const;
  std::uint64_t argument(const Warp& warp, std::uint32_t offset, unsigned lane,
                         unsigned bytes) const;

  std::byte* local(const Warp& warp, unsigned lane) const;

  const Launch& launch_;
  const Kernel& kernel_;
  LaunchCount& count_;
  SiteCounters counters_;
  std::uint64_t block_index_ = 0;
  std::uint64_t order_ = 0;  ///< numbers the executed memory ops
  std::uint64_t writes_ = 0;
  RaceDetector* races_ = nullptr;
  UndefinedValues* undefined_ = nullptr;
  std::vector<Allocation*> last_;  ///< by memory op: where it went last
  std::uint64_t shared_bytes_;
  LazyPages shared_;
  std::unordered_set<std::uint64_t> mbarriers_;  ///< in the block, where checked
  std::uint64_t local_bytes_;                    ///< of one thread, room for alloca included
  LazyPages local_;
  std::vector<std::uint64_t> stack_;  ///< of each thread: where alloca takes from
};

}  // namespace sweep
