#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/emulator/machine/lazy_memory.h"

namespace sweep {

/// Which block touched each element of a buffer, to notice where blocks meet: where one writes what
/// another one reads or writes. After some of a grid's blocks such a buffer holds what the whole
/// grid may never leave there. Threads may share it.
class BlockMeetings {
 public:
  /// Memory is taken as it is touched. Throws std::bad_alloc.
  BlockMeetings(std::uint64_t bytes, std::uint32_t element_bytes);

  /// A block touches `count` bytes.
  void note(std::uint64_t block, std::uint64_t begin, std::uint64_t count, bool writes);
  bool have_met() const { return have_met_.load(std::memory_order_relaxed); }

 private:
  void note_element(std::uint32_t& element, std::uint32_t block, bool writes);

  std::uint32_t element_bytes_;
  LazyPages pages_;
  std::uint32_t* elements_;  ///< of each: the block that touched it, and whether that wrote
  std::atomic<bool> have_met_ = false;
};

class LazyValues;

/// A range of global memory.
struct Allocation {
  /// Throws std::bad_alloc.
  Allocation(std::string name, std::uint64_t base, std::uint64_t bytes,
             std::uint32_t element_bytes);

  std::string name;
  std::uint64_t base = 0;  ///< its address in the kernel's eyes
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 1;
  LazyPages pages;
  std::byte* host = nullptr;  ///< where they begin
  /// What ends "it writes in[3], ..."; empty: the kernel may write it.
  std::string_view why_read_only;
  /// Every byte may be read.
  bool is_initialised = true;
  /// What the kernel has written; null when nobody needs to know.
  std::unique_ptr<TouchedBytes> written;
  std::atomic<bool> has_atomic_updates = false;
  /// Where the kernel's blocks meet in it; null when nobody needs to know.
  std::unique_ptr<BlockMeetings> meetings;
  /// Some of the blocks that share it were executed: nothing in it is a result.
  std::atomic<bool> has_partial_updates = false;
  LazyValues* lazy = nullptr;               ///< not null: ensure before each access
  std::atomic<Allocation*> next = nullptr;  ///< at the next higher address

  bool is_plain() const { return is_initialised && written == nullptr && lazy == nullptr; }
  bool contains(std::uint64_t address, std::uint64_t count) const {
    return address >= base && address - base <= bytes && count <= bytes - (address - base);
  }
  /// host pointer - address, for all addresses of the allocation.
  std::uintptr_t bias() const { return reinterpret_cast<std::uintptr_t>(host) - base; }
};

/// Global memory: allocations with gaps between them, at addresses that are the same in every
/// process. Threads may look addresses up while another allocates.
class AddressSpace {
 public:
  /// Memory is taken as it is touched. Throws std::bad_alloc.
  Allocation& allocate(std::string name, std::uint64_t bytes, std::uint32_t element_bytes);
  /// The allocation that the address lies in, or null.
  Allocation* find(std::uint64_t address) const;
  /// The allocation nearest to an address that lies in none, for messages; null without any near
  /// enough for a wrong index to be the likely reason.
  const Allocation* nearest(std::uint64_t address) const;

 private:
  std::mutex mutex_;                                      ///< of those who allocate
  std::vector<std::unique_ptr<Allocation>> allocations_;  ///< by rising address
  std::atomic<Allocation*> first_ = nullptr;
};

}  // namespace sweep
