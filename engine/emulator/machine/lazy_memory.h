#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "engine/system/machine_memory.h"

// Memory that is taken as it is touched.
namespace sweep {

/// Zeroed memory that takes room only where it is touched, from the beginning of a page on.
class LazyPages {
 public:
  /// Throws std::bad_alloc. 0 bytes have a null pointer.
  explicit LazyPages(std::size_t bytes);
  ~LazyPages();
  LazyPages(const LazyPages&) = delete;
  LazyPages& operator=(const LazyPages&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

/// The machine's memory does not suffice for what a kernel touches; the message says what is left.
class MemoryShortage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Buffers take memory only where they are touched, so what a kernel needs shows while it is
/// executed. This looks at what the machine has left each time that some more of them was touched,
/// and ends the kernel before the kernel of the machine ends the process. Threads may share it.
class MemoryWatch {
 public:
  using Source = MachineMemory (*)();
  explicit MemoryWatch(Source source) : source_(source) {}

  /// The one of this process, in which several kernels may be executed at once.
  static MemoryWatch& of_process();

  /// So many bytes are touched for the first time now. Throws MemoryShortage.
  void note(std::uint64_t bytes);
  /// So many bytes are going to be touched, all of them. Throws MemoryShortage.
  void require(std::uint64_t bytes) const;

 private:
  Source source_;
  std::atomic<std::uint64_t> noted_ = 0;  ///< since the last look
};

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
