// cp.async, bulk copies, mbarriers, ldmatrix and stmatrix.

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/emulator/machine/block_run.h"
#include "engine/emulator/machine/grid_run.h"

namespace sweep {
namespace {

/// An mbarrier's 64 bits: what a phase expects, what it still waits for, the bytes still to come
/// (PTX ISA, "Contents of the mbarrier object"; how they are packed is nobody's business).
struct [[gnu::may_alias]] MbarrierState {
  std::uint64_t expected : 20 = 0;
  std::uint64_t pending : 20 = 0;
  std::uint64_t bytes : 22 = 0;  ///< they may complete before they are expected: it wraps around
  bool phase : 1 = false;
  bool is_valid : 1 = false;
};
static_assert(sizeof(MbarrierState) == sizeof(std::uint64_t));

constexpr std::uint64_t count_mask = (1U << 20U) - 1;
constexpr std::uint64_t bytes_mask = (1U << 22U) - 1;

MbarrierState& state_at(std::byte* place) {
  return *reinterpret_cast<MbarrierState*>(place);
}

void advance(MbarrierState& state) {
  if (state.pending != 0 || state.bytes != 0) return;
  state.phase = !state.phase;
  state.pending = state.expected;
}

}  // namespace

void reduce_bytes(const MemoryOp& memory, std::byte* target, const std::byte* source,
                  std::uint64_t size) {
  const std::size_t element = ptx::bytes_of(memory.type);
  MemoryOp single = memory;
  single.values = {0};
  single.result = none;
  alignas(64) std::array<std::byte, std::size_t{warp_size} * 8> scratch{};
  for (std::uint64_t at = 0; at + element <= size; at += element) {
    std::memset(scratch.data(), 0, 8);
    std::memcpy(scratch.data(), source + at, element);
    update_lanes({single, scratch.data(), &at, reinterpret_cast<std::uintptr_t>(target), 1, true});
  }
}

/// One lane's place in any space, checked; for what moves ranges of bytes.
std::byte* AccessUnit::bytes_at(unsigned lane, ptx::Space space, std::uint64_t address,
                                std::uint64_t count, bool is_load) {
  const bool may_be_shared = space == ptx::Space::generic || space == ptx::Space::shared;
  if (may_be_shared && address - shared_window < window_size) {
    space = ptx::Space::shared;
    address -= shared_window;
  }
  if (space == ptx::Space::shared) {
    if (!is_inside(address, count, shared_bytes_)) {
      fail(lane, "out of bounds: {} bytes at byte {} of shared memory, of which the block has {}",
           count, address, shared_bytes_);
    }
    if (undefined_ != nullptr && !is_load) undefined_->define({true, address}, count);
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
    fail(lane, "out of bounds: {} bytes at {}", count, where);
  }
  const std::uint64_t begin = address - allocation->base;
  touch(*allocation, &begin, count, 1, !is_load);
  if (allocation->written != nullptr && is_load && !allocation->is_initialised &&
      !allocation->written->all(begin, count)) {
    fail(lane, "it reads bytes of {} that nothing wrote", allocation->name);
  }
  if (!is_load) {
    check_writable(lane, *allocation, address);
    if (allocation->written != nullptr) allocation->written->set(begin, count);
  }
  return allocation->host + begin;
}

void AccessUnit::async_copy(std::uint32_t mask) {
  const std::uint32_t size = memory_->copy_bytes;
  ++writes_;
  WarpAccess from = {addresses_of(memory_->address), mask, size};
  const Addresses to = addresses_of(memory_->to_address);
  for_each_lane(mask, [&](unsigned lane) {
    std::uint64_t wanted = size;
    if (memory_->size != none) {
      wanted = std::min<std::uint64_t>(wanted, warp_->value(memory_->size, 32, lane));
    }
    const bool ignores = memory_->ignore_source != none &&
                         (warp_->predicate(memory_->ignore_source) >> lane & 1) != 0;
    if (ignores) wanted = 0;
    if (to[lane] % size != 0 || (wanted != 0 && from.address[lane] % size != 0)) {
      fail(lane, "misaligned address: a copy of {} bytes from {:#x} to {:#x}", size,
           from.address[lane], to[lane]);
    }
    check_base(lane, to[lane] % shared_window, size, false);
    std::byte* target = bytes_at(lane, ptx::Space::shared, to[lane], size, false);
    std::memset(target, 0, size);
    if (wanted == 0) {
      from.active &= ~bit_of(lane);
    } else {
      std::memcpy(target, bytes_at(lane, ptx::Space::global, from.address[lane], wanted, true),
                  wanted);
    }
    note_shared(to[lane] % shared_window, size, lane, AccessKind::store, target);
  });
  const bool is_countable = size == 4 || size == 8 || size == 16;
  if (from.active != 0 && is_countable) {
    count_access(from, spread_of(from.address.data(), from.active), AccessKind::load,
                 ptx::Space::global);
  }
}

void AccessUnit::bulk_copy(std::uint32_t mask) {
  ++writes_;
  const Addresses from = addresses_of(memory_->address);
  const Addresses to = addresses_of(memory_->to_address);
  for_each_lane(mask, [&](unsigned lane) {
    constexpr std::uint64_t step = 16;
    const std::uint64_t size = warp_->value(memory_->size, 32, lane);
    if (from[lane] % step != 0 || to[lane] % step != 0 || size % step != 0) {
      fail(lane,
           "misaligned address: a bulk copy of {} bytes from {:#x} to {:#x}; all three "
           "are multiples of 16",
           size, from[lane], to[lane]);
    }
    if (size == 0) return;
    check_base(lane, to[lane] % shared_window, size, false);
    const std::byte* source = bytes_at(lane, memory_->space, from[lane], size, true);
    std::byte* target = bytes_at(lane, memory_->to_space, to[lane], size, false);
    if (memory_->is_reduction) {
      reduce_bytes(*memory_, target, source, size);
    } else {
      std::memmove(target, source, size);
    }
    if (memory_->to_space == ptx::Space::shared) {
      note_shared(to[lane] % shared_window, size, lane, AccessKind::store, target);
    }
    complete_bytes(lane, size);
  });
}

/// Tells the copy's mbarrier, if it has one, that so many bytes have come.
void AccessUnit::complete_bytes(unsigned lane, std::uint64_t bytes) {
  if (memory_->barrier.slot == none) return;
  const std::uint64_t key =
      mbarrier_at(memory_->barrier, ptx::Space::shared, lane, MbarrierMode::complete_tx);
  MbarrierState& state = state_at(shared_.data() + key);
  state.bytes = (state.bytes - bytes) & bytes_mask;
  advance(state);
  if (races_ != nullptr) races_->release_to(key, warp_->index);
}

/// What lies there may look like one, left from the block before or overwritten by plain stores.
/// Its place in shared memory.
std::uint64_t AccessUnit::mbarrier_at(const AddressOperand& address, ptx::Space space,
                                      unsigned lane, MbarrierMode mode) {
  const std::uint64_t place = addresses_of(address)[lane];
  if (place % 8 != 0) fail(lane, "misaligned address: an mbarrier at {:#x}", place);
  if (space == ptx::Space::generic && place - shared_window >= window_size) {
    fail(lane, "an mbarrier lies in shared memory, not at {:#x}", place);
  }
  std::byte* const bytes = bytes_at(lane, space, place, 8, true);
  const auto key = static_cast<std::uint64_t>(bytes - shared_.data());
  const bool is_known =
      state_at(bytes).is_valid && (!launch_.checks_kernel || mbarriers_.contains(key));
  const bool is_initialised = mode == MbarrierMode::init;
  if (!is_known && !is_initialised) fail(lane, "it uses an mbarrier that is not initialised");
  if (is_known && is_initialised && launch_.checks_kernel) {
    fail(lane,
         "it initialises the mbarrier at {}, which is initialised already: "
         "mbarrier.inval comes first",
         describe_shared_byte(kernel_, key));
  }
  if (launch_.checks_kernel && is_initialised) mbarriers_.insert(key);
  if (mode == MbarrierMode::invalidate) mbarriers_.erase(key);
  return key;
}

void AccessUnit::mbarrier(unsigned lane) {
  const MbarrierOp& barrier = kernel_.mbarriers[op_->detail];
  const std::uint64_t value =
      barrier.value == none ? 1 : warp_->value(barrier.value, barrier.value_bits, lane);
  if (barrier.mode == MbarrierMode::pending_count) {
    warp_->slot<std::uint32_t>(barrier.d)[lane] =
        static_cast<std::uint32_t>(std::bit_cast<MbarrierState>(value).pending);
    return;
  }
  const std::uint64_t key = mbarrier_at(barrier.address, barrier.space, lane, barrier.mode);
  MbarrierState& state = state_at(shared_.data() + key);
  const auto before = std::bit_cast<std::uint64_t>(state);
  if (barrier.mode == MbarrierMode::wait || barrier.mode == MbarrierMode::wait_parity) {
    const bool phase = barrier.mode == MbarrierMode::wait
                           ? std::bit_cast<MbarrierState>(value).phase
                           : (value & 1) != 0;
    const bool holds = phase != state.phase;
    warp_->set_predicate(barrier.d, bit_of(lane), holds ? full_mask : 0);
    if (holds && races_ != nullptr) races_->acquire_from(key, warp_->index);
    if (!holds) warp_->yields = true;
    return;
  }
  ++writes_;
  const auto arrive = [&](std::uint64_t count) {
    if (barrier.d != none) warp_->slot<std::uint64_t>(barrier.d)[lane] = before;
    if (count > state.pending) {
      fail(lane, "{} arrive at an mbarrier that waits for {}", count, state.pending);
    }
    state.pending = (state.pending - count) & count_mask;
    advance(state);
    if (races_ != nullptr) races_->release_to(key, warp_->index);
  };
  switch (barrier.mode) {
    case MbarrierMode::init:
      state = {value & count_mask, value & count_mask, 0, false, true};
      note_shared(key, 8, lane, AccessKind::store, reinterpret_cast<const std::byte*>(&state));
      break;
    case MbarrierMode::invalidate:
      state = {};
      break;
    case MbarrierMode::expect_tx:
      state.bytes = (state.bytes + value) & bytes_mask;
      break;
    case MbarrierMode::complete_tx:
      state.bytes = (state.bytes - value) & bytes_mask;
      advance(state);
      break;
    case MbarrierMode::arrive:
      arrive(value);
      break;
    case MbarrierMode::arrive_expect_tx:
      state.bytes = (state.bytes + value) & bytes_mask;
      arrive(1);
      break;
    case MbarrierMode::arrive_drop:
      state.expected = (state.expected - value) & count_mask;
      arrive(value);
      break;
    case MbarrierMode::async_arrive:
      // The copies are complete already; without .noinc the arrival adds itself first.
      if (barrier.is_without_increment) arrive(1);
      break;
    default:
      break;
  }
}

void AccessUnit::require_whole_warp(std::uint32_t mask) const {
  if (mask == full_mask) return;
  fail(lowest_lane(mask), "all lanes of a warp execute it together, but some are elsewhere");
}

void AccessUnit::multiply_matrices(std::uint32_t mask) {
  require_whole_warp(mask);
  const MatrixOp& op = kernel_.matrix_products[op_->detail];
  MatrixProduct product = op.product;
  product.a = op.a.data();
  product.b = op.b.data();
  product.c = op.c.data();
  product.d = op.d.data();
  op.multiply(product, warp_->registers);
}

/// A row of a matrix is 16 bytes at the address of lane 8 * matrix + row; lane t gets elements
/// 2 * (t % 4) and the next of row t / 4, or of the transposed matrix. One request; every matrix is
/// a group of lanes of its own.
void AccessUnit::move_matrices(std::uint32_t mask, bool is_load) {
  if (!is_load) ++writes_;
  require_whole_warp(mask);
  constexpr unsigned rows = 8;
  constexpr std::uint32_t row_bytes = 16;
  const AccessKind kind = is_load ? AccessKind::load : AccessKind::store;
  WarpAccess access = {addresses_of(memory_->address), 0, row_bytes};
  for (unsigned matrix = 0; matrix < memory_->matrices; ++matrix) {
    std::array<std::array<std::uint16_t, rows>, rows> elements{};
    auto* slot = warp_->slot<std::uint32_t>(memory_->values[matrix]);
    const auto element_of = [&](unsigned lane, unsigned part) -> std::uint16_t& {
      const unsigned row = lane / 4;
      const unsigned column = 2 * (lane % 4) + part;
      return memory_->is_transposed ? elements.at(column).at(row) : elements.at(row).at(column);
    };
    for (unsigned lane = 0; lane < warp_size && !is_load; ++lane) {
      element_of(lane, 0) = static_cast<std::uint16_t>(slot[lane]);
      element_of(lane, 1) = static_cast<std::uint16_t>(slot[lane] >> 16);
    }
    access.active = 0xffU << (rows * matrix);
    for_each_lane(access.active, [&](unsigned lane) {
      const std::uint64_t address = access.address[lane];
      if (address % row_bytes != 0) {
        fail(lane, "misaligned address: a row of 16 bytes at {:#x}", address);
      }
      check_base(lane, address % shared_window, row_bytes, is_load);
      std::byte* place = bytes_at(lane, ptx::Space::shared, address, row_bytes, is_load);
      auto* row = elements.at(lane % rows).data();
      if (is_load) {
        std::memcpy(row, place, row_bytes);
      } else {
        std::memcpy(place, row, row_bytes);
      }
      note_shared(static_cast<std::uint64_t>(place - shared_.data()), row_bytes, lane, kind, place);
    });
    for (unsigned lane = 0; lane < warp_size && is_load; ++lane) {
      slot[lane] = element_of(lane, 0) | std::uint32_t{element_of(lane, 1)} << 16;
    }
    if (!launch_.is_kernel()) continue;
    SharedCount count = count_shared(launch_.model, access, kind);
    if (matrix != 0) count.requests = 0;
    count_.sites[op_->detail].shared += count;
    if (launch_.notes_shapes) note_shape(access, {count.wavefronts, count.ideal});
  }
}

}  // namespace sweep
