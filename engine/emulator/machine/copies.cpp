// cp.async, bulk copies, mbarriers, ldmatrix and stmatrix.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

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

/// Whether its phase completes.
bool advance(MbarrierState& state) {
  if (state.pending != 0 || state.bytes != 0) return false;
  state.phase = !state.phase;
  state.pending = state.expected;
  return true;
}

/// The phase that a wait waits for, by the state or the parity that it is given.
bool awaited_phase(const MbarrierOp& barrier, std::uint64_t value) {
  return barrier.mode == MbarrierMode::wait ? std::bit_cast<MbarrierState>(value).phase
                                            : (value & 1) != 0;
}

/// The bytes that are still expected, or, below 0, have come and are not expected.
std::int64_t signed_bytes(const MbarrierState& state) {
  constexpr std::uint64_t half = (bytes_mask + 1) / 2;
  return static_cast<std::int64_t>((state.bytes + half) & bytes_mask) -
         static_cast<std::int64_t>(half);
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
  const bool is_in_window = space == ptx::Space::generic && in_window(address) != address;
  if (is_in_window || space == ptx::Space::shared) {
    return shared_place(lane, in_window(address), count, is_load, is_in_window).bytes();
  }
  Allocation*& allocation = last_[op_->detail];
  if (allocation == nullptr || !allocation->contains(address, count)) {
    allocation = launch_.memory->find(address);
  }
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
  check_order(*allocation, lane, begin, count, !is_load);
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
  const CopiesInFlight::Groups& groups = copies_->groups(false, racer(*warp_));
  CopyInFlight* copy = nullptr;
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
    check_base(lane, own_offset(to[lane]), size, false);
    if (memory_->moves_no_data) {
      if (wanted == 0) from.active &= ~bit_of(lane);
      return;
    }
    const SharedPlace place = shared_place(lane, in_window(to[lane]), size, false, false);
    std::byte* source = nullptr;
    if (wanted == 0) {
      from.active &= ~bit_of(lane);
    } else {
      source = bytes_at(lane, ptx::Space::global, from.address[lane], wanted, true);
    }
    if (copy == nullptr || copy->group != groups.at(lane)) {
      copy = &begin_copy(copies_->of_lanes(racer(*warp_)));
      copy->group = groups.at(lane);
    }
    copy->lanes |= bit_of(lane);
    copy->rows.push_back({source, static_cast<std::uint32_t>(place.offset), size,
                          static_cast<std::uint32_t>(wanted), 0, static_cast<std::uint8_t>(lane)});
    begin_writing(lane, {place.address(), size});
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
    const bool is_load = memory_->to_space == ptx::Space::shared;
    const std::uint64_t other = is_load ? from[lane] : to[lane];
    std::byte* const outer =
        bytes_at(lane, is_load ? memory_->space : memory_->to_space, other, size, is_load);
    const std::vector<SharedPlace> places =
        is_load ? places_of_copy(lane, in_window(to[lane]), size)
                : std::vector{shared_place(lane, in_window(from[lane]), size, true, false)};
    for (const SharedPlace& place : places) {
      if (is_load) check_base(lane, place.offset, size, false);
      const auto bytes = static_cast<std::uint32_t>(size);
      CopyInFlight& copy = begin_bulk_copy(lane, bytes, place);
      copy.is_load = is_load;
      copy.type = memory_->type;
      (is_load ? copy.written : copy.read) = CopyInFlight::Range{place.address(), size};
      const bool is_within = is_load && memory_->space == ptx::Space::shared;
      if (is_within) copy.read = {rank_ * shared_bytes_ + own_offset(from[lane]), size};
      copy.rows.push_back({outer, static_cast<std::uint32_t>(place.offset), bytes, bytes, 0,
                           static_cast<std::uint8_t>(lane)});
      note_bulk_copy(lane, copy);
    }
  });
}

/// The copies and arrivals that an mbarrier waits for are done, in their order, until its phase
/// completes.
void AccessUnit::complete_copies(const SharedPlace& mbarrier) {
  const std::uint64_t key = mbarrier.address();
  MbarrierState& state = state_at(mbarrier.bytes());
  const bool phase = state.phase;
  for (CopyInFlight& copy : copies_->bulk().all()) {
    if (copy.told != CopyInFlight::Told::by_mbarrier || copy.mbarrier != key) continue;
    if (copy.memory != nullptr) {
      land(copy, copy.lanes, key);
      state.bytes = (state.bytes - copy.transaction) & bytes_mask;
    } else {
      CopyList& before = copies_->of_lanes(copy.warp);
      for (CopyInFlight& earlier : before.all()) {
        if (earlier.order < copy.order) land(earlier, earlier.lanes & copy.lanes, key);
      }
      before.drop_done();
      const auto count = static_cast<unsigned>(std::popcount(std::exchange(copy.lanes, 0)));
      if (count > state.pending) {
        fail_copy(copy, fmt::format("{} arrive at an mbarrier that waits for {}", count,
                                    std::uint64_t{state.pending}));
      }
      state.pending = (state.pending - count) & count_mask;
    }
    if (advance(state) && races_ != nullptr) races_->complete_phase(key);
    if (state.phase != phase) break;
  }
  copies_->bulk().drop_done();
}

/// The mbarriers that threads have waited for in vain, and what these lack.
std::string AccessUnit::describe_waits() const {
  std::string text;
  for (const auto& [offset, use] : mbarriers_) {
    if (!use.is_waited_for) continue;
    const MbarrierState& state = state_at(shared_.data() + offset);
    const std::int64_t bytes = signed_bytes(state);
    std::string lack;
    if (bytes != 0) {
      lack = fmt::format(
          "its copies bring {} bytes {} than {}", std::abs(bytes), bytes > 0 ? "fewer" : "more",
          use.expects == none ? "it expects"
                              : "expected at " + describe_instruction(kernel_, use.expects));
    } else if (state.pending != 0) {
      lack = fmt::format("it waits for {} more to arrive", std::uint64_t{state.pending});
    } else {
      continue;
    }
    text += fmt::format("; the mbarrier at {}: {}", describe_shared_byte(kernel_, offset), lack);
  }
  return text;
}

AccessUnit::SharedPlace AccessUnit::mbarrier_at(const AddressOperand& address, ptx::Space space,
                                                bool is_of_cluster, unsigned lane) {
  const std::uint64_t place = address_of(address, lane);
  if (place % 8 != 0) fail(lane, "misaligned address: an mbarrier at {:#x}", place);
  if (space == ptx::Space::generic && in_window(place) == place) {
    fail(lane, "an mbarrier lies in shared memory, not at {:#x}", place);
  }
  return shared_place(lane, in_window(place), 8, true, is_of_cluster);
}

/// What lies there may look like one, left from the block before or overwritten by plain stores.
void AccessUnit::check_initialised(const SharedPlace& place, MbarrierMode mode, unsigned lane) {
  std::map<std::uint64_t, MbarrierUse>& known = place.block->mbarriers_;
  const std::uint64_t key = place.offset;
  const bool is_known =
      state_at(place.bytes()).is_valid && (!launch_.checks_kernel || known.contains(key));
  const bool is_initialised = mode == MbarrierMode::init;
  if (!is_known && !is_initialised) fail(lane, "it uses an mbarrier that is not initialised");
  if (is_known && is_initialised && launch_.checks_kernel) {
    fail(lane,
         "it initialises the mbarrier at {}, which is initialised already: "
         "mbarrier.inval comes first",
         describe_shared_byte(kernel_, key));
  }
  if (is_initialised) {
    known[key] = {};
  } else {
    // Who uses it has met who initialised it; uses meet each other.
    note_shared(*place.block, key, 8, lane, AccessKind::load, nullptr, true);
  }
  if (mode == MbarrierMode::invalidate) known.erase(key);
}

/// What lanes do, one after the other. An mbarrier that several have is looked up once, and what
/// waits for the same phase of it find is the same.
void AccessUnit::use_mbarriers(std::uint32_t mask) {
  const MbarrierOp& barrier = kernel_.mbarriers[op_->detail];
  if (barrier.mode == MbarrierMode::pending_count) {
    return for_each_lane(mask, [&](unsigned lane) {
      const auto state =
          std::bit_cast<MbarrierState>(warp_->value(barrier.value, barrier.value_bits, lane));
      warp_->slot<std::uint32_t>(barrier.d)[lane] = static_cast<std::uint32_t>(state.pending);
    });
  }
  const bool waits = barrier.waits();
  const auto phase_of = [&](unsigned lane) {
    return awaited_phase(barrier, warp_->value(barrier.value, barrier.value_bits, lane));
  };
  const bool is_shared = races_ == nullptr && (waits || barrier.mode == MbarrierMode::arrive);
  while (mask != 0) {
    const unsigned first = lowest_lane(mask);
    const std::uint64_t address = address_of(barrier.address, first);
    std::uint32_t lanes = bit_of(first);
    for_each_lane(is_shared ? mask : 0, [&](unsigned lane) {
      const bool is_same = address_of(barrier.address, lane) == address &&
                           (!waits || phase_of(lane) == phase_of(first));
      if (is_same) lanes |= bit_of(lane);
    });
    const SharedPlace place = mbarrier_for(barrier, first);
    if (waits) {
      use_mbarrier(barrier, place, first, lanes);
    } else {
      for_each_lane(lanes, [&](unsigned lane) { use_mbarrier(barrier, place, lane, lanes); });
    }
    mask &= ~lanes;
  }
}

/// The mbarrier that a lane uses, if it may.
AccessUnit::SharedPlace AccessUnit::mbarrier_for(const MbarrierOp& barrier, unsigned lane) {
  const SharedPlace place =
      mbarrier_at(barrier.address, barrier.space, barrier.is_of_cluster, lane);
  const bool is_for_own = barrier.waits() || barrier.mode == MbarrierMode::init ||
                          barrier.mode == MbarrierMode::invalidate ||
                          barrier.mode == MbarrierMode::async_arrive;
  if (place.block != this && is_for_own) {
    fail(lane, "of another block's mbarrier there are arrivals and bytes alone");
  }
  if (barrier.beside.slot != none &&
      cluster_.units[rank_at(in_window(address_of(barrier.beside, lane)))] != place.block) {
    fail(lane, "its mbarrier lies in another block's shared memory than what it writes");
  }
  check_initialised(place, barrier.mode, lane);
  return place;
}

/// What a lane does; what a wait finds is for all of `lanes`.
void AccessUnit::use_mbarrier(const MbarrierOp& barrier, const SharedPlace& place, unsigned lane,
                              std::uint32_t lanes) {
  const std::uint64_t value =
      barrier.value == none ? 1 : warp_->value(barrier.value, barrier.value_bits, lane);
  MbarrierState& state = state_at(place.bytes());
  const auto before = std::bit_cast<std::uint64_t>(state);
  if (barrier.waits()) {
    const bool phase = awaited_phase(barrier, value);
    bool holds = phase != state.phase;
    if (!holds && !copies_->bulk().is_empty()) {
      complete_copies(place);
      holds = phase != state.phase;
    }
    warp_->set_predicate(barrier.d, lanes, holds ? full_mask : 0);
    if (holds && races_ != nullptr) races_->acquire_phase(place.address(), racer(*warp_));
    if (!holds) warp_->yields = true;
    mbarriers_[place.offset].is_waited_for = !holds;
    return;
  }
  ++writes_;
  const auto advance_to_waiting = [&] {
    if (advance(state) && races_ != nullptr) races_->complete_phase(place.address());
  };
  const auto arrive = [&](std::uint64_t count) {
    if (barrier.d != none) warp_->slot<std::uint64_t>(barrier.d)[lane] = before;
    if (count > state.pending) {
      fail(lane, "{} arrive at an mbarrier that waits for {}", count, state.pending);
    }
    state.pending = (state.pending - count) & count_mask;
    if (races_ != nullptr) races_->release_to(place.address(), racer(*warp_), order_);
    advance_to_waiting();
  };
  const auto expect = [&](std::uint64_t bytes) {
    state.bytes = (state.bytes + bytes) & bytes_mask;
    place.block->mbarriers_[place.offset].expects = op_->instruction;
  };
  switch (barrier.mode) {
    case MbarrierMode::init:
      state = {value & count_mask, value & count_mask, 0, false, true};
      note_shared(place.offset, 8, lane, AccessKind::store,
                  reinterpret_cast<const std::byte*>(&state));
      break;
    case MbarrierMode::invalidate:
      state = {};
      break;
    case MbarrierMode::expect_tx:
      expect(value);
      break;
    case MbarrierMode::complete_tx:
      state.bytes = (state.bytes - value) & bytes_mask;
      // What st.async has written is there for those who wait.
      if (barrier.beside.slot != none && races_ != nullptr) {
        races_->release_to(place.address(), racer(*warp_), order_);
      }
      advance_to_waiting();
      break;
    case MbarrierMode::arrive:
      arrive(value);
      break;
    case MbarrierMode::arrive_expect_tx:
      expect(value);
      arrive(1);
      break;
    case MbarrierMode::arrive_drop:
      state.expected = (state.expected - value) & count_mask;
      arrive(value);
      break;
    case MbarrierMode::async_arrive:
      // PTX ISA, "cp.async.mbarrier.arrive": without .noinc the arrival adds itself first.
      if (!barrier.is_without_increment) state.pending = (state.pending + 1) & count_mask;
      begin_arrival(lane, place.address());
      break;
    default:
      break;
  }
}

void AccessUnit::require_whole_warp(std::uint32_t mask) const {
  if (mask == full_mask) return;
  fail(lowest_lane(mask), "all lanes of a warp execute it together, but some are elsewhere");
}

/// Four bits of a sparse matrix's metadata are two indices, which differ; those of an element of 32
/// bits are 0 and 1, or 2 and 3.
void AccessUnit::check_metadata(const MatrixOp& op) const {
  const MatrixProduct& product = op.product;
  const bool is_wide = element_bits(product.a_type) == 32;
  const unsigned lanes = metadata_lanes(product.k, element_bits(product.a_type));
  const auto* const words = warp_->slot<std::uint32_t>(product.metadata);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if (lane % 4 / lanes != product.selector) continue;
    for (unsigned bit = 0; bit < 32; bit += 4) {
      const std::uint32_t both = words[lane] >> bit & 15;
      const std::uint32_t first = both & 3;
      const std::uint32_t second = both >> 2;
      const bool is_valid = is_wide         ? both == 0b0100 || both == 0b1110
                            : op.is_ordered ? first < second
                                            : first != second;
      if (!is_valid) {
        fail(lane, "its metadata are {:#010x}, of which {:#06b} names no places of elements",
             words[lane], both);
      }
    }
  }
}

void AccessUnit::multiply_matrices(std::uint32_t mask) {
  require_whole_warp(mask);
  const MatrixOp& op = kernel_.matrix_products[op_->detail];
  if (op.product.is_sparse) check_metadata(op);
  MatrixProduct product = op.product;
  product.a = op.a.data();
  product.b = op.b.data();
  product.c = op.c.data();
  product.d = op.d.data();
  op.multiply(product, warp_->registers);
}

/// The 16 bytes of shared memory that a row of a matrix has.
std::byte* AccessUnit::matrix_row(unsigned lane, std::uint64_t address, bool is_load) {
  if (address % matrix_row_bytes != 0) {
    fail(lane, "misaligned address: a row of 16 bytes at {:#x}", address);
  }
  check_base(lane, own_offset(address), matrix_row_bytes, is_load);
  return bytes_at(lane, ptx::Space::shared, address, matrix_row_bytes, is_load);
}

/// Whether rows can be read and written without a closer look.
bool AccessUnit::are_rows_plain(std::span<const std::uint64_t> addresses) const {
  if (launch_.checks_kernel) return false;
  std::uint64_t bits = 0;
  bool are_inside = true;
  for (const std::uint64_t address : addresses) {
    bits |= address;
    are_inside &= is_inside(own_offset(address), matrix_row_bytes, shared_bytes_);
  }
  return are_inside && bits % matrix_row_bytes == 0;
}

/// A row of a matrix is 16 bytes at the address of lane 8 * matrix + row; lane t gets elements
/// 2 * (t % 4) and the next of row t / 4, or of the transposed matrix. One request; every matrix is
/// a group of lanes of its own.
void AccessUnit::move_matrices(std::uint32_t mask, bool is_load) {
  if (!is_load) ++writes_;
  if (!is_load) ++cluster_.shared_writes;
  require_whole_warp(mask);
  constexpr unsigned rows = 8;
  const AccessKind kind = is_load ? AccessKind::load : AccessKind::store;
  const Addresses addresses = addresses_of(memory_->address);
  const bool are_plain =
      are_rows_plain(std::span(addresses).first(std::size_t{memory_->matrices} * rows));
  for (unsigned matrix = 0; matrix < memory_->matrices; ++matrix) {
    auto* const slot = warp_->slot<std::uint32_t>(memory_->values[matrix]);
    std::array<std::uint32_t, warp_size> words;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    if (!is_load) std::memcpy(words.data(), slot, sizeof words);
    if (!is_load && memory_->is_transposed) transpose_matrix(words.data());
    for (unsigned row = 0; row < rows; ++row) {
      const unsigned lane = matrix * rows + row;
      std::byte* const place = are_plain ? shared_.data() + own_offset(addresses[lane])
                                         : matrix_row(lane, addresses[lane], is_load);
      std::uint32_t* const own = words.data() + std::size_t{row} * 4;
      if (is_load) {
        std::memcpy(own, place, matrix_row_bytes);
      } else {
        std::memcpy(place, own, matrix_row_bytes);
      }
      if (races_ == nullptr) continue;
      note_shared(static_cast<std::uint64_t>(place - shared_.data()), matrix_row_bytes, lane, kind,
                  place);
    }
    if (is_load && memory_->is_transposed) transpose_matrix(words.data());
    if (is_load) std::memcpy(slot, words.data(), sizeof words);
    if (launch_.is_kernel()) count_matrix(addresses, matrix, kind);
  }
}

void AccessUnit::count_matrix(const Addresses& addresses, unsigned matrix, AccessKind kind) {
  constexpr unsigned rows = 8;
  constexpr std::uint32_t first_rows = (1U << rows) - 1;
  const unsigned first = matrix * rows;
  auto& counter = shared_counters_[op_->detail];
  if (counter == nullptr) counter = std::make_unique<SharedCounter>(launch_.model, kind);
  SharedCount count;
  // Any eight lanes count as the first eight do.
  const std::uint64_t delta = addresses[first + 1] - addresses[first];
  std::uint64_t differs = 0;
  for (unsigned lane = first + 1; lane < first + rows; ++lane) {
    differs |= (addresses[lane] - addresses[lane - 1]) ^ delta;
  }
  if (differs == 0) {
    counter->add_affine(addresses[first], static_cast<std::int64_t>(delta), matrix_row_bytes, count,
                        first_rows);
  } else {
    // The others repeat them, for the counter's sake.
    WarpAccess access = {{}, first_rows, matrix_row_bytes};
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      access.address[lane] = addresses[first + lane % rows];
    }
    counter->add(access, count);
  }
  if (matrix != 0) count.requests = 0;
  count_.sites[op_->detail].shared += count;
  if (!launch_.notes_shapes) return;
  const std::uint32_t active = first_rows << first;
  note_shape({addresses, active, matrix_row_bytes}, spread_of(addresses.data(), active),
             {count.wavefronts, count.ideal});
}

}  // namespace sweep
