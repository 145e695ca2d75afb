#include "engine/emulator/machine/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "engine/text/units.h"

namespace sweep {
namespace {

/// A look at the machine's memory takes as long as touching a small part of this.
constexpr std::uint64_t bytes_between_looks = 16U << 20U;

/// Throws MemoryShortage when so many more bytes would not leave the reserve.
void require_left(const MachineMemory& memory, std::uint64_t bytes) {
  // What other processes, and this one's other needs, are left.
  const std::uint64_t reserve = std::min(memory.total / 16, std::uint64_t{1} << 30U);
  if (memory.available >= reserve && bytes <= memory.available - reserve) return;
  throw MemoryShortage(fmt::format("of this machine's {} are {} free", format_bytes(memory.total),
                                   format_bytes(memory.available)));
}

/// Mapping pages and touching them takes longer than clearing so many bytes.
constexpr std::size_t most_small_bytes = std::size_t{1} << 16U;
constexpr std::align_val_t page_alignment{4096};

// What BlockMeetings knows of an element.
constexpr std::uint32_t untouched = 0;
constexpr std::uint32_t written = 1U << 31U;
constexpr std::uint32_t several_readers = written - 1;
/// Block numbers wrap below these marks: few of so many blocks are executed when this is asked.
constexpr std::uint64_t most_blocks = several_readers - 1;

constexpr std::uint64_t first_address = 0x7000'0000'0000;
/// As a driver's allocations of some size are aligned; the gap makes overruns show.
constexpr std::uint64_t allocation_alignment = 0x20'0000;
/// An address further away comes from no wrong index: it is a null pointer, or no pointer at all.
constexpr std::uint64_t farthest_neighbour = 0x100'0000'0000;

constexpr std::uint64_t all_set = ~std::uint64_t{0};

/// Whether `test(word, bits)` holds for every word of which a range covers `bits`.
template <class Test>
bool holds_for_words(std::uint64_t begin, std::uint64_t count, const Test& test) {
  while (count > 0) {
    const std::uint64_t part = std::min(count, 64 - begin % 64);
    const std::uint64_t ones = part == 64 ? all_set : (std::uint64_t{1} << part) - 1;
    if (!test(begin / 64, ones << (begin % 64))) return false;
    begin += part;
    count -= part;
  }
  return true;
}

}  // namespace

LazyPages::LazyPages(std::size_t bytes) : bytes_(bytes), is_mapped_(bytes > most_small_bytes) {
  if (bytes == 0) return;
  if (!is_mapped_) {
    data_ = static_cast<std::byte*>(operator new(bytes, page_alignment));
    std::memset(data_, 0, bytes);
    return;
  }
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  // Pages of 2 MiB would be taken whole where a byte of them is touched. Without such pages in the
  // kernel the advice fails, and is not needed.
  madvise(pages, bytes, MADV_NOHUGEPAGE);
  data_ = static_cast<std::byte*>(pages);
}

LazyPages::LazyPages(const FileDescriptor& file, std::size_t bytes)
    : bytes_(bytes), is_mapped_(true) {
  void* const pages =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.get(), 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(pages);
}

LazyPages::~LazyPages() {
  if (data_ == nullptr) return;
  if (is_mapped_) {
    munmap(data_, bytes_);
  } else {
    operator delete(data_, page_alignment);
  }
}

MemoryWatch& MemoryWatch::of_process() {
  static MemoryWatch watch([] { return machine_memory(); });
  return watch;
}

void MemoryWatch::note(std::uint64_t bytes) {
  const std::uint64_t before = noted_.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes < bytes_between_looks) return;
  noted_.store(0, std::memory_order_relaxed);
  require_left(source_(), 0);
}

void MemoryWatch::require(std::uint64_t bytes) const {
  if (bytes >= bytes_between_looks) require_left(source_(), bytes);
}

TouchedBytes::TouchedBytes(std::uint64_t bytes, std::uint64_t bytes_per_bit)
    : bytes_(bytes),
      bytes_per_page_(bits_per_page * bytes_per_bit),
      is_page_touched_(static_cast<std::size_t>(bytes / bits_per_page + 1)),
      pages_(is_page_touched_.size() * bits_per_page / 8),
      words_(reinterpret_cast<std::uint64_t*>(pages_.data())) {}

void TouchedBytes::set(std::uint64_t begin, std::uint64_t count) {
  if (!any()) any_.store(true, std::memory_order_relaxed);
  holds_for_words(begin, count, [this](std::uint64_t index, std::uint64_t bits) {
    std::atomic<bool>& page = is_page_touched_[index * 64 / bits_per_page];
    if (!page.load(std::memory_order_relaxed) && !page.exchange(true, std::memory_order_relaxed)) {
      MemoryWatch::of_process().note(bytes_per_page_);
    }
    const auto word = std::atomic_ref<std::uint64_t>(words_[index]);
    if (bits == all_set) {
      word.store(all_set, std::memory_order_release);
    } else if ((word.load(std::memory_order_relaxed) & bits) != bits) {
      word.fetch_or(bits, std::memory_order_release);
    }
    return true;
  });
}

bool TouchedBytes::all(std::uint64_t begin, std::uint64_t count) const {
  return holds_for_words(begin, count, [this](std::uint64_t index, std::uint64_t bits) {
    return (std::atomic_ref<std::uint64_t>(words_[index]).load(std::memory_order_acquire) & bits) ==
           bits;
  });
}

std::uint64_t TouchedBytes::find_from(std::uint64_t begin) const {
  while (begin < bytes_) {
    if (!is_page_touched_[begin / bits_per_page].load(std::memory_order_relaxed)) {
      begin = (begin / bits_per_page + 1) * bits_per_page;
      continue;
    }
    const std::uint64_t word =
        std::atomic_ref<std::uint64_t>(words_[begin / 64]).load(std::memory_order_acquire) &
        (all_set << (begin % 64));
    if (word != 0) {
      return begin / 64 * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
    }
    begin = (begin / 64 + 1) * 64;
  }
  return bytes_;
}

BlockMeetings::BlockMeetings(std::uint64_t bytes, std::uint32_t element_bytes)
    : element_bytes_(element_bytes),
      pages_(static_cast<std::size_t>((bytes / element_bytes + 1) * sizeof(std::uint32_t))),
      elements_(reinterpret_cast<std::uint32_t*>(pages_.data())) {}

void BlockMeetings::note(std::uint64_t block, std::uint64_t begin, std::uint64_t count,
                         bool writes) {
  if (have_met() || count == 0) return;
  const auto own = static_cast<std::uint32_t>(block % most_blocks) + 1;
  const std::uint64_t last = (begin + count - 1) / element_bytes_;
  for (std::uint64_t at = begin / element_bytes_; at <= last; ++at) {
    const std::atomic_ref<std::uint32_t> state(elements_[at]);
    std::uint32_t known = state.load(std::memory_order_relaxed);
    std::uint32_t next = known;
    do {
      const bool is_own = (known & ~written) == own;
      const bool is_written = (known & written) != 0;
      const bool is_foreign = known != untouched && !is_own;
      if (is_foreign && (writes || is_written)) {
        have_met_.store(true, std::memory_order_relaxed);
        return;
      }
      next = writes ? own | written : is_foreign ? several_readers : is_own ? known : own;
    } while (next != known && !state.compare_exchange_weak(known, next, std::memory_order_relaxed));
  }
}

Allocation& AddressSpace::allocate(std::string name, std::uint64_t bytes,
                                   std::uint32_t element_bytes) {
  const std::scoped_lock lock(mutex_);
  std::uint64_t base = first_address;
  std::atomic<Allocation*>* link = &first_;
  if (!allocations_.empty()) {
    Allocation& last = *allocations_.back();
    base = (last.base + last.bytes + allocation_alignment) / allocation_alignment *
               allocation_alignment +
           allocation_alignment;
    link = &last.next;
  }
  allocations_.push_back(std::unique_ptr<Allocation>(
      new Allocation{std::move(name), base, bytes, std::max(element_bytes, 1U)}));
  link->store(allocations_.back().get(), std::memory_order_release);
  return *allocations_.back();
}

Allocation* AddressSpace::find(std::uint64_t address) const {
  for (Allocation* at = first_.load(std::memory_order_acquire); at != nullptr;
       at = at->next.load(std::memory_order_acquire)) {
    if (at->contains(address, 1)) return at;
  }
  return nullptr;
}

const Allocation* AddressSpace::nearest(std::uint64_t address) const {
  const Allocation* best = nullptr;
  std::uint64_t least = farthest_neighbour;
  for (const Allocation* at = first_.load(std::memory_order_acquire); at != nullptr;
       at = at->next.load(std::memory_order_acquire)) {
    const std::uint64_t end = at->base + at->bytes;
    const std::uint64_t distance =
        address < at->base ? at->base - address : address - std::min(end, address);
    if (distance >= least) continue;
    least = distance;
    best = at;
  }
  return best;
}

}  // namespace sweep
