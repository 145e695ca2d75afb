#include "engine/emulator/machine/address_space.h"

#include <algorithm>

namespace sweep {
namespace {

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

}  // namespace

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
    note_element(elements_[at], own, writes);
  }
}

void BlockMeetings::note_element(std::uint32_t& element, std::uint32_t block, bool writes) {
  const std::atomic_ref<std::uint32_t> state(element);
  std::uint32_t known = state.load(std::memory_order_relaxed);
  for (;;) {
    const bool is_own = (known & ~written) == block;
    if (is_own && (!writes || (known & written) != 0)) return;
    const bool is_foreign = known != untouched && !is_own;
    if (is_foreign && (writes || (known & written) != 0)) {
      have_met_.store(true, std::memory_order_relaxed);
      return;
    }
    const std::uint32_t next = writes ? block | written : is_foreign ? several_readers : block;
    if (next == known || state.compare_exchange_weak(known, next, std::memory_order_relaxed)) {
      return;
    }
  }
}

Allocation::Allocation(std::string allocation_name, std::uint64_t address, std::uint64_t size,
                       std::uint32_t element)
    : name(std::move(allocation_name)),
      base(address),
      bytes(size),
      element_bytes(std::max(element, 1U)),
      pages(static_cast<std::size_t>(size)),
      host(pages.data()) {}

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
  allocations_.push_back(std::make_unique<Allocation>(std::move(name), base, bytes, element_bytes));
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
