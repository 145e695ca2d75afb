// cp.async.bulk.tensor: boxes of a tensor to and from shared memory.

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/emulator/machine/block_run.h"

namespace sweep {
namespace {

constexpr std::uint64_t piece_bytes = 16;  ///< what swizzles move as one

/// Where a piece of a box lies in shared memory: bits 4 to 6 of its address are those of the
/// address without swizzle, exclusive-or bits 7 to 9, as many of them as the swizzle's span has
/// pieces (PTX ISA, "Swizzling Modes").
std::uint64_t swizzled(std::uint64_t address, std::uint64_t span) {
  if (span == 0) return address;
  const std::uint64_t pieces = span / piece_bytes - 1;
  return address ^ ((address >> 7U & pieces) * piece_bytes);
}

constexpr std::uint64_t most_row_bytes = std::uint64_t{256} * 8;

ptx::Type type_of(TensorElement type) {
  using Type = ptx::Type;
  constexpr std::array types = {Type::u8,  Type::u16, Type::u32, Type::s32, Type::u64,
                                Type::s64, Type::f16, Type::f32, Type::f64, Type::bf16};
  return types.at(static_cast<std::size_t>(type));
}

/// Calls `move(of_row, place)` for the pieces of a row: where each lies in shared memory.
template <class Move>
void for_each_piece(std::byte* buffer, const CopyInFlight& copy, const CopyInFlight::Row& row,
                    Move move) {
  for (std::uint64_t at = 0; at < row.size; at += piece_bytes) {
    move(buffer + at, swizzled(row.place + at, copy.swizzle));
  }
}

/// What a row of a box has inside of the tensor: elements [first, end) of the row.
struct InsidePart {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  std::uint64_t address = 0;  ///< of the first
};

InsidePart inside_part(const TensorMap& map, const std::array<std::int64_t, 5>& place) {
  std::uint64_t address = map.address;
  for (unsigned i = 1; i < map.rank; ++i) {
    const auto at = static_cast<std::uint64_t>(place.at(i));
    if (place.at(i) < 0 || at >= map.extents.at(i)) return {};
    address += at * map.strides.at(i);
  }
  const auto width = static_cast<std::int64_t>(map.copied(0));
  const auto extent = static_cast<std::int64_t>(map.extents[0]);
  const std::int64_t begin = std::max<std::int64_t>(place[0], 0);
  const std::int64_t end = std::min(place[0] + width, extent);
  if (begin >= end) return {};
  return {static_cast<std::uint64_t>(begin - place[0]), static_cast<std::uint64_t>(end - place[0]),
          address + static_cast<std::uint64_t>(begin) * map.element_bytes()};
}

}  // namespace

template <class Object>
const Object& AccessUnit::object_at(unsigned lane, std::uint64_t address, const char* what) const {
  const Allocation* const found = launch_.memory->find(address);
  if (found != nullptr && found->contains(address, sizeof(Object))) {
    // A kernel may have a copy of one, and may have changed it: what counts is the one that was
    // made.
    const std::byte* const given = found->host + (address - found->base);
    for (const Allocation* const made : launch_.objects) {
      const auto& object = *reinterpret_cast<const Object*>(made->host);
      const bool is_same = std::equal(made->host, made->host + sizeof(Object), given);
      if (object.mark == Object::seal && is_same) return object;
    }
  }
  fail(lane, "there is no {} at {:#x}", what, address);
}

template const TensorMap& AccessUnit::object_at<TensorMap>(unsigned, std::uint64_t,
                                                           const char*) const;
template const Texture& AccessUnit::object_at<Texture>(unsigned, std::uint64_t, const char*) const;

void AccessUnit::tensor_copy(std::uint32_t mask) {
  ++writes_;
  const bool is_load = memory_->to_space == ptx::Space::shared;
  const Addresses tensor = addresses_of(is_load ? memory_->address : memory_->to_address);
  const Addresses shared = addresses_of(is_load ? memory_->to_address : memory_->address);
  for_each_lane(mask, [&](unsigned lane) {
    const auto& map = object_at<TensorMap>(lane, tensor[lane], "tensor map");
    if (map.rank != memory_->dimensions) {
      fail(lane, "it copies a box of {} dimensions by a tensor map that has {}",
           memory_->dimensions, map.rank);
    }
    constexpr std::uint64_t alignment = 128;
    const std::uint64_t address = in_window(shared[lane]);
    if (address % alignment != 0) {
      fail(lane,
           "misaligned address: a tensor's box at byte {} of shared memory, which is no multiple "
           "of {}",
           address % window_size, alignment);
    }
    copy_box(map, lane, address);
  });
}

/// What the hardware takes for an illegal instruction (measured on an H200).
void AccessUnit::check_box_begin(const TensorMap& map, unsigned lane,
                                 const std::array<std::int64_t, 5>& first) const {
  const std::int64_t begin = first[0] * static_cast<std::int64_t>(map.element_bytes());
  if (begin % static_cast<std::int64_t>(piece_bytes) != 0) {
    fail(lane, "a tensor's box begins at byte {} of a row, which is no multiple of {}", begin,
         piece_bytes);
  }
  if (memory_->to_space == ptx::Space::shared) return;
  for (unsigned i = 0; i < map.rank; ++i) {
    if (first.at(i) < 0)
      fail(lane, "it stores a tensor's box from the coordinate {} on", first.at(i));
  }
}

/// One lane's box, at an address in shared memory's window.
void AccessUnit::copy_box(const TensorMap& map, unsigned lane, std::uint64_t address) {
  const bool is_load = memory_->to_space == ptx::Space::shared;
  std::array<std::int64_t, 5> first{};
  for (std::size_t i = 0; i < memory_->coordinates.size(); ++i) {
    first.at(i) =
        static_cast<std::int32_t>(warp_->slot<std::uint32_t>(memory_->coordinates[i])[lane]);
  }
  check_box_begin(map, lane, first);
  constexpr std::uint64_t picked_rows = 4;
  std::uint64_t rows = memory_->picks_rows ? picked_rows : 1;
  for (unsigned i = 1; i < map.rank; ++i) rows *= map.copied(i);
  if (memory_->picks_rows && (map.rank != 2 || map.box[1] != 1)) {
    fail(lane, "it copies four rows by a tensor map whose box is not [WIDTH, 1]");
  }
  const std::uint64_t row_bytes = map.copied(0) * map.element_bytes();
  if (row_bytes < map.swizzle) {
    fail(lane,
         "the emulator copies no rows that are narrower than their swizzle, here {} bytes by {}",
         row_bytes, map.swizzle);
  }
  const std::uint64_t bytes = rows * row_bytes;
  const std::uint64_t span = std::max<std::uint64_t>(map.swizzle, 1);
  const std::uint64_t covered = (bytes + span - 1) / span * span;
  const std::vector<SharedPlace> places =
      is_load ? places_of_copy(lane, address, covered)
              : std::vector{shared_place(lane, address, covered, true, false)};
  const ptx::Type type = type_of(map.type);
  const bool is_addable = ptx::bytes_of(type) >= 2 && has_atomic(memory_->operation, type);
  if (memory_->is_reduction && !is_addable) {
    fail(lane, "elements of the tensor's type have no such operation");
  }
  for (const SharedPlace& place : places) {
    check_base(lane, place.offset, bytes, !is_load);
    CopyInFlight& copy = begin_bulk_copy(lane, static_cast<std::uint32_t>(bytes), place);
    copy.is_load = is_load;
    (is_load ? copy.written : copy.read) = CopyInFlight::Range{place.address(), covered};
    copy.swizzle = map.swizzle;
    copy.fills_nan = map.fills_nan;
    copy.type = type;
    // A multicast has the same rows, at the same place, in each of its blocks.
    if (&place != &places.front()) copy.rows = copies_->bulk().all().rbegin()[1].rows;
    for (std::uint64_t row = 0; row < rows && &place == &places.front(); ++row) {
      std::array<std::int64_t, 5> at = first;
      std::uint64_t rest = row;
      for (unsigned i = 1; i < map.rank && !memory_->picks_rows; ++i) {
        at.at(i) += static_cast<std::int64_t>(rest % map.copied(i) * map.element_strides.at(i));
        rest /= map.copied(i);
      }
      if (memory_->picks_rows) at[1] = first.at(1 + row);
      add_row(map, copy, lane, at, place.offset + row * row_bytes);
    }
    note_bulk_copy(lane, copy);
  }
}

/// One row of a box, whose first element has these coordinates, at a place in shared memory.
void AccessUnit::add_row(const TensorMap& map, CopyInFlight& copy, unsigned lane,
                         const std::array<std::int64_t, 5>& coordinates, std::uint64_t place) {
  const std::uint64_t size = map.element_bytes();
  const InsidePart part = inside_part(map, coordinates);
  const std::uint64_t inside = (part.end - part.first) * size;
  if (inside == 0 && !copy.is_load) return;
  std::byte* const outer =
      inside == 0 ? nullptr
                  : bytes_at(lane, ptx::Space::global, part.address, inside, copy.is_load);
  copy.rows.push_back(
      {outer, static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(map.copied(0) * size),
       static_cast<std::uint32_t>(inside), static_cast<std::uint16_t>(part.first * size),
       static_cast<std::uint8_t>(lane)});
}

/// A row of a load: what is not copied is outside of the tensor, or zero.
void AccessUnit::load_row(const CopyInFlight& copy, const CopyInFlight::Row& row) {
  alignas(piece_bytes) std::array<std::byte, most_row_bytes> buffer;  // NOLINT: filled below
  std::byte* const shared = bytes_of(copy);
  std::byte* const place = shared + row.place;
  std::byte* const begin = copy.swizzle == 0 ? place : buffer.data();
  if (copy.memory->is_reduction) return reduce_bytes(*copy.memory, place, row.outer, row.bytes);
  // Of the NaNs 0x7ff7, of floats 0x7ff77ff7 (measured on an H200).
  constexpr std::array nan = {std::byte{0xf7}, std::byte{0x7f}};
  const auto fill = [&](std::uint32_t from, std::uint32_t end) {
    for (; from < end; ++from) begin[from] = copy.fills_nan ? nan.at(from % 2) : std::byte{0};
  };
  fill(0, row.first);
  if (row.bytes != 0) std::memmove(begin + row.first, row.outer, row.bytes);
  fill(row.first + row.bytes, row.size);
  if (copy.swizzle == 0) return;
  for_each_piece(begin, copy, row, [&](const std::byte* of_row, std::uint64_t piece) {
    std::memcpy(shared + piece, of_row, piece_bytes);
  });
}

/// A row of a store, out of shared memory or what was taken from there.
void AccessUnit::store_row(const CopyInFlight& copy, const CopyInFlight::Row& row) {
  alignas(piece_bytes) std::array<std::byte, most_row_bytes> buffer;  // NOLINT: filled below
  const auto at = [&](std::uint64_t place) -> const std::byte* {
    if (!copy.has_read) return bytes_of(copy) + place;
    return copy.taken.data() + (place - place_at(copy.read.begin).offset);
  };
  const std::byte* source = at(row.place);
  if (copy.swizzle != 0) {
    for_each_piece(buffer.data(), copy, row, [&](std::byte* of_row, std::uint64_t piece) {
      std::memcpy(of_row, at(piece), piece_bytes);
    });
    source = buffer.data();
  }
  if (!copy.memory->is_reduction) {
    std::memcpy(row.outer, source + row.first, row.bytes);
    return;
  }
  MemoryOp typed = *copy.memory;
  typed.type = copy.type;
  reduce_bytes(typed, row.outer, source + row.first, row.bytes);
}

}  // namespace sweep
