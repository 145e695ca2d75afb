// cp.async, cp.async.bulk, cp.reduce, mbarrier, nanosleep.

#include <algorithm>
#include <optional>

#include "engine/emulator/lower/memory_modifiers.h"

namespace sweep {
namespace {

using ptx::Operand;
using ptx::Space;

void set_target(Lowering& lowering, MemoryOp& memory, const Operand& operand) {
  const AddressOperand address = lower_address(lowering, operand);
  memory.to_address = address.slot;
  memory.is_to_address_64 = address.is_64;
  memory.to_offset = address.offset;
}

void set_source(Lowering& lowering, MemoryOp& memory, const Operand& operand) {
  const AddressOperand address = lower_address(lowering, operand);
  memory.address = address.slot;
  memory.is_address_64 = address.is_64;
  memory.offset = address.offset;
}

/// cp.async.{ca,cg}.shared.global [to], [from], bytes{, source bytes | ignore}{, policy};
void lower_lane_copy(Lowering& lowering) {
  MemoryOp memory;
  memory.space = Space::global;
  memory.policy = lowering.has_modifier("cg") ? CachePolicy::level_2_only : CachePolicy::all_levels;
  set_target(lowering, memory, lowering.operand(0));
  set_source(lowering, memory, lowering.operand(1));
  const Operand& bytes = lowering.operand(2);
  const bool is_valid = bytes.kind == Operand::Kind::integer &&
                        (bytes.value == 4 || bytes.value == 8 || bytes.value == 16);
  if (!is_valid) lowering.refuse("it copies 4, 8 or 16 bytes");
  memory.copy_bytes = static_cast<std::uint32_t>(bytes.value);
  const bool has_policy = lowering.has_modifier("L2::cache_hint");
  if (lowering.operand_count() > (has_policy ? 4U : 3U)) {
    const Operand& extra = lowering.operand(3);
    unsigned bits = 0;
    const bool is_predicate =
        extra.kind == Operand::Kind::reg && (lowering.wide_source(extra, 32, bits), bits == 1);
    if (is_predicate) {
      memory.ignore_source = lowering.predicate(extra);
    } else {
      memory.size = lowering.source(extra, 32);
    }
  }
  emit_memory(lowering, OpKind::async_copy, std::move(memory));
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
    if (modifier == "min") memory.operation = AtomicOperation::minimum;
    if (modifier == "max") memory.operation = AtomicOperation::maximum;
    if (modifier == "and") memory.operation = AtomicOperation::bit_and;
    if (modifier == "or") memory.operation = AtomicOperation::bit_or;
    if (modifier == "xor") memory.operation = AtomicOperation::bit_xor;
    if (modifier == "inc") memory.operation = AtomicOperation::increment;
    if (modifier == "dec") memory.operation = AtomicOperation::decrement;
  }
  if (spaces.size() != 2) lowering.refuse();
  const unsigned element = ptx::bytes_of(memory.type);
  if (is_reduction && (element < 2 || element > 8 || !has_atomic(memory.operation, memory.type))) {
    lowering.refuse();
  }
  memory.to_space = spaces[0];
  memory.space = spaces[1];
  memory.is_reduction = is_reduction;
  set_target(lowering, memory, lowering.operand(0));
  set_source(lowering, memory, lowering.operand(1));
  memory.size = lowering.source(lowering.operand(2), 32);
  if (lowering.has_modifier("mbarrier::complete_tx::bytes")) {
    const AddressOperand barrier = lower_address(lowering, lowering.operand(3));
    memory.barrier_address = barrier.slot;
    memory.is_barrier_address_64 = barrier.is_64;
    memory.barrier_offset = barrier.offset;
  }
  lowering.kernel().is_linked |= is_reduction && memory.to_space == Space::global;
  emit_memory(lowering, OpKind::bulk_copy, std::move(memory));
}

void emit_mbarrier(Lowering& lowering, MbarrierOp barrier, const Operand* address) {
  if (address != nullptr) {
    const AddressOperand place = lower_address(lowering, *address);
    barrier.address = place.slot;
    barrier.is_address_64 = place.is_64;
    barrier.offset = place.offset;
  }
  Op op;
  op.kind = OpKind::mbarrier;
  op.detail = static_cast<std::uint32_t>(lowering.kernel().mbarriers.size());
  op.instruction = lowering.note_instruction();
  lowering.kernel().mbarriers.push_back(barrier);
  lowering.emit(op);
}

Space mbarrier_space(const Lowering& lowering) {
  for (const std::string_view modifier : lowering.instruction().modifiers) {
    if (modifier.starts_with("shared")) return Space::shared;
  }
  return Space::generic;
}

std::optional<MbarrierMode> mbarrier_mode(const Lowering& lowering) {
  const std::vector<std::string_view>& modifiers = lowering.instruction().modifiers;
  if (modifiers.empty()) return std::nullopt;
  const std::string_view name = modifiers.front();
  const bool has_parity = lowering.has_modifier("parity");
  if (name == "init") return MbarrierMode::init;
  if (name == "inval") return MbarrierMode::invalidate;
  if (name == "expect_tx") return MbarrierMode::expect_tx;
  if (name == "complete_tx") return MbarrierMode::complete_tx;
  if (name == "arrive_drop") return MbarrierMode::arrive_drop;
  if (name == "arrive") {
    return lowering.has_modifier("expect_tx") ? MbarrierMode::arrive_expect_tx
                                              : MbarrierMode::arrive;
  }
  if (name == "test_wait") {
    return has_parity ? MbarrierMode::test_wait_parity : MbarrierMode::test_wait;
  }
  if (name == "try_wait") {
    return has_parity ? MbarrierMode::try_wait_parity : MbarrierMode::try_wait;
  }
  if (name == "pending_count") return MbarrierMode::pending_count;
  return std::nullopt;
}

}  // namespace

void lower_mbarrier(Lowering& lowering) {
  const auto mode = mbarrier_mode(lowering);
  if (!mode) lowering.refuse();
  MbarrierOp barrier;
  barrier.mode = *mode;
  barrier.space = mbarrier_space(lowering);
  switch (*mode) {
    case MbarrierMode::init:
    case MbarrierMode::expect_tx:
    case MbarrierMode::complete_tx:
      barrier.value = lowering.source(lowering.operand(1), 32);
      emit_mbarrier(lowering, barrier, &lowering.operand(0));
      return;
    case MbarrierMode::invalidate:
      emit_mbarrier(lowering, barrier, &lowering.operand(0));
      return;
    case MbarrierMode::pending_count:
      barrier.d = lowering.destination(lowering.operand(0), 32);
      barrier.value = lowering.source(lowering.operand(1), 64);
      barrier.value_bits = 64;
      emit_mbarrier(lowering, barrier, nullptr);
      return;
    case MbarrierMode::arrive:
    case MbarrierMode::arrive_drop:
    case MbarrierMode::arrive_expect_tx:
      barrier.d = lowering.destination(lowering.operand(0), 64);
      if (lowering.operand_count() > 2) barrier.value = lowering.source(lowering.operand(2), 32);
      emit_mbarrier(lowering, barrier, &lowering.operand(1));
      return;
    default:
      break;
  }
  const bool has_parity =
      *mode == MbarrierMode::test_wait_parity || *mode == MbarrierMode::try_wait_parity;
  barrier.value_bits = has_parity ? 32 : 64;
  barrier.d = lowering.destination(lowering.operand(0), 1);
  barrier.value = lowering.source(lowering.operand(2), barrier.value_bits);
  emit_mbarrier(lowering, barrier, &lowering.operand(1));
}

void lower_copy(Lowering& lowering) {
  if (lowering.has_modifier("commit_group") || lowering.has_modifier("wait_group") ||
      lowering.has_modifier("wait_all") || lowering.has_modifier("prefetch")) {
    // A copy is complete before the next instruction begins.
    if (lowering.has_modifier("tensor")) lowering.refuse();
    return;
  }
  if (lowering.has_modifier("mbarrier")) {
    MbarrierOp barrier;
    barrier.mode = MbarrierMode::async_arrive;
    barrier.space = mbarrier_space(lowering);
    barrier.is_without_increment = lowering.has_modifier("noinc");
    emit_mbarrier(lowering, barrier, &lowering.operand(0));
    return;
  }
  if (lowering.has_modifier("bulk")) {
    lower_bulk_copy(lowering, lowering.instruction().mnemonic == "cp" &&
                                  lowering.instruction().modifiers.front() == "reduce");
    return;
  }
  lower_lane_copy(lowering);
}

void lower_nanosleep(Lowering& lowering) {
  Op op;
  op.kind = OpKind::nanosleep;
  lowering.emit(op);
}

}  // namespace sweep
