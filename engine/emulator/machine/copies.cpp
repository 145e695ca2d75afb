// cp.async, bulk copies, mbarriers, ldmatrix and stmatrix.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/emulator/machine/access_unit.h"
#include "engine/emulator/machine/lane_loop.h"
#include "engine/emulator/machine/thread_place.h"

namespace sweep {
namespace {

/// An mbarrier's 64 bits: what a phase expects, what it still waits for, the bytes still to come
/// (PTX ISA, "Contents of the mbarrier object"; how they are packed is nobody's business).
struct MbarrierState {
  std::uint64_t expected = 0;
  std::uint64_t pending = 0;
  std::int64_t bytes = 0;
  std::uint64_t phase = 0;
  bool is_valid = false;
};

constexpr std::uint64_t count_bits = 20;
constexpr std::uint64_t count_mask = (1U << count_bits) - 1;
constexpr std::uint64_t bytes_bits = 22;
constexpr std::uint64_t bytes_mask = (1U << bytes_bits) - 1;

MbarrierState unpack(std::uint64_t object) {
  MbarrierState state;
  state.expected = object & count_mask;
  state.pending = object >> count_bits & count_mask;
  const std::uint64_t bytes = object >> (2 * count_bits) & bytes_mask;
  state.bytes = static_cast<std::int64_t>(bytes << (64 - bytes_bits)) >> (64 - bytes_bits);
  state.phase = object >> (2 * count_bits + bytes_bits) & 1;
  state.is_valid = object >> 63 != 0;
  return state;
}

std::uint64_t pack(const MbarrierState& state) {
  return (state.expected & count_mask) | (state.pending & count_mask) << count_bits |
         (static_cast<std::uint64_t>(state.bytes) & bytes_mask) << (2 * count_bits) |
         state.phase << (2 * count_bits + bytes_bits) | std::uint64_t{state.is_valid} << 63;
}

void advance(MbarrierState& state) {
  if (state.pending != 0 || state.bytes != 0) return;
  state.phase ^= 1U;
  state.pending = state.expected;
}

std::uint64_t lane_value(const Warp& warp, std::uint32_t slot, unsigned bits, unsigned lane) {
  return bits == 64 ? warp.slot<std::uint64_t>(slot)[lane] : warp.slot<std::uint32_t>(slot)[lane];
}

bool is_power_of_two_size(std::uint64_t bytes) {
  return bytes == 4 || bytes == 8 || bytes == 16;
}

}  // namespace

std::byte* AccessUnit::bytes_at(Warp& warp, const Op& op, unsigned lane, ptx::Space space,
                                std::uint64_t address, std::uint64_t count, Use use) {
  if (space == ptx::Space::generic && address - shared_window < window_size) {
    space = ptx::Space::shared;
    address -= shared_window;
  } else if (space == ptx::Space::shared && address - shared_window < window_size) {
    address -= shared_window;
  }
  if (space == ptx::Space::shared) {
    if (address > shared_bytes_ || count > shared_bytes_ - address) {
      fail(
          warp, op, lane,
          fmt::format("out of bounds: {} bytes at byte {} of shared memory, of which the block has "
                      "{}",
                      count, address, shared_bytes_));
    }
    if (undefined_ != nullptr && use == Use::store) undefined_->define_shared(address, count);
    return shared_.data() + address;
  }
  Allocation* allocation = launch_.memory->find(address);
  if (allocation == nullptr || !allocation->contains(address, count)) {
    const Allocation* near = launch_.memory->nearest(address);
    const std::string where =
        near == nullptr
            ? fmt::format("{:#x}", address)
            : fmt::format("byte {} of {}, which has {}",
                          static_cast<std::int64_t>(address - near->base), near->name, near->bytes);
    fail(warp, op, lane, fmt::format("out of bounds: {} bytes at {}", count, where));
  }
  const std::uint64_t begin = address - allocation->base;
  if (allocation->lazy != nullptr) allocation->lazy->ensure(&begin, count, 1);
  if (allocation->meetings != nullptr && launch_.is_kernel()) {
    allocation->meetings->note(block_index_, begin, count, use != Use::load);
  }
  if (allocation->written != nullptr && use == Use::load && !allocation->is_initialised &&
      !allocation->written->all(begin, count)) {
    fail(warp, op, lane, fmt::format("it reads bytes of {} that nothing wrote", allocation->name));
  }
  if (use != Use::load) {
    if (!allocation->why_read_only.empty()) fail_read_only(warp, op, lane, *allocation, address);
    if (allocation->written != nullptr) allocation->written->set(begin, count);
  }
  return allocation->host + begin;
}

void AccessUnit::async_copy(Warp& warp, const Op& op, std::uint32_t mask) {
  const MemoryOp& memory = kernel_.memory[op.detail];
  ++order_;
  ++writes_;
  WarpAccess from;
  std::array<std::uint64_t, warp_size> to{};
  fill_addresses(warp, memory.address, from.address.data());
  fill_addresses(warp, memory.to_address, to.data());
  from.width = memory.copy_bytes;
  std::uint32_t reading = mask;
  for_each_lane(mask, [&](unsigned lane) {
    std::uint64_t wanted = memory.copy_bytes;
    if (memory.size != none) {
      wanted = std::min<std::uint64_t>(wanted, lane_value(warp, memory.size, 32, lane));
    }
    const bool ignores = memory.ignore_source != none &&
                         (*warp.slot<std::uint32_t>(memory.ignore_source) >> lane & 1) != 0;
    if (ignores) wanted = 0;
    if (to[lane] % memory.copy_bytes != 0 ||
        (wanted != 0 && from.address[lane] % memory.copy_bytes != 0)) {
      fail(warp, op, lane,
           fmt::format("misaligned address: a copy of {} bytes from {:#x} to {:#x}",
                       memory.copy_bytes, from.address[lane], to[lane]));
    }
    if (launch_.checks_kernel && memory.shared_base != none) {
      check_base(warp, op, lane, to[lane] % shared_window, memory.copy_bytes, Use::store);
    }
    std::byte* target =
        bytes_at(warp, op, lane, ptx::Space::shared, to[lane], memory.copy_bytes, Use::store);
    std::memset(target, 0, memory.copy_bytes);
    if (wanted == 0) {
      reading &= ~(std::uint32_t{1} << lane);
    } else {
      std::memcpy(
          target,
          bytes_at(warp, op, lane, ptx::Space::global, from.address[lane], wanted, Use::load),
          wanted);
    }
    if (races_ != nullptr) {
      note_shared(warp, op, to[lane] % shared_window, memory.copy_bytes, lane,
                  RaceDetector::Access::write, target);
    }
  });
  from.active = reading;
  if (launch_.is_kernel() && reading != 0 && is_power_of_two_size(from.width)) {
    count_global(op, from, spread_of(from.address.data(), reading), Use::load);
  }
}

void AccessUnit::bulk_copy(Warp& warp, const Op& op, std::uint32_t mask) {
  const MemoryOp& memory = kernel_.memory[op.detail];
  ++order_;
  ++writes_;
  std::array<std::uint64_t, warp_size> from{};
  std::array<std::uint64_t, warp_size> to{};
  fill_addresses(warp, memory.address, from.data());
  fill_addresses(warp, memory.to_address, to.data());
  for_each_lane(mask, [&](unsigned lane) {
    constexpr std::uint64_t step = 16;
    const std::uint64_t size = lane_value(warp, memory.size, 32, lane);
    if (from[lane] % step != 0 || to[lane] % step != 0 || size % step != 0) {
      fail(warp, op, lane,
           fmt::format("misaligned address: a bulk copy of {} bytes from {:#x} to {:#x}; all three "
                       "are multiples of 16",
                       size, from[lane], to[lane]));
    }
    if (size == 0) return;
    if (launch_.checks_kernel && memory.shared_base != none) {
      check_base(warp, op, lane, to[lane] % shared_window, size, Use::store);
    }
    const std::byte* source = bytes_at(warp, op, lane, memory.space, from[lane], size, Use::load);
    std::byte* target = bytes_at(warp, op, lane, memory.to_space, to[lane], size, Use::store);
    if (memory.is_reduction) {
      reduce_bytes(memory, target, source, size);
    } else {
      std::memmove(target, source, size);
    }
    if (races_ != nullptr && memory.to_space == ptx::Space::shared) {
      note_shared(warp, op, to[lane] % shared_window, static_cast<std::uint32_t>(size), lane,
                  RaceDetector::Access::write, target);
    }
    if (memory.barrier.slot == none) return;
    std::uint64_t key = 0;
    std::uint64_t* object = mbarrier_at(warp, op, memory.barrier, ptx::Space::shared, lane, key);
    check_mbarrier(warp, op, lane, key, MbarrierMode::complete_tx, unpack(*object).is_valid);
    complete_bytes(*object, static_cast<std::int64_t>(size));
    if (races_ != nullptr) races_->release_to(key, warp.index);
  });
}

/// cp.reduce.async.bulk: element after element, as one lane's atomics.
void AccessUnit::reduce_bytes(const MemoryOp& memory, std::byte* target, const std::byte* source,
                              std::uint64_t size) {
  const std::size_t element = ptx::bytes_of(memory.type);
  MemoryOp single = memory;
  single.values = {0};
  single.result = none;
  alignas(64) std::array<std::byte, std::size_t{warp_size} * 8> scratch{};
  Warp one;
  one.registers = scratch.data();
  for (std::uint64_t at = 0; at + element <= size; at += element) {
    std::memset(scratch.data(), 0, 8);
    std::memcpy(scratch.data(), source + at, element);
    WarpAccess place;
    place.active = 1;
    place.address[0] = at;
    atomic_lanes(one, single, place, reinterpret_cast<std::uintptr_t>(target), true);
  }
}

std::uint64_t* AccessUnit::mbarrier_at(Warp& warp, const Op& op, const AddressOperand& address,
                                       ptx::Space space, unsigned lane, std::uint64_t& key) {
  std::array<std::uint64_t, warp_size> places{};
  fill_addresses(warp, address, places.data());
  const std::uint64_t place = places.at(lane);
  if (place % 8 != 0) {
    fail(warp, op, lane, fmt::format("misaligned address: an mbarrier at {:#x}", place));
  }
  if (space == ptx::Space::generic && place - shared_window >= window_size) {
    fail(warp, op, lane, fmt::format("an mbarrier lies in shared memory, not at {:#x}", place));
  }
  std::byte* bytes = bytes_at(warp, op, lane, space, place, 8, Use::load);
  key = static_cast<std::uint64_t>(bytes - shared_.data());
  return reinterpret_cast<std::uint64_t*>(bytes);
}

void AccessUnit::complete_bytes(std::uint64_t& object, std::int64_t bytes) {
  MbarrierState state = unpack(object);
  state.bytes -= bytes;
  advance(state);
  object = pack(state);
}

/// `is_valid`: what lies there looks like one. One may be left from the block before, or plain
/// stores may have written over it.
void AccessUnit::check_mbarrier(const Warp& warp, const Op& op, unsigned lane, std::uint64_t key,
                                MbarrierMode mode, bool is_valid) {
  const bool is_known = is_valid && (!launch_.checks_kernel || mbarriers_.contains(key));
  if (mode != MbarrierMode::init) {
    if (!is_known) fail(warp, op, lane, "it uses an mbarrier that is not initialised");
    if (mode == MbarrierMode::invalidate) mbarriers_.erase(key);
    return;
  }
  if (!launch_.checks_kernel) return;
  if (is_known) {
    fail(warp, op, lane,
         fmt::format("it initialises the mbarrier at {}, which is initialised already: "
                     "mbarrier.inval comes first",
                     describe_shared_byte(kernel_, key)));
  }
  mbarriers_.insert(key);
}

void AccessUnit::mbarrier(Warp& warp, const Op& op, std::uint32_t mask) {
  const MbarrierOp& barrier = kernel_.mbarriers[op.detail];
  ++order_;
  for_each_lane(mask, [&](unsigned lane) { mbarrier_lane(warp, op, barrier, lane); });
}

void AccessUnit::mbarrier_lane(Warp& warp, const Op& op, const MbarrierOp& barrier, unsigned lane) {
  const std::uint64_t value =
      barrier.value == none ? 1 : lane_value(warp, barrier.value, barrier.value_bits, lane);
  if (barrier.mode == MbarrierMode::pending_count) {
    warp.slot<std::uint32_t>(barrier.d)[lane] = static_cast<std::uint32_t>(unpack(value).pending);
    return;
  }
  std::uint64_t key = 0;
  std::uint64_t& object = *mbarrier_at(warp, op, barrier.address, barrier.space, lane, key);
  MbarrierState state = unpack(object);
  check_mbarrier(warp, op, lane, key, barrier.mode, state.is_valid);
  const auto set_predicate = [&](bool holds) {
    std::uint32_t& p = *warp.slot<std::uint32_t>(barrier.d);
    p = (p & ~(std::uint32_t{1} << lane)) | (std::uint32_t{holds} << lane);
    if (holds && races_ != nullptr) races_->acquire_from(key, warp.index);
    if (!holds) warp.yields = true;
  };
  const auto arrive = [&](std::uint64_t count) {
    if (barrier.d != none) warp.slot<std::uint64_t>(barrier.d)[lane] = object;
    if (count > state.pending) {
      fail(warp, op, lane,
           fmt::format("{} arrive at an mbarrier that waits for {}", count, state.pending));
    }
    state.pending -= count;
    advance(state);
    if (races_ != nullptr) races_->release_to(key, warp.index);
  };
  switch (barrier.mode) {
    case MbarrierMode::init:
      state = {};
      state.expected = value & count_mask;
      state.pending = value & count_mask;
      state.is_valid = true;
      if (races_ != nullptr) {
        const auto initial = std::bit_cast<std::array<std::byte, 8>>(pack(state));
        note_shared(warp, op, key, 8, lane, RaceDetector::Access::write, initial.data());
      }
      break;
    case MbarrierMode::invalidate:
      state = {};
      break;
    case MbarrierMode::expect_tx:
      state.bytes += static_cast<std::int64_t>(value);
      break;
    case MbarrierMode::complete_tx:
      state.bytes -= static_cast<std::int64_t>(value);
      advance(state);
      break;
    case MbarrierMode::arrive:
      arrive(value);
      break;
    case MbarrierMode::arrive_expect_tx:
      state.bytes += static_cast<std::int64_t>(value);
      arrive(1);
      break;
    case MbarrierMode::arrive_drop:
      state.expected -= value;
      arrive(value);
      break;
    case MbarrierMode::async_arrive:
      // The copies are complete already; without .noinc the arrival adds itself first.
      if (barrier.is_without_increment) arrive(1);
      break;
    case MbarrierMode::test_wait:
    case MbarrierMode::try_wait:
      set_predicate(unpack(value).phase != state.phase);
      return;
    case MbarrierMode::test_wait_parity:
    case MbarrierMode::try_wait_parity:
      set_predicate((value & 1) != state.phase);
      return;
    case MbarrierMode::pending_count:
      return;
  }
  object = pack(state);
  ++writes_;
}

/// A row of a matrix is 16 bytes at the address of lane 8 * matrix + row; lane t gets elements
/// 2 * (t % 4) and the next of row t / 4, or of the transposed matrix.
void AccessUnit::load_matrix(Warp& warp, const Op& op, std::uint32_t mask) {
  move_matrices(warp, op, mask, true);
}

void AccessUnit::store_matrix(Warp& warp, const Op& op, std::uint32_t mask) {
  move_matrices(warp, op, mask, false);
}

void AccessUnit::move_matrices(Warp& warp, const Op& op, std::uint32_t mask, bool is_load) {
  const MemoryOp& memory = kernel_.memory[op.detail];
  ++order_;
  if (!is_load) ++writes_;
  if (mask != full_mask) {
    fail(warp, op, static_cast<unsigned>(std::countr_zero(mask)),
         "all lanes of a warp execute it together, but some are elsewhere");
  }
  constexpr unsigned rows = 8;
  constexpr std::uint64_t row_bytes = 16;
  WarpAccess access;
  fill_addresses(warp, memory.address, access.address.data());
  access.width = row_bytes;
  for (unsigned matrix = 0; matrix < memory.matrices; ++matrix) {
    std::array<std::array<std::uint16_t, rows>, rows> elements{};
    auto* slot = warp.slot<std::uint32_t>(memory.values[matrix]);
    const auto element_of = [&](unsigned lane, unsigned part) -> std::uint16_t& {
      const unsigned row = lane / 4;
      const unsigned column = 2 * (lane % 4) + part;
      return memory.is_transposed ? elements.at(column).at(row) : elements.at(row).at(column);
    };
    if (!is_load) {
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        element_of(lane, 0) = static_cast<std::uint16_t>(slot[lane]);
        element_of(lane, 1) = static_cast<std::uint16_t>(slot[lane] >> 16);
      }
    }
    access.active = 0xffU << (rows * matrix);
    for (unsigned row = 0; row < rows; ++row) {
      const unsigned lane = matrix * rows + row;
      const std::uint64_t address = access.address[lane];
      if (address % row_bytes != 0) {
        fail(warp, op, lane,
             fmt::format("misaligned address: a row of 16 bytes at {:#x}", address));
      }
      if (launch_.checks_kernel && memory.shared_base != none) {
        check_base(warp, op, lane, address % shared_window, row_bytes,
                   is_load ? Use::load : Use::store);
      }
      std::byte* place = bytes_at(warp, op, lane, ptx::Space::shared, address, row_bytes,
                                  is_load ? Use::load : Use::store);
      if (is_load) {
        std::memcpy(elements.at(row).data(), place, row_bytes);
      } else {
        std::memcpy(place, elements.at(row).data(), row_bytes);
      }
      if (races_ != nullptr) {
        note_shared(warp, op, static_cast<std::uint64_t>(place - shared_.data()), row_bytes, lane,
                    is_load ? RaceDetector::Access::read : RaceDetector::Access::write, place);
      }
    }
    if (is_load) {
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        slot[lane] = element_of(lane, 0) | std::uint32_t{element_of(lane, 1)} << 16;
      }
    }
    count_matrix(op, access, matrix == 0, is_load);
  }
}

/// One request; every matrix is a group of lanes of its own.
void AccessUnit::count_matrix(const Op& op, const WarpAccess& access, bool is_first, bool is_load) {
  if (!launch_.is_kernel()) return;
  const AccessKind kind = is_load ? AccessKind::load : AccessKind::store;
  SharedCount matrix = sweep::count_shared(launch_.model, access, kind);
  if (!is_first) matrix.requests = 0;
  count_.sites[op.detail].shared += matrix;
  if (launch_.notes_shapes) count_.shapes[op.detail].note(access);
}

}  // namespace sweep
