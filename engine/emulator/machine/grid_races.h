#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/emulator/count/model.h"
#include "engine/emulator/machine/memory.h"

namespace sweep {

/// Finds accesses of a launch's blocks to one place of global memory, one of them a plain store,
/// or a plain access and an atomic, with nothing between that orders them. Blocks of a cluster
/// count as one.
///
/// What orders them (PTX ISA, "Memory Consistency Model"): a fence of the grid's scope, or a
/// release, of the block that was first; then its store or atomic somewhere; then an atomic or
/// volatile load of that by the other block. Followed are the times of these events, not which
/// block heard of which: who has heard of one release counts as having heard of all before it. No
/// fence is asked of who reads.
///
/// Not judged: stores of the value that is there already, or (one time in 2,048 for another value)
/// that another block stores at the same moment; a plain load before an atomic on the same
/// place by the same thread, as in a loop around compare-and-swap; bytes and halves of buffers of
/// larger elements. Threads may share it where nothing orders blocks.
class GridRaces {
 public:
  struct Access {
    std::uint64_t block = 0;
    std::uint32_t thread = 0;
    std::uint32_t instruction = 0;
    bool is_strong = false;  ///< atomic, volatile, or with an order of its own
    AccessKind kind = AccessKind::load;
  };
  struct Conflict {
    Access now;
    Access earlier;
    bool is_known = true;  ///< `earlier` is the one; false: it is another block's
    std::uint64_t byte = 0;
  };

  /// Looks at these buffers. Blocks that are linked (Kernel::is_linked) may order their work, and
  /// are executed by one thread; others by several if it `has_threads`. Memory is taken as it is
  /// touched. Throws std::bad_alloc.
  GridRaces(std::span<Allocation* const> buffers, bool is_linked, bool has_threads);

  /// A thread reaches for `bytes` of a buffer, to put `stored` there if it is a plain store's.
  /// Throws MemoryShortage.
  std::optional<Conflict> note(const Allocation& buffer, std::uint64_t begin, std::uint64_t bytes,
                               const Access& now, std::span<const std::byte> stored);
  /// The lanes of a warp do: each of them `bytes` at begin[lane]. `now` is lane 0's; what a lane
  /// stores, if they do, lies `step` bytes behind what the lane before does.
  std::optional<Conflict> note_lanes(const Allocation& buffer, const std::uint64_t* begin,
                                     std::uint64_t bytes, std::uint32_t lanes, const Access& now,
                                     const std::byte* stored, std::size_t step);
  /// What was put off: a plain load that another block's atomic met, and no atomic followed.
  std::optional<std::pair<const Allocation*, Conflict>> unresolved() const;

  // Where blocks take turns, on one thread.
  void fence(std::uint64_t block) { orders_[block].fenced = ++time_; }
  /// Behind a strong store or atomic at an address, with a fence of its own if it is a release.
  void publish(std::uint64_t block, std::uint64_t address, bool is_release);
  /// At a strong load or atomic.
  void acquire(std::uint64_t block, std::uint64_t address);

 private:
  /// The last access to `granule` bytes, packed: 0 for none.
  struct Shadow {
    Shadow(const Allocation& memory, unsigned shift);

    const Allocation* buffer;
    unsigned granule_shift;
    LazyPages pages;
    LazyPages times;
    std::uint64_t* cells;
    std::uint32_t* cell_times;
  };
  struct Order {
    std::uint32_t fenced = 0;    ///< when its last fence was
    std::uint32_t acquired = 0;  ///< when what it has heard of was published
    /// Fences, and when the first store behind each published what was before it; rising.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> published;
  };

  Shadow* shadow_of(const Allocation& buffer);
  bool note_quietly(Shadow& shadow, std::uint64_t at, std::uint64_t own);
  std::optional<Conflict> note_range(Shadow& shadow, std::uint64_t begin, std::uint64_t bytes,
                                     const Access& now, std::uint64_t own,
                                     std::span<const std::byte> stored);
  std::uint64_t meet(const Shadow& shadow, std::uint64_t at, std::uint64_t known, std::uint64_t own,
                     const Access& now, std::uint64_t begin, std::span<const std::byte> stored,
                     std::optional<Conflict>& conflict) const;
  /// Puts a conflict off where it is a plain load's with an atomic; whether it did.
  bool put_off(const Allocation& buffer, std::uint64_t granule, const Conflict& conflict);
  /// An atomic of the thread follows its plain load.
  void take_back(const Allocation& buffer, std::uint64_t granule, const Access& now);
  bool is_ordered(const Access& earlier, std::uint32_t time, const Access& now);

  std::vector<Shadow> shadows_;  ///< few
  bool is_linked_;
  bool has_threads_;
  std::uint32_t time_ = 1;
  std::unordered_map<std::uint64_t, Order> orders_;                ///< by block
  std::unordered_map<std::uint64_t, std::uint32_t> publications_;  ///< by address
  std::mutex mutex_;                                               ///< of what is put off
  std::atomic<bool> has_put_off_ = false;
  /// By buffer and granule.
  std::map<std::pair<const Allocation*, std::uint64_t>, Conflict> put_off_;
};

}  // namespace sweep
