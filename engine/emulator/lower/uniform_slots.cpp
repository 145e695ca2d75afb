#include "engine/emulator/lower/uniform_slots.h"

#include <algorithm>

#include "engine/emulator/lower/op_slots.h"

namespace sweep {
namespace {

/// Whether lanes may get different results from the same operands.
bool varies_by_lane(const Kernel& kernel, const Op& op) {
  switch (op.kind) {
    case OpKind::alu:
      return false;
    case OpKind::load: {
      // Local memory is each lane's own, and a generic address may lie in it.
      const ptx::Space space = kernel.memory[op.detail].space;
      return space != ptx::Space::global && space != ptx::Space::shared;
    }
    case OpKind::store:
    case OpKind::atomic:
    case OpKind::async_copy:
    case OpKind::bulk_copy:
    case OpKind::mbarrier:
    case OpKind::load_matrix:
    case OpKind::store_matrix:
    case OpKind::read_clock:
    case OpKind::nanosleep:
    case OpKind::stack_allocate:
    case OpKind::stack_restore:
    case OpKind::print:
    case OpKind::assert_fail:
    case OpKind::shuffle:
    case OpKind::vote:
    case OpKind::match:
    case OpKind::reduce:
    case OpKind::active_mask:
    case OpKind::elect:
    case OpKind::warp_barrier:
    case OpKind::move_matrix:
    case OpKind::barrier:
      return true;
  }
  return true;
}

bool varies_by_lane(ConstantSlot::Kind kind) {
  using Kind = ConstantSlot::Kind;
  switch (kind) {
    case Kind::immediate:
    case Kind::parameter:
    case Kind::parameter_base:
    case Kind::variable:
    case Kind::ntid_x:
    case Kind::ntid_y:
    case Kind::ntid_z:
    case Kind::ctaid_x:
    case Kind::ctaid_y:
    case Kind::ctaid_z:
    case Kind::nctaid_x:
    case Kind::nctaid_y:
    case Kind::nctaid_z:
    case Kind::smid:
      return false;
    case Kind::tid_x:
    case Kind::tid_y:
    case Kind::tid_z:
    case Kind::laneid:
    case Kind::lanemask_eq:
    case Kind::lanemask_le:
    case Kind::lanemask_lt:
    case Kind::lanemask_ge:
    case Kind::lanemask_gt:
    // The same in all lanes, but read as others that are not.
    case Kind::warpid:
    case Kind::nwarpid:
    case Kind::nsmid:
    case Kind::gridid:
    case Kind::dynamic_shared_size:
    case Kind::total_shared_size:
      return true;
  }
  return true;
}

/// Whether one lane can do what a warp's lanes do at one address: sums of integers, those of 64
/// bits when all add the same; other operations on 32 bits when nothing needs their results.
/// Measured on 9.0.
bool can_be_aggregated(const MemoryOp& memory, bool has_uniform_value) {
  const bool is_32 = memory.type == ptx::Type::b32 || memory.type == ptx::Type::u32 ||
                     memory.type == ptx::Type::s32;
  const bool is_64 = memory.type == ptx::Type::u64 || memory.type == ptx::Type::s64;
  switch (memory.operation) {
    case AtomicOperation::add:
      return is_32 || (is_64 && has_uniform_value);
    case AtomicOperation::minimum:
    case AtomicOperation::maximum:
    case AtomicOperation::bit_and:
    case AtomicOperation::bit_or:
    case AtomicOperation::bit_xor:
      return is_32 && memory.has_unused_result;
    case AtomicOperation::increment:
    case AtomicOperation::decrement:
    case AtomicOperation::exchange:
    case AtomicOperation::compare_exchange:
      return false;
  }
  return false;
}

}  // namespace

UniformSlots::UniformSlots(const Kernel& kernel)
    : is_uniform_(kernel.register_bytes / slot_step + 1, false) {
  for (const ConstantSlot& constant : kernel.constants) {
    if (!varies_by_lane(constant.kind)) is_uniform_[constant.slot / slot_step] = true;
  }
  std::vector<std::uint8_t> writers(is_uniform_.size(), 0);  // 2: several
  const auto note_writes = [&](const OpSlots& slots) {
    for (const std::uint32_t slot : slots.writes) {
      std::uint8_t& count = writers[slot / slot_step];
      count = static_cast<std::uint8_t>(std::min(count + 1, 2));
    }
  };
  std::vector<OpSlots> candidates;
  for (const Op& op : kernel.ops) {
    OpSlots slots = slots_of(kernel, op);
    note_writes(slots);
    if (op.guard == none && !varies_by_lane(kernel, op)) candidates.push_back(std::move(slots));
  }
  for (const BasicBlock& block : kernel.blocks) {
    const bool has_op = block.end == EndKind::collective || block.end == EndKind::barrier;
    if (has_op) note_writes(slots_of(kernel, block.op));
  }
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    std::erase_if(candidates, [&](const OpSlots& slots) {
      if (!std::ranges::all_of(slots.reads, [&](auto slot) { return contains(slot); }))
        return false;
      for (const std::uint32_t slot : slots.writes) {
        if (writers[slot / slot_step] == 1) is_uniform_[slot / slot_step] = true;
      }
      has_changed = true;
      return true;
    });
  }
}

void mark_aggregated_atomics(Kernel& kernel) {
  const auto is_atomic = [](const Op& op) { return op.kind == OpKind::atomic; };
  if (std::ranges::none_of(kernel.ops, is_atomic)) return;
  const UniformSlots uniform(kernel);
  for (const Op& op : kernel.ops) {
    if (!is_atomic(op)) continue;
    MemoryOp& memory = kernel.memory[op.detail];
    memory.is_aggregated = uniform.contains(memory.address) &&
                           can_be_aggregated(memory, uniform.contains(memory.values.front()));
  }
}

}  // namespace sweep
