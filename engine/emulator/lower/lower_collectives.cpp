// shfl, vote, match, redux, elect, bar.warp.sync, movmatrix, activemask, bar and barrier.

#include <algorithm>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;

/// `d|p`, or `d` alone.
void set_destinations(Lowering& lowering, CollectiveOp& collective, unsigned d_bits) {
  const Operand& to = lowering.operand(0);
  const bool is_pair = to.kind == Operand::Kind::list;
  if (is_pair && to.elements.size() != 2) lowering.refuse();
  collective.d = lowering.destination(is_pair ? to.elements[0] : to, d_bits);
  collective.predicate = is_pair ? lowering.destination(to.elements[1], 1) : none;
}

void set_members(Lowering& lowering, CollectiveOp& collective, std::size_t index) {
  if (lowering.has_modifier("sync")) {
    collective.members = lowering.source(lowering.operand(index), 32);
  }
}

Op collective_op(Lowering& lowering, OpKind kind, const CollectiveOp& collective) {
  Op op;
  op.kind = kind;
  op.detail = static_cast<std::uint32_t>(lowering.kernel().collectives.size());
  lowering.kernel().collectives.push_back(collective);
  return op;
}

ptx::Type last_type(Lowering& lowering) {
  const std::vector<std::string_view>& modifiers = lowering.instruction().modifiers;
  const auto type = modifiers.empty() ? std::nullopt : ptx::find_type(modifiers.back());
  if (!type) lowering.refuse();
  return *type;
}

}  // namespace

Op lower_shuffle(Lowering& lowering) {
  CollectiveOp collective;
  if (lowering.has_modifier("up")) {
    collective.shuffle = ShuffleMode::up;
  } else if (lowering.has_modifier("down")) {
    collective.shuffle = ShuffleMode::down;
  } else if (lowering.has_modifier("bfly")) {
    collective.shuffle = ShuffleMode::butterfly;
  } else if (!lowering.has_modifier("idx")) {
    lowering.refuse();
  }
  set_destinations(lowering, collective, 32);
  collective.a = lowering.source(lowering.operand(1), 32);
  collective.b = lowering.source(lowering.operand(2), 32);
  collective.c = lowering.source(lowering.operand(3), 32);
  set_members(lowering, collective, 4);
  return collective_op(lowering, OpKind::shuffle, collective);
}

Op lower_vote(Lowering& lowering) {
  CollectiveOp collective;
  if (lowering.has_modifier("any")) {
    collective.vote = VoteMode::any;
  } else if (lowering.has_modifier("uni")) {
    collective.vote = VoteMode::uniform;
  } else if (lowering.has_modifier("ballot")) {
    collective.vote = VoteMode::ballot;
  } else if (!lowering.has_modifier("all")) {
    lowering.refuse();
  }
  const bool is_ballot = collective.vote == VoteMode::ballot;
  collective.d = lowering.destination(lowering.operand(0), is_ballot ? 32 : 1);
  Operand predicate = lowering.operand(1);
  collective.is_a_negated = predicate.is_negated && predicate.kind == Operand::Kind::reg;
  if (collective.is_a_negated) predicate.is_negated = false;
  collective.a = lowering.predicate(predicate);
  set_members(lowering, collective, 2);
  return collective_op(lowering, OpKind::vote, collective);
}

Op lower_match(Lowering& lowering) {
  CollectiveOp collective;
  collective.is_match_all = lowering.has_modifier("all");
  collective.bits = static_cast<std::uint8_t>(ptx::bits_of(last_type(lowering)));
  if (collective.bits != 32 && collective.bits != 64) lowering.refuse();
  set_destinations(lowering, collective, 32);
  collective.a = lowering.source(lowering.operand(1), collective.bits);
  set_members(lowering, collective, 2);
  return collective_op(lowering, OpKind::match, collective);
}

Op lower_redux(Lowering& lowering) {
  CollectiveOp collective;
  const ptx::Type type = last_type(lowering);
  if (ptx::bits_of(type) != 32 || ptx::is_floating(type)) lowering.refuse();
  collective.is_signed = ptx::is_signed(type);
  if (lowering.has_modifier("add")) {
    collective.reduce = ReduceOperation::add;
  } else if (lowering.has_modifier("min")) {
    collective.reduce = ReduceOperation::minimum;
  } else if (lowering.has_modifier("max")) {
    collective.reduce = ReduceOperation::maximum;
  } else if (lowering.has_modifier("and")) {
    collective.reduce = ReduceOperation::bit_and;
  } else if (lowering.has_modifier("or")) {
    collective.reduce = ReduceOperation::bit_or;
  } else if (lowering.has_modifier("xor")) {
    collective.reduce = ReduceOperation::bit_xor;
  } else {
    lowering.refuse();
  }
  collective.d = lowering.destination(lowering.operand(0), 32);
  collective.a = lowering.source(lowering.operand(1), 32);
  set_members(lowering, collective, 2);
  return collective_op(lowering, OpKind::reduce, collective);
}

Op lower_elect(Lowering& lowering) {
  CollectiveOp collective;
  set_destinations(lowering, collective, 32);
  set_members(lowering, collective, 1);
  return collective_op(lowering, OpKind::elect, collective);
}

Op lower_movmatrix(Lowering& lowering) {
  CollectiveOp collective;
  collective.d = lowering.destination(lowering.operand(0), 32);
  collective.a = lowering.source(lowering.operand(1), 32);
  collective.members = lowering.constant(full_mask, 32);
  return collective_op(lowering, OpKind::move_matrix, collective);
}

Op lower_warp_barrier(Lowering& lowering) {
  CollectiveOp collective;
  set_members(lowering, collective, 0);
  return collective_op(lowering, OpKind::warp_barrier, collective);
}

/// bar{.cta}.sync a{, b}; .arrive a, b; .red.popc d, a{, b}, p; barrier likewise.
Op lower_barrier(Lowering& lowering) {
  if (lowering.has_modifier("cluster")) lowering.refuse();
  BarrierOp barrier;
  barrier.is_aligned = lowering.instruction().mnemonic == "bar" || lowering.has_modifier("aligned");
  std::size_t next = 0;
  const bool is_reduction = lowering.has_modifier("red");
  std::size_t last = lowering.operand_count();
  if (lowering.has_modifier("arrive")) barrier.mode = BarrierMode::arrive;
  if (is_reduction) {
    barrier.mode = lowering.has_modifier("popc")  ? BarrierMode::reduce_popc
                   : lowering.has_modifier("and") ? BarrierMode::reduce_and
                                                  : BarrierMode::reduce_or;
    const bool is_count = barrier.mode == BarrierMode::reduce_popc;
    barrier.d = lowering.destination(lowering.operand(next++), is_count ? 32 : 1);
    Operand predicate = lowering.operand(--last);
    barrier.is_negated = predicate.is_negated;
    predicate.is_negated = false;
    barrier.predicate = lowering.predicate(predicate);
  }
  barrier.barrier = lowering.source(lowering.operand(next++), 32);
  if (next < last) barrier.threads = lowering.source(lowering.operand(next), 32);
  Op op;
  op.kind = OpKind::barrier;
  op.detail = static_cast<std::uint32_t>(lowering.kernel().barriers.size());
  lowering.kernel().barriers.push_back(barrier);
  return op;
}

}  // namespace sweep
