#include "engine/emulator/machine/address_space.h"

#include <algorithm>

namespace sweep {
namespace {

constexpr std::uint64_t first_address = 0x7000'0000'0000;
/// As a driver's allocations of some size are aligned; the gap makes overruns show.
constexpr std::uint64_t allocation_alignment = 0x20'0000;
/// An address further away comes from no wrong index: it is a null pointer, or no pointer at all.
constexpr std::uint64_t farthest_neighbour = 0x100'0000'0000;

}  // namespace

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
