#include "engine/emulator/machine/execution_plan.h"

#include <algorithm>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

/// Without calls at a function's very end, as debuggers want it, each step takes some stack.
constexpr std::size_t most_steps_in_a_row = 256;

/// By op, whether it computes the same in all blocks: what nothing else writes, from constants and
/// such results.
std::vector<bool> find_lasting_ops(const Kernel& kernel, std::span<const ConstantSlot> varying) {
  std::vector<std::uint8_t> writers(kernel.register_bytes / 4 + 1, 0);
  const auto note = [&](const Op& op) {
    for (const std::uint32_t slot : facts_of(kernel, op).writes) {
      std::uint8_t& count = writers[slot / 4];
      count = static_cast<std::uint8_t>(std::min(count + 1, 2));
    }
  };
  std::ranges::for_each(kernel.ops, note);
  for (const BasicBlock& block : kernel.blocks) {
    if (block.has_op()) note(block.op);
  }
  std::vector<bool> lasts(writers.size(), false);
  for (const ConstantSlot& constant : kernel.constants) lasts[constant.slot / 4] = true;
  for (const ConstantSlot& constant : varying) lasts[constant.slot / 4] = false;
  std::vector<bool> lasting;
  for (const Op& op : kernel.ops) {
    const OpFacts facts = facts_of(kernel, op);
    lasting.push_back(
        op.alu != nullptr && op.guard == none &&
        std::ranges::all_of(facts.reads, [&](std::uint32_t slot) { return lasts[slot / 4]; }) &&
        std::ranges::all_of(facts.writes,
                            [&](std::uint32_t slot) { return writers[slot / 4] == 1; }));
    if (!lasting.back()) continue;
    for (const std::uint32_t slot : facts.writes) lasts[slot / 4] = true;
  }
  return lasting;
}

}  // namespace

ExecutionPlan::ExecutionPlan(const Kernel& kernel, std::span<const ConstantSlot> varying) {
  const AluStep end = {end_alu_steps, {}};
  const std::vector<bool> lasting = find_lasting_ops(kernel, varying);
  for (const BasicBlock& block : kernel.blocks) {
    begins.push_back(static_cast<std::uint32_t>(steps.size()));
    std::size_t in_a_row = 0;  // 0: the next register operation begins a step
    const auto end_row = [&] {
      if (in_a_row != 0) alu.push_back(end);
      in_a_row = 0;
    };
    for (std::uint32_t at = block.first_op; at < block.first_op + block.op_count; ++at) {
      const Op& op = kernel.ops[at];
      if (lasting[at]) {
        once.push_back({op.alu, op.operands});
        continue;
      }
      if (op.alu == nullptr) {
        end_row();
        const bool is_access = op.kind == OpKind::load || op.kind == OpKind::store;
        steps.push_back(
            {at, is_access ? op.detail : none, op.guard, op.is_guard_negated, op.may_wait});
        continue;
      }
      const bool goes_on = in_a_row != 0 && in_a_row < most_steps_in_a_row && op.guard == none &&
                           steps.back().guard == none;
      if (!goes_on) {
        end_row();
        steps.push_back(
            {none, static_cast<std::uint32_t>(alu.size()), op.guard, op.is_guard_negated});
      }
      alu.push_back({op.alu, op.operands});
      ++in_a_row;
    }
    end_row();
  }
  begins.push_back(static_cast<std::uint32_t>(steps.size()));
  once.push_back(end);
}

}  // namespace sweep
