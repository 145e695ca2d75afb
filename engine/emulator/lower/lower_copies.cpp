// cp.async, cp.async.bulk, cp.reduce, mbarrier, nanosleep.

#include <algorithm>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;
using ptx::Space;

/// cp.async.{ca,cg}.shared.global [to], [from], bytes{, source bytes | ignore}{, policy};
void lower_lane_copy(Lowering& lowering) {
  MemoryOp memory;
  memory.space = Space::global;
  memory.policy = lowering.has_modifier("cg") ? CachePolicy::level_2_only : CachePolicy::all_levels;
  memory.to_address = lowering.address(0);
  memory.address = lowering.address(1);
  const Operand& bytes = lowering.operand(2);
  const bool is_valid = bytes.kind == Operand::Kind::integer &&
                        (bytes.value == 4 || bytes.value == 8 || bytes.value == 16);
  if (!is_valid) lowering.refuse("it copies 4, 8 or 16 bytes");
  memory.copy_bytes = static_cast<std::uint32_t>(bytes.value);
  const bool has_policy = lowering.has_modifier("L2::cache_hint");
  if (lowering.operand_count() > (has_policy ? 4U : 3U)) {
    const Operand& extra = lowering.operand(3);
    const bool is_predicate =
        extra.kind == Operand::Kind::reg && lowering.wide_source(extra, 32).bits == 1;
    if (is_predicate) {
      memory.ignore_source = lowering.predicate(extra);
    } else {
      memory.size = lowering.source(extra, 32);
    }
  }
  lowering.emit_memory(OpKind::async_copy, std::move(memory));
}

/// A bulk copy's modifiers begin with where it goes to and where it comes from.
void lower_bulk_copy(Lowering& lowering, bool is_reduction) {
  std::vector<Space> spaces;
  MemoryOp memory;
  for (const std::string_view modifier : lowering.instruction().modifiers) {
    const std::string_view base = modifier.substr(0, modifier.find("::"));
    if (modifier == "tensor" || modifier.starts_with("multicast") || modifier == "cp_mask") {
      lowering.refuse();
    }
    if (base == "shared" || base == "global") spaces.push_back(*ptx::find_space(base));
    if (const auto type = ptx::find_type(modifier)) memory.type = *type;
  }
  if (spaces.size() != 2) lowering.refuse();
  memory.operation = lowering.find_modifier(atomic_operations).value_or(AtomicOperation::add);
  const unsigned element = ptx::bytes_of(memory.type);
  if (is_reduction && (element < 2 || element > 8 || !has_atomic(memory.operation, memory.type))) {
    lowering.refuse();
  }
  memory.to_space = spaces[0];
  memory.space = spaces[1];
  memory.is_reduction = is_reduction;
  memory.to_address = lowering.address(0);
  memory.address = lowering.address(1);
  memory.size = lowering.source(2, 32);
  if (lowering.has_modifier("mbarrier::complete_tx::bytes")) {
    memory.barrier = lowering.address(3);
  }
  lowering.kernel().is_linked |= is_reduction && memory.to_space == Space::global;
  lowering.emit_memory(OpKind::bulk_copy, std::move(memory));
}

constexpr std::pair<std::string_view, MbarrierMode> mbarrier_modes[] = {
    {"init", MbarrierMode::init},
    {"inval", MbarrierMode::invalidate},
    {"expect_tx", MbarrierMode::expect_tx},
    {"complete_tx", MbarrierMode::complete_tx},
    {"arrive", MbarrierMode::arrive},
    {"arrive_drop", MbarrierMode::arrive_drop},
    {"test_wait", MbarrierMode::wait},
    {"try_wait", MbarrierMode::wait},
    {"pending_count", MbarrierMode::pending_count}};

MbarrierOp mbarrier_op(const Lowering& lowering, MbarrierMode mode) {
  MbarrierOp barrier;
  barrier.mode = mode;
  const bool is_shared =
      std::ranges::any_of(lowering.instruction().modifiers,
                          [](std::string_view modifier) { return modifier.starts_with("shared"); });
  barrier.space = is_shared ? Space::shared : Space::generic;
  return barrier;
}

void emit_mbarrier(Lowering& lowering, const MbarrierOp& barrier) {
  lowering.emit(lowering.detailed(OpKind::mbarrier, lowering.kernel().mbarriers, barrier));
}

}  // namespace

void lower_mbarrier(Lowering& lowering) {
  // The first modifier is the operation; `arrive` may expect bytes too.
  MbarrierOp barrier = mbarrier_op(lowering, lowering.modifier<MbarrierMode>(mbarrier_modes));
  std::size_t address = 0;
  switch (barrier.mode) {
    case MbarrierMode::pending_count:
      barrier.d = lowering.destination(0, 32);
      barrier.value = lowering.source(1, 64);
      barrier.value_bits = 64;
      return emit_mbarrier(lowering, barrier);
    case MbarrierMode::arrive:
    case MbarrierMode::arrive_drop:
      if (barrier.mode == MbarrierMode::arrive && lowering.has_modifier("expect_tx")) {
        barrier.mode = MbarrierMode::arrive_expect_tx;
      }
      barrier.d = lowering.destination(address++, 64);
      if (lowering.operand_count() > 2) barrier.value = lowering.source(2, 32);
      break;
    case MbarrierMode::wait:
      if (lowering.has_modifier("parity")) barrier.mode = MbarrierMode::wait_parity;
      barrier.value_bits = barrier.mode == MbarrierMode::wait ? 64 : 32;
      barrier.d = lowering.destination(address++, 1);
      barrier.value = lowering.source(2, barrier.value_bits);
      break;
    case MbarrierMode::invalidate:
      break;
    default:
      barrier.value = lowering.source(1, 32);
  }
  barrier.address = lowering.address(address);
  emit_mbarrier(lowering, barrier);
}

void lower_copy(Lowering& lowering) {
  if (lowering.has_modifier("commit_group") || lowering.has_modifier("wait_group") ||
      lowering.has_modifier("wait_all") || lowering.has_modifier("prefetch")) {
    // A copy is complete before the next instruction begins.
    if (lowering.has_modifier("tensor")) lowering.refuse();
    return;
  }
  if (lowering.has_modifier("mbarrier")) {
    MbarrierOp barrier = mbarrier_op(lowering, MbarrierMode::async_arrive);
    barrier.is_without_increment = lowering.has_modifier("noinc");
    barrier.address = lowering.address(0);
    return emit_mbarrier(lowering, barrier);
  }
  if (lowering.has_modifier("bulk")) {
    return lower_bulk_copy(lowering, lowering.instruction().modifiers.front() == "reduce");
  }
  lower_lane_copy(lowering);
}

void lower_nanosleep(Lowering& lowering) {
  Op op;
  op.kind = OpKind::nanosleep;
  lowering.emit(op);
}

}  // namespace sweep
