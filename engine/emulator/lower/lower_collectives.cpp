// shfl, vote, match, redux, elect, bar.warp.sync, movmatrix, activemask, bar and barrier; calls
// into the system and the stack.

#include <algorithm>
#include <array>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;

constexpr std::pair<std::string_view, ShuffleMode> shuffle_modes[] = {
    {"up", ShuffleMode::up},
    {"down", ShuffleMode::down},
    {"bfly", ShuffleMode::butterfly},
    {"idx", ShuffleMode::index}};
constexpr std::pair<std::string_view, VoteMode> vote_modes[] = {{"any", VoteMode::any},
                                                                {"uni", VoteMode::uniform},
                                                                {"ballot", VoteMode::ballot},
                                                                {"all", VoteMode::all}};
constexpr std::pair<std::string_view, BarrierMode> barrier_reductions[] = {
    {"popc", BarrierMode::reduce_popc},
    {"and", BarrierMode::reduce_and},
    {"or", BarrierMode::reduce_or}};

/// The operands of a collective: its destination if it has one, `d|p` where that can be a pair, and
/// its sources. The mask of the lanes that take part comes last.
struct CollectiveForm {
  std::string_view mnemonic;
  OpKind kind;
  std::size_t destinations;
  std::size_t sources;
};
constexpr CollectiveForm collective_forms[] = {
    {"bar", OpKind::warp_barrier, 0, 0}, {"elect", OpKind::elect, 2, 0},
    {"match", OpKind::match, 2, 1},      {"movmatrix", OpKind::move_matrix, 1, 1},
    {"redux", OpKind::reduce, 1, 1},     {"shfl", OpKind::shuffle, 2, 3},
    {"vote", OpKind::vote, 1, 1}};

/// A predicate source, and whether the operation negates it.
std::uint32_t predicate_source(Lowering& lowering, Operand operand, bool& is_negated) {
  is_negated = operand.is_negated && operand.kind == Operand::Kind::reg;
  if (is_negated) operand.is_negated = false;
  return lowering.predicate(operand);
}

std::uint32_t local_offset(Lowering& lowering, const Operand& operand, CallOp& call) {
  if (operand.kind != Operand::Kind::variable) lowering.refuse("an argument is not a variable");
  const Lowering::VariablePlace place = lowering.place_of(operand.variable);
  if (place.space != ptx::Space::local) lowering.refuse("an argument is not a variable of its own");
  call.base = place.base;
  return static_cast<std::uint32_t>(place.offset);
}

}  // namespace

void lower_collective(Lowering& lowering) {
  const auto& form = *std::ranges::find(collective_forms, lowering.instruction().mnemonic,
                                        &CollectiveForm::mnemonic);
  CollectiveOp collective;
  unsigned d_bits = 32;
  if (form.kind == OpKind::shuffle) {
    collective.shuffle = lowering.modifier<ShuffleMode>(shuffle_modes);
  } else if (form.kind == OpKind::vote) {
    collective.vote = lowering.modifier<VoteMode>(vote_modes);
    d_bits = collective.vote == VoteMode::ballot ? 32 : 1;
  } else if (form.kind == OpKind::match) {
    collective.is_match_all = lowering.has_modifier("all");
    collective.bits = static_cast<std::uint8_t>(ptx::bits_of(lowering.last_type()));
    if (collective.bits != 32 && collective.bits != 64) lowering.refuse();
  } else if (form.kind == OpKind::reduce) {
    const ptx::Type type = lowering.last_type();
    collective.is_floating = type == ptx::Type::f32;
    if (ptx::bits_of(type) != 32 || ptx::is_floating(type) != collective.is_floating) {
      lowering.refuse();
    }
    collective.is_signed = ptx::is_signed(type);
    collective.reduce = lowering.modifier<AtomicOperation>(atomic_operations);
    collective.is_absolute = lowering.has_modifier("abs");
    collective.keeps_nan = lowering.has_modifier("NaN");
    if (collective.reduce > AtomicOperation::bit_xor) lowering.refuse();
    const bool is_extreme = collective.reduce == AtomicOperation::minimum ||
                            collective.reduce == AtomicOperation::maximum;
    const bool has_float_words = collective.is_absolute || collective.keeps_nan;
    if (collective.is_floating ? !is_extreme : has_float_words) lowering.refuse();
  }
  std::size_t next = 0;
  if (form.destinations != 0) {
    const Operand& to = lowering.operand(next++);
    const bool is_pair = form.destinations == 2 && to.kind == Operand::Kind::list;
    if (is_pair && to.elements.size() != 2) lowering.refuse();
    collective.d = lowering.destination(is_pair ? to.elements[0] : to, d_bits);
    collective.predicate = is_pair ? lowering.destination(to.elements[1], 1) : none;
  }
  const std::array slots = {&collective.a, &collective.b, &collective.c};
  for (std::size_t i = 0; i < form.sources; ++i) {
    const Operand& from = lowering.operand(next++);
    *slots[i] = form.kind == OpKind::vote
                    ? predicate_source(lowering, from, collective.is_a_negated)
                    : lowering.source(from, collective.bits);
  }
  if (form.kind == OpKind::move_matrix) {
    collective.members = lowering.constant(full_mask, 32);
  } else if (lowering.has_modifier("sync")) {
    collective.members = lowering.source(next, 32);
  }
  lowering.end_block(lowering.detailed(form.kind, lowering.kernel().collectives, collective));
}

void lower_activemask(Lowering& lowering) {
  lowering.emit(OpKind::active_mask, lowering.destination(0, 32));
}

/// barrier.cluster.arrive{.release,.relaxed}, barrier.cluster.wait{.acquire}
void lower_cluster_barrier(Lowering& lowering) {
  BarrierOp barrier;
  const bool arrives = lowering.has_modifier("arrive");
  if (arrives == lowering.has_modifier("wait") || lowering.operand_count() != 0) lowering.refuse();
  barrier.mode = arrives ? BarrierMode::arrive : BarrierMode::sync;
  barrier.is_relaxed = lowering.has_modifier("relaxed");
  lowering.end_block(
      lowering.detailed(OpKind::cluster_barrier, lowering.kernel().barriers, barrier));
}

/// bar{.cta}.sync a{, b}; .arrive a, b; .red.popc d, a{, b}, p; barrier likewise.
void lower_barrier(Lowering& lowering) {
  BarrierOp barrier;
  barrier.is_aligned = lowering.instruction().mnemonic == "bar" || lowering.has_modifier("aligned");
  std::size_t next = 0;
  std::size_t last = lowering.operand_count();
  if (lowering.has_modifier("arrive")) barrier.mode = BarrierMode::arrive;
  if (lowering.has_modifier("red")) {
    barrier.mode = lowering.modifier<BarrierMode>(barrier_reductions);
    const bool is_count = barrier.mode == BarrierMode::reduce_popc;
    barrier.d = lowering.destination(next++, is_count ? 32 : 1);
    barrier.predicate = predicate_source(lowering, lowering.operand(--last), barrier.is_negated);
  }
  barrier.barrier = lowering.source(next++, 32);
  if (next < last) barrier.threads = lowering.source(next, 32);
  lowering.end_block(lowering.detailed(OpKind::barrier, lowering.kernel().barriers, barrier));
}

void lower_system_call(Lowering& lowering) {
  CallOp call;
  const std::vector<Operand>& operands = lowering.instruction().operands;
  for (const Operand& result : operands[0].elements) {
    call.result = local_offset(lowering, result, call);
  }
  const std::string_view callee = operands[1].name;
  for (const Operand& argument : operands[2].elements) {
    call.arguments.push_back(local_offset(lowering, argument, call));
  }
  if (callee == "malloc" || callee == "free") lowering.refuse("there is no heap on the emulator");
  const OpKind kind = callee == "vprintf" ? OpKind::print : OpKind::assert_fail;
  const std::size_t needed = kind == OpKind::print ? 2 : 4;
  if (call.arguments.size() < needed) lowering.refuse("it has too few arguments");
  lowering.emit(lowering.detailed(kind, lowering.kernel().calls, std::move(call)));
}

void lower_call_step(Lowering& lowering) {
  lowering.emit(
      lowering.detailed(OpKind::move_frame, lowering.kernel().frame_moves, lowering.frame_move()));
}

/// alloca d, bytes{, alignment}; stacksave d; stackrestore a: a stack above the variables.
void lower_stack(Lowering& lowering) {
  const std::string_view name = lowering.instruction().mnemonic;
  const bool is_restore = name == "stackrestore";
  const Lowering::SizedSlot address = is_restore
                                          ? lowering.wide_source(lowering.operand(0), 64)
                                          : lowering.wide_destination(lowering.operand(0), 64);
  CallOp call;
  (is_restore ? call.a : call.d) = address.slot;
  if (name == "alloca") {
    const auto [slot, bits] = lowering.wide_source(lowering.operand(1), 64);
    if (bits != 64) lowering.refuse("its size is not 64 bits wide");
    call.a = slot;
  }
  if (address.bits != 64) lowering.refuse("its address is not 64 bits wide");
  lowering.kernel().has_alloca = true;
  const OpKind kind = is_restore ? OpKind::stack_restore : OpKind::stack_allocate;
  lowering.emit(lowering.detailed(kind, lowering.kernel().calls, std::move(call)));
}

}  // namespace sweep
