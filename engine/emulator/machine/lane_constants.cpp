#include "engine/emulator/machine/lane_constants.h"

#include <cstring>

namespace sweep {
namespace {

using Kind = ConstantSlot::Kind;

void fill(const Warp& warp, const ConstantSlot& slot, std::uint64_t value) {
  if (slot.bits == 1) {
    *warp.slot<std::uint32_t>(slot.slot) = value != 0 ? full_mask : 0;
  } else if (slot.bits == 64) {
    auto* lanes = warp.slot<std::uint64_t>(slot.slot);
    for (unsigned lane = 0; lane < warp_size; ++lane) lanes[lane] = value;
  } else {
    auto* lanes = warp.slot<std::uint32_t>(slot.slot);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      lanes[lane] = static_cast<std::uint32_t>(slot.bits == 16 ? value & 0xffff : value);
    }
  }
}

template <class Value>
void fill_each(const Warp& warp, const ConstantSlot& slot, Value value) {
  if (slot.bits == 64) {
    auto* lanes = warp.slot<std::uint64_t>(slot.slot);
    for (unsigned lane = 0; lane < warp_size; ++lane) lanes[lane] = value(lane);
  } else {
    auto* lanes = warp.slot<std::uint32_t>(slot.slot);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const auto one = static_cast<std::uint32_t>(value(lane));
      lanes[lane] = slot.bits == 16 ? one & 0xffff : one;
    }
  }
}

std::uint64_t parameter_value(const Launch& launch, const ConstantSlot& slot) {
  const unsigned size = ptx::bytes_of(slot.type);
  std::uint64_t value = 0;
  std::memcpy(&value, launch.parameters.data() + slot.value, size);
  if (ptx::is_signed(slot.type) && size < 8) {
    const unsigned unused = 64 - 8 * size;
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
  }
  return value;
}

/// A value that all lanes of all warps have; false for kinds that differ.
bool launch_value(const Launch& launch, const ConstantSlot& slot, std::uint64_t& value) {
  switch (slot.kind) {
    case Kind::immediate:
      value = slot.value;
      return true;
    case Kind::parameter:
      value = parameter_value(launch, slot);
      return true;
    case Kind::parameter_base:
      value = launch.parameters_address + slot.value;
      return true;
    case Kind::variable:
      value = launch.variable_addresses[static_cast<std::size_t>(slot.value)] +
              static_cast<std::uint64_t>(slot.offset);
      return true;
    case Kind::ntid_x:
      value = launch.block.x;
      return true;
    case Kind::ntid_y:
      value = launch.block.y;
      return true;
    case Kind::ntid_z:
      value = launch.block.z;
      return true;
    case Kind::nctaid_x:
      value = launch.grid.x;
      return true;
    case Kind::nctaid_y:
      value = launch.grid.y;
      return true;
    case Kind::nctaid_z:
      value = launch.grid.z;
      return true;
    case Kind::nwarpid:
      value = (launch.block.count() + warp_size - 1) / warp_size;
      return true;
    case Kind::nsmid:
      value = launch.multiprocessors;
      return true;
    case Kind::gridid:
      value = 1;
      return true;
    case Kind::dynamic_shared_size:
      value = launch.dynamic_shared_bytes;
      return true;
    case Kind::total_shared_size:
      value = launch.shared_bytes();
      return true;
    default:
      return false;
  }
}

}  // namespace

void fill_launch_constants(const Launch& launch, const Warp& warp) {
  const std::uint64_t first = std::uint64_t{warp.index} * warp_size;
  const Dim3 block = launch.block;
  for (const ConstantSlot& slot : launch.kernel->constants) {
    std::uint64_t value = 0;
    if (launch_value(launch, slot, value)) {
      fill(warp, slot, value);
      continue;
    }
    switch (slot.kind) {
      case Kind::tid_x:
        fill_each(warp, slot, [&](unsigned lane) { return (first + lane) % block.x; });
        break;
      case Kind::tid_y:
        fill_each(warp, slot, [&](unsigned lane) { return (first + lane) / block.x % block.y; });
        break;
      case Kind::tid_z:
        fill_each(warp, slot, [&](unsigned lane) { return (first + lane) / block.x / block.y; });
        break;
      case Kind::laneid:
        fill_each(warp, slot, [](unsigned lane) { return std::uint64_t{lane}; });
        break;
      case Kind::warpid:
        fill(warp, slot, warp.index);
        break;
      case Kind::lanemask_eq:
        fill_each(warp, slot, [](unsigned lane) { return std::uint64_t{1} << lane; });
        break;
      case Kind::lanemask_lt:
        fill_each(warp, slot, [](unsigned lane) { return (std::uint64_t{1} << lane) - 1; });
        break;
      case Kind::lanemask_le:
        fill_each(warp, slot, [](unsigned lane) { return (std::uint64_t{2} << lane) - 1; });
        break;
      case Kind::lanemask_ge:
        fill_each(warp, slot,
                  [](unsigned lane) { return full_mask & ~((std::uint64_t{1} << lane) - 1); });
        break;
      case Kind::lanemask_gt:
        fill_each(warp, slot,
                  [](unsigned lane) { return full_mask & ~((std::uint64_t{2} << lane) - 1); });
        break;
      default:
        break;
    }
  }
}

void fill_block_constants(const Launch& launch, const Warp& warp, std::uint64_t block_index) {
  const Dim3 place = launch.block_at(block_index);
  for (const ConstantSlot& slot : launch.block_constants) {
    if (slot.kind == Kind::ctaid_x) fill(warp, slot, place.x);
    if (slot.kind == Kind::ctaid_y) fill(warp, slot, place.y);
    if (slot.kind == Kind::ctaid_z) fill(warp, slot, place.z);
    if (slot.kind == Kind::smid) fill(warp, slot, block_index % launch.multiprocessors);
  }
}

std::uint32_t lanes_of_warp(const Launch& launch, std::uint32_t warp_index) {
  const std::uint64_t rest = launch.block.count() - std::uint64_t{warp_index} * warp_size;
  return rest >= warp_size ? full_mask : (std::uint32_t{1} << rest) - 1;
}

}  // namespace sweep
