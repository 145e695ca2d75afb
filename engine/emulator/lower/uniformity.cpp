#include <algorithm>

#include "engine/emulator/lower/kernel_passes.h"
#include "engine/emulator/lower/op_facts.h"

namespace sweep {
namespace {

/// Which registers hold one value in all lanes of a warp, as far as a compiler sees it: those that
/// a single op computes from constants, parameters, the block's place, or what it loads from a
/// uniform address of memory that the lanes share.
class UniformityAnalysis {
 public:
  explicit UniformityAnalysis(const Kernel& kernel);

  bool varies_by_lane(std::uint32_t slot) const { return !is_uniform_[slot / slot_step]; }

 private:
  static constexpr std::uint32_t slot_step = 4;

  std::vector<bool> is_uniform_;
};

UniformityAnalysis::UniformityAnalysis(const Kernel& kernel)
    : is_uniform_(kernel.register_bytes / slot_step + 1, false) {
  for (const ConstantSlot& constant : kernel.constants) {
    if (!constant.varies_by_lane) is_uniform_[constant.slot / slot_step] = true;
  }
  std::vector<std::uint8_t> writers(is_uniform_.size(), 0);  // 2: several
  const auto note_writes = [&](const OpFacts& facts) {
    for (const std::uint32_t slot : facts.writes) {
      std::uint8_t& count = writers[slot / slot_step];
      count = static_cast<std::uint8_t>(std::min(count + 1, 2));
    }
  };
  std::vector<OpFacts> candidates;
  for (const Op& op : kernel.ops) {
    OpFacts facts = facts_of(kernel, op);
    note_writes(facts);
    if (op.guard == none && !facts.varies_by_lane) candidates.push_back(std::move(facts));
  }
  for (const BasicBlock& block : kernel.blocks) {
    const bool has_op = block.end == EndKind::collective || block.end == EndKind::barrier;
    if (has_op) note_writes(facts_of(kernel, block.op));
  }
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    std::erase_if(candidates, [&](const OpFacts& facts) {
      if (std::ranges::any_of(facts.reads, [&](auto slot) { return varies_by_lane(slot); })) {
        return false;
      }
      for (const std::uint32_t slot : facts.writes) {
        if (writers[slot / slot_step] == 1) is_uniform_[slot / slot_step] = true;
      }
      has_changed = true;
      return true;
    });
  }
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

void mark_aggregated_atomics(Kernel& kernel) {
  const auto is_atomic = [](const Op& op) { return op.kind == OpKind::atomic; };
  if (std::ranges::none_of(kernel.ops, is_atomic)) return;
  const UniformityAnalysis uniformity(kernel);
  for (const Op& op : kernel.ops) {
    if (!is_atomic(op)) continue;
    MemoryOp& memory = kernel.memory[op.detail];
    memory.is_aggregated =
        !uniformity.varies_by_lane(memory.address.slot) &&
        can_be_aggregated(memory, !uniformity.varies_by_lane(memory.values.front()));
  }
}

}  // namespace sweep
