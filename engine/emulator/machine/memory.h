#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/system/file_descriptor.h"
#include "engine/system/machine_memory.h"

// Memory that is taken as it is touched.

namespace sweep {

/// Zeroed memory from the beginning of a page on. A large range takes room only where it is
/// touched.
class LazyPages {
 public:
  /// Throws std::bad_alloc. 0 bytes have a null pointer.
  explicit LazyPages(std::size_t bytes);
  /// The first `bytes` of an open file, which takes room of its own only where it is written to;
  /// the file stays as it is. Throws std::bad_alloc.
  LazyPages(const FileDescriptor& file, std::size_t bytes);
  ~LazyPages();
  LazyPages(LazyPages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(other.bytes_),
        is_mapped_(other.is_mapped_) {}
  LazyPages& operator=(LazyPages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(is_mapped_, other.is_mapped_);
    return *this;
  }
  LazyPages(const LazyPages&) = delete;
  LazyPages& operator=(const LazyPages&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
  bool is_mapped_ = false;  ///< a small range is not
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
  std::uint32_t element_bytes_;
  LazyPages pages_;
  std::uint32_t* elements_;  ///< of each: the block that touched it, and whether that wrote
  std::atomic<bool> have_met_ = false;
};

class LazyValues;

/// Whether [begin, begin + count) lies in [0, size).
constexpr bool is_inside(std::uint64_t begin, std::uint64_t count, std::uint64_t size) {
  return begin <= size && count <= size - begin;
}

/// A range of global memory.
struct Allocation {
  std::string name;
  std::uint64_t base = 0;  ///< its address in the kernel's eyes
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 1;
  LazyPages pages = LazyPages(static_cast<std::size_t>(bytes));
  std::byte* host = pages.data();  ///< where they begin
  /// What ends "it writes in[3], ..."; empty: the kernel may write it.
  std::string_view why_read_only = {};
  bool is_far = false;  ///< on a GPU it lies elsewhere than in the device's memory
  /// Every byte may be read.
  bool is_initialised = true;
  /// What the kernel has written; null when nobody needs to know.
  std::unique_ptr<TouchedBytes> written = nullptr;
  std::atomic<bool> has_atomic_updates = false;
  /// Where the kernel's blocks meet in it; null when nobody needs to know.
  std::unique_ptr<BlockMeetings> meetings = nullptr;
  /// Some of the blocks that share it were executed: nothing in it is a result.
  std::atomic<bool> has_partial_updates = false;
  LazyValues* lazy = nullptr;               ///< not null: ensure before each access
  std::atomic<Allocation*> next = nullptr;  ///< at the next higher address

  bool is_plain() const { return is_initialised && written == nullptr && lazy == nullptr; }
  bool contains(std::uint64_t address, std::uint64_t count) const {
    return address >= base && is_inside(address - base, count, bytes);
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
