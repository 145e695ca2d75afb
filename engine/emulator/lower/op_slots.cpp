#include "engine/emulator/lower/op_slots.h"

#include <initializer_list>

namespace sweep {
namespace {

constexpr std::uint32_t upper_half = warp_size * 8;

void add_slots(SlotList& list, std::initializer_list<std::uint32_t> slots) {
  for (const std::uint32_t slot : slots) {
    if (slot != none) list.push_back(slot);
  }
}

OpSlots register_operation_slots(const Op& op) {
  const AluOperands& operands = op.operands;
  OpSlots slots;
  add_slots(slots.reads, {op.reads_a ? operands.a : none, op.reads_b ? operands.b : none,
                          op.reads_c ? operands.c : none, op.reads_e ? operands.e : none});
  add_slots(slots.writes, {operands.d, op.writes_d2 ? operands.d2 : none});
  return slots;
}

/// Loads, stores, atomics, copies and matrix moves.
OpSlots memory_slots(const MemoryOp& memory, bool writes_values) {
  OpSlots slots;
  add_slots(slots.reads, {memory.address, memory.to_address, memory.size, memory.ignore_source,
                          memory.barrier_address});
  add_slots(slots.writes, {memory.result});
  SlotList& values = writes_values ? slots.writes : slots.reads;
  values.insert(values.end(), memory.values.begin(), memory.values.end());
  if (memory.type != ptx::Type::b128) return slots;
  for (const std::uint32_t value : memory.values) values.push_back(value + upper_half);
  if (memory.result != none) slots.writes.push_back(memory.result + upper_half);
  return slots;
}

}  // namespace

OpSlots slots_of(const Kernel& kernel, const Op& op) {
  OpSlots slots;
  switch (op.kind) {
    case OpKind::alu:
      return register_operation_slots(op);
    case OpKind::load:
    case OpKind::load_matrix:
      return memory_slots(kernel.memory[op.detail], true);
    case OpKind::store:
    case OpKind::atomic:
    case OpKind::async_copy:
    case OpKind::bulk_copy:
    case OpKind::store_matrix:
      return memory_slots(kernel.memory[op.detail], false);
    case OpKind::mbarrier: {
      const MbarrierOp& barrier = kernel.mbarriers[op.detail];
      add_slots(slots.reads, {barrier.address, barrier.value});
      add_slots(slots.writes, {barrier.d});
      return slots;
    }
    case OpKind::read_clock:
    case OpKind::active_mask:
      add_slots(slots.writes, {op.operands.d});
      return slots;
    case OpKind::nanosleep:
    case OpKind::print:
    case OpKind::assert_fail:
      return slots;
    case OpKind::stack_allocate:
    case OpKind::stack_restore:
      add_slots(slots.reads, {kernel.calls[op.detail].a});
      add_slots(slots.writes, {kernel.calls[op.detail].d});
      return slots;
    case OpKind::shuffle:
    case OpKind::vote:
    case OpKind::match:
    case OpKind::reduce:
    case OpKind::elect:
    case OpKind::warp_barrier:
    case OpKind::move_matrix: {
      const CollectiveOp& collective = kernel.collectives[op.detail];
      add_slots(slots.reads, {collective.members, collective.a, collective.b, collective.c});
      add_slots(slots.writes, {collective.d, collective.predicate});
      return slots;
    }
    case OpKind::barrier: {
      const BarrierOp& barrier = kernel.barriers[op.detail];
      add_slots(slots.reads, {barrier.barrier, barrier.threads, barrier.predicate});
      add_slots(slots.writes, {barrier.d});
      return slots;
    }
  }
  return slots;
}

}  // namespace sweep
