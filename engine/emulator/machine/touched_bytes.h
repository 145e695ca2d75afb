#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/emulator/machine/lazy_pages.h"

namespace sweep {

/// A bit for every byte of a range, all clear at first; pages that are never touched take no
/// memory. Bits are only ever set, so that several threads may; who sees a bit set sees what a
/// thread that set it did before.
class TouchedBytes {
 public:
  /// `bytes_per_bit`: what is touched with a bit, where a bit stands for more than a byte. Throws
  /// std::bad_alloc.
  explicit TouchedBytes(std::uint64_t bytes, std::uint64_t bytes_per_bit = 1);

  std::uint64_t bytes() const { return bytes_; }
  /// Throws MemoryShortage when the machine has no memory for it.
  void set(std::uint64_t begin, std::uint64_t count);
  /// Whether all bytes of a range are set.
  bool all(std::uint64_t begin, std::uint64_t count) const;
  /// Whether any byte has been set at all.
  bool any() const { return any_.load(std::memory_order_relaxed); }
  /// The first set byte at or after `begin`; bytes() when there is none.
  std::uint64_t find_from(std::uint64_t begin) const;

 private:
  /// A page of words; those of pages in which nothing is set are not looked at.
  static constexpr std::uint64_t bits_per_page = std::uint64_t{8} * 4096;

  std::uint64_t bytes_;
  std::uint64_t bytes_per_page_;  ///< that are touched with all bits of a page
  std::vector<std::atomic<bool>> is_page_touched_;
  LazyPages pages_;
  std::uint64_t* words_;
  std::atomic<bool> any_ = false;
};

}  // namespace sweep
