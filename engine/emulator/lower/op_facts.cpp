#include "engine/emulator/lower/op_facts.h"

#include <initializer_list>

namespace sweep {
namespace {

SlotList slots(std::initializer_list<std::uint32_t> slots) {
  SlotList list;
  for (const std::uint32_t slot : slots) {
    if (slot != none) list.push_back(slot);
  }
  return list;
}

/// Loads, stores, atomics, copies and matrix moves.
OpFacts memory_facts(const MemoryOp& memory, bool writes_values) {
  OpFacts facts;
  facts.reads = slots({memory.address.slot, memory.to_address.slot, memory.size,
                       memory.ignore_source, memory.barrier.slot});
  facts.writes = slots({memory.result});
  SlotList& values = writes_values ? facts.writes : facts.reads;
  values.insert(values.end(), memory.values.begin(), memory.values.end());
  if (memory.type != ptx::Type::b128) return facts;
  for (const std::uint32_t value : memory.values) values.push_back(value + upper_half);
  if (memory.result != none) facts.writes.push_back(memory.result + upper_half);
  return facts;
}

}  // namespace

OpFacts facts_of(const Kernel& kernel, const Op& op) {
  switch (op.kind) {
    case OpKind::alu: {
      const AluOperands& operands = op.operands;
      return {slots({op.reads_a ? operands.a : none, op.reads_b ? operands.b : none,
                     op.reads_c ? operands.c : none, op.reads_e ? operands.e : none}),
              slots({operands.d, op.writes_d2 ? operands.d2 : none}), false};
    }
    case OpKind::load: {
      const MemoryOp& memory = kernel.memory[op.detail];
      OpFacts facts = memory_facts(memory, true);
      // Local memory is each lane's own, and a generic address may lie in it.
      facts.varies_by_lane =
          memory.space != ptx::Space::global && memory.space != ptx::Space::shared;
      return facts;
    }
    case OpKind::load_matrix:
      return memory_facts(kernel.memory[op.detail], true);
    case OpKind::store:
    case OpKind::atomic:
    case OpKind::async_copy:
    case OpKind::bulk_copy:
    case OpKind::store_matrix:
      return memory_facts(kernel.memory[op.detail], false);
    case OpKind::mbarrier: {
      const MbarrierOp& barrier = kernel.mbarriers[op.detail];
      return {slots({barrier.address.slot, barrier.value}), slots({barrier.d})};
    }
    case OpKind::read_clock:
    case OpKind::active_mask:
      return {{}, {op.operands.d}};
    case OpKind::nanosleep:
    case OpKind::print:
    case OpKind::assert_fail:
      return {};
    case OpKind::stack_allocate:
    case OpKind::stack_restore:
      return {slots({kernel.calls[op.detail].a}), slots({kernel.calls[op.detail].d})};
    case OpKind::shuffle:
    case OpKind::vote:
    case OpKind::match:
    case OpKind::reduce:
    case OpKind::elect:
    case OpKind::warp_barrier:
    case OpKind::move_matrix: {
      const CollectiveOp& collective = kernel.collectives[op.detail];
      return {slots({collective.members, collective.a, collective.b, collective.c}),
              slots({collective.d, collective.predicate})};
    }
    case OpKind::barrier: {
      const BarrierOp& barrier = kernel.barriers[op.detail];
      return {slots({barrier.barrier, barrier.threads, barrier.predicate}), slots({barrier.d})};
    }
  }
  return {};
}

}  // namespace sweep
