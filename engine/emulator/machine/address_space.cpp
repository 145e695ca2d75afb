#include "engine/emulator/machine/address_space.h"

#include <algorithm>

#include "engine/emulator/machine/lazy_pages.h"

namespace sweep {
namespace {

constexpr std::uint64_t first_address = 0x7000'0000'0000;
/// As a driver's allocations of some size are aligned; the gap makes overruns show.
constexpr std::uint64_t alignment = 0x20'0000;

}  // namespace

Allocation::Allocation(std::string allocation_name, std::uint64_t address, std::uint64_t size,
                       std::uint32_t element)
    : name(std::move(allocation_name)),
      base(address),
      bytes(size),
      element_bytes(std::max(element, 1U)),
      host(static_cast<std::byte*>(map_lazy_pages(static_cast<std::size_t>(size)))) {}

Allocation::~Allocation() {
  unmap_pages(host, static_cast<std::size_t>(bytes));
}

Allocation& AddressSpace::allocate(std::string name, std::uint64_t bytes,
                                   std::uint32_t element_bytes) {
  std::uint64_t base = first_address;
  if (!allocations_.empty()) {
    const Allocation& last = *allocations_.back();
    base = (last.base + last.bytes + alignment) / alignment * alignment + alignment;
  }
  allocations_.push_back(std::make_unique<Allocation>(std::move(name), base, bytes, element_bytes));
  return *allocations_.back();
}

Allocation* AddressSpace::find(std::uint64_t address) const {
  for (const auto& allocation : allocations_) {
    if (allocation->contains(address, 1)) return allocation.get();
  }
  return nullptr;
}

const Allocation* AddressSpace::nearest(std::uint64_t address) const {
  const Allocation* best = nullptr;
  std::uint64_t least = ~std::uint64_t{0};
  for (const auto& allocation : allocations_) {
    const std::uint64_t end = allocation->base + allocation->bytes;
    const std::uint64_t distance =
        address < allocation->base ? allocation->base - address : address - std::min(end, address);
    if (distance >= least) continue;
    least = distance;
    best = allocation.get();
  }
  return best;
}

}  // namespace sweep
