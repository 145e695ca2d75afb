#include <algorithm>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

bool is_memory(OpKind kind) {
  switch (kind) {
    case OpKind::load:
    case OpKind::store:
    case OpKind::atomic:
    case OpKind::async_copy:
    case OpKind::bulk_copy:
    case OpKind::tensor_copy:
    case OpKind::texture:
    case OpKind::load_matrix:
    case OpKind::store_matrix:
      return true;
    default:
      return false;
  }
}

/// Which registers hold what is computed from loaded data, by slot, whatever the order of the ops.
/// Shared and local memory carry on what is stored to them.
class LoadedData {
 public:
  explicit LoadedData(const Kernel& kernel)
      : kernel_(kernel), is_loaded_(kernel.register_bytes / slot_step + 1, false) {
    do {
      has_changed_ = false;
      for (const Op& op : kernel.ops) follow(op);
      for (const BasicBlock& block : kernel.blocks) {
        if (block.has_op()) follow(block.op);
      }
    } while (has_changed_);
  }

  bool has(std::uint32_t slot) const { return slot != none && is_loaded_[slot / slot_step]; }

 private:
  void follow(const Op& op) {
    const OpFacts facts = facts_of(kernel_, op);
    bool is_of_data = std::ranges::any_of(facts.reads, [&](auto slot) { return has(slot); }) ||
                      has(op.guard) || op.kind == OpKind::multiply_warpgroup;
    if (is_memory(op.kind)) {
      const MemoryOp& memory = kernel_.memory[op.detail];
      const bool is_load = op.kind != OpKind::store && op.kind != OpKind::store_matrix;
      is_of_data |= is_load && (!is_of_block(memory.space) || stores_data_);
      // A copy brings data.
      const bool is_copy = op.kind == OpKind::async_copy || op.kind == OpKind::bulk_copy ||
                           op.kind == OpKind::tensor_copy;
      const bool stores = !is_load || op.kind == OpKind::atomic;
      if (is_copy || (stores && is_of_data && memory.space != ptx::Space::global)) {
        note(stores_data_);
      }
    }
    if (!is_of_data) return;
    for (const std::uint32_t slot : facts.writes) note(is_loaded_, slot / slot_step);
  }

  void note(bool& fact) {
    has_changed_ |= !fact;
    fact = true;
  }
  void note(std::vector<bool>& facts, std::size_t place) {
    has_changed_ |= !facts[place];
    facts[place] = true;
  }

  static constexpr std::uint32_t slot_step = 4;  ///< bytes: slots of predicates have no more

  const Kernel& kernel_;
  std::vector<bool> is_loaded_;
  bool stores_data_ = false;  ///< to shared or local memory
  bool has_changed_ = false;
};

}  // namespace

std::uint32_t find_data_dependence(const Kernel& kernel) {
  const LoadedData data(kernel);
  for (const BasicBlock& block : kernel.blocks) {
    for (std::uint32_t i = 0; i < block.op_count; ++i) {
      const Op& op = kernel.ops[block.first_op + i];
      if (!is_memory(op.kind)) continue;
      const MemoryOp& memory = kernel.memory[op.detail];
      const bool is_dependent =
          data.has(op.guard) || data.has(memory.address.slot) || data.has(memory.to_address.slot) ||
          data.has(memory.size) ||
          std::ranges::any_of(memory.coordinates, [&](auto slot) { return data.has(slot); });
      if (is_dependent) return op.instruction;
    }
    if (data.has(block.predicate) || data.has(block.index)) return block.instruction;
  }
  return none;
}

}  // namespace sweep
