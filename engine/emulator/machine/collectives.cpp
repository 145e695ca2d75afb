#include "engine/emulator/machine/collectives.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/emulator/machine/lane_loop.h"

namespace sweep {
namespace {

using Lanes = std::array<std::uint32_t, warp_size>;

void set_lanes(Warp& warp, std::uint32_t slot, std::uint32_t mask, std::uint32_t value) {
  auto* lanes = warp.slot<std::uint32_t>(slot);
  for_each_lane(mask, [&](unsigned lane) { lanes[lane] = value; });
}

void set_predicate(Warp& warp, std::uint32_t slot, std::uint32_t mask, std::uint32_t holds) {
  std::uint32_t& p = *warp.slot<std::uint32_t>(slot);
  p = (p & ~mask) | (holds & mask);
}

void shuffle(const CollectiveOp& op, Warp& warp, std::uint32_t mask) {
  Lanes source{};
  std::copy_n(warp.slot<std::uint32_t>(op.a), warp_size, source.begin());
  std::uint32_t inside = 0;
  const auto from = shuffle_sources(op, warp, mask, inside);
  auto* d = warp.slot<std::uint32_t>(op.d);
  for_each_lane(mask, [&](unsigned lane) { d[lane] = source.at(from.at(lane)); });
  if (op.predicate != none) set_predicate(warp, op.predicate, mask, inside);
}

void vote(const CollectiveOp& op, Warp& warp, std::uint32_t mask) {
  std::uint32_t votes = *warp.slot<std::uint32_t>(op.a);
  if (op.is_a_negated) votes = ~votes;
  votes &= mask;
  if (op.vote == VoteMode::ballot) return set_lanes(warp, op.d, mask, votes);
  const bool holds = op.vote == VoteMode::any   ? votes != 0
                     : op.vote == VoteMode::all ? votes == mask
                                                : votes == mask || votes == 0;
  set_predicate(warp, op.d, mask, holds ? full_mask : 0);
}

void match(const CollectiveOp& op, Warp& warp, std::uint32_t mask) {
  const auto value = [&](unsigned lane) {
    return op.bits == 64 ? warp.slot<std::uint64_t>(op.a)[lane]
                         : warp.slot<std::uint32_t>(op.a)[lane];
  };
  Lanes equal{};
  for_each_lane(mask, [&](unsigned lane) {
    for_each_lane(mask, [&](unsigned other) {
      equal.at(lane) |= std::uint32_t{value(lane) == value(other)} << other;
    });
  });
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const bool all_equal = equal.at(first) == mask;
  for_each_lane(mask, [&](unsigned lane) {
    warp.slot<std::uint32_t>(op.d)[lane] =
        op.is_match_all ? (all_equal ? mask : 0) : equal.at(lane);
  });
  if (op.predicate != none) set_predicate(warp, op.predicate, mask, all_equal ? full_mask : 0);
}

std::uint32_t reduced(const CollectiveOp& op, std::uint32_t a, std::uint32_t b) {
  const auto signed_a = static_cast<std::int32_t>(a);
  const auto signed_b = static_cast<std::int32_t>(b);
  switch (op.reduce) {
    case ReduceOperation::add:
      return a + b;
    case ReduceOperation::minimum:
      return op.is_signed ? static_cast<std::uint32_t>(std::min(signed_a, signed_b))
                          : std::min(a, b);
    case ReduceOperation::maximum:
      return op.is_signed ? static_cast<std::uint32_t>(std::max(signed_a, signed_b))
                          : std::max(a, b);
    case ReduceOperation::bit_and:
      return a & b;
    case ReduceOperation::bit_or:
      return a | b;
    case ReduceOperation::bit_xor:
      return a ^ b;
  }
  return a;
}

void reduce(const CollectiveOp& op, Warp& warp, std::uint32_t mask) {
  const auto* a = warp.slot<std::uint32_t>(op.a);
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  std::uint32_t result = a[first];
  for_each_lane(mask & (mask - 1), [&](unsigned lane) { result = reduced(op, result, a[lane]); });
  set_lanes(warp, op.d, mask, result);
}

/// movmatrix.sync.aligned.m8n8.trans.b16
void move_matrix(const CollectiveOp& op, Warp& warp) {
  constexpr unsigned size = 8;
  std::array<std::array<std::uint16_t, size>, size> elements{};
  const auto* a = warp.slot<std::uint32_t>(op.a);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::size_t column = std::size_t{2} * (lane % 4);
    elements.at(lane / 4).at(column) = static_cast<std::uint16_t>(a[lane]);
    elements.at(lane / 4).at(column + 1) = static_cast<std::uint16_t>(a[lane] >> 16);
  }
  auto* d = warp.slot<std::uint32_t>(op.d);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::size_t row = std::size_t{2} * (lane % 4);
    d[lane] = elements.at(row).at(lane / 4) | std::uint32_t{elements.at(row + 1).at(lane / 4)}
                                                  << 16;
  }
}

}  // namespace

/// PTX ISA, "shfl.sync": c holds the clamp in bits 0-4 and the segment mask in bits 8-12.
std::array<std::uint8_t, warp_size> shuffle_sources(const CollectiveOp& op, const Warp& warp,
                                                    std::uint32_t mask, std::uint32_t& inside) {
  constexpr std::uint32_t low_bits = 0x1f;
  const auto* b = warp.slot<std::uint32_t>(op.b);
  const auto* c = warp.slot<std::uint32_t>(op.c);
  std::array<std::uint8_t, warp_size> sources{};
  for_each_lane(mask, [&](unsigned lane) {
    const std::uint32_t distance = b[lane] & low_bits;
    const std::uint32_t clamp = c[lane] & low_bits;
    const std::uint32_t segment = c[lane] >> 8 & low_bits;
    const std::uint32_t first = lane & segment;
    const std::uint32_t last = first | (clamp & ~segment);
    std::uint32_t from = 0;
    bool is_inside = false;
    switch (op.shuffle) {
      case ShuffleMode::up:
        from = lane - distance;
        // The segment's first lane bounds it; signed, as the distance may go below lane 0.
        is_inside = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last);
        break;
      case ShuffleMode::down:
        from = lane + distance;
        is_inside = from <= last;
        break;
      case ShuffleMode::butterfly:
        from = lane ^ distance;
        is_inside = from <= last;
        break;
      case ShuffleMode::index:
        from = first | (distance & ~segment & low_bits);
        is_inside = from <= last;
        break;
    }
    sources.at(lane) = static_cast<std::uint8_t>(is_inside ? from % warp_size : lane);
    inside |= std::uint32_t{is_inside} << lane;
  });
  return sources;
}

void execute_collective(const CollectiveOp& collective, OpKind kind, Warp& warp,
                        std::uint32_t mask) {
  const std::uint32_t first = mask & (~mask + 1);
  switch (kind) {
    case OpKind::shuffle:
      return shuffle(collective, warp, mask);
    case OpKind::vote:
      return vote(collective, warp, mask);
    case OpKind::match:
      return match(collective, warp, mask);
    case OpKind::reduce:
      return reduce(collective, warp, mask);
    case OpKind::elect:
      set_lanes(warp, collective.d, mask, static_cast<std::uint32_t>(std::countr_zero(mask)));
      if (collective.predicate != none) set_predicate(warp, collective.predicate, mask, first);
      return;
    case OpKind::move_matrix:
      return move_matrix(collective, warp);
    default:
      return;
  }
}

}  // namespace sweep
