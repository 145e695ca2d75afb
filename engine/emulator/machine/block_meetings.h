#pragma once

#include <atomic>
#include <cstdint>

#include "engine/emulator/machine/lazy_pages.h"

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

}  // namespace sweep
