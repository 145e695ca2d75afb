#include "engine/emulator/lower/register_uses.h"

#include <algorithm>

#include "engine/emulator/lower/instruction_table.h"

namespace sweep {
namespace {

using ptx::Operand;

bool is_removable_load(const ptx::Instruction& instruction) {
  if (row_of(instruction).lower != lower_load) return false;
  return std::ranges::none_of(instruction.modifiers, [](std::string_view modifier) {
    return modifier == "volatile" || modifier == "relaxed" || modifier == "acquire" ||
           modifier == "mmio";
  });
}

}  // namespace

RegisterUses::RegisterUses(const FlatCode& flat, const std::vector<CodeBlock>& blocks)
    : flat_(flat), uses_(flat.registers.size(), 0), is_dead_(flat.code.size(), false) {
  std::vector<std::uint32_t> loads;
  for (const CodeBlock& block : blocks) {
    for (std::uint32_t at = block.begin; at < block.end; ++at) {
      count(at, 1);
      if (is_removable_load(*flat.code[at].instruction)) loads.push_back(at);
    }
    if (block.ender != none) count(block.ender, 1);
  }
  // Without one load, what computed its address from another may be unused too.
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (auto load = loads.rbegin(); load != loads.rend(); ++load) {
      if (is_dead_[*load] || !is_result_unused(*load)) continue;
      is_dead_[*load] = true;
      count(*load, -1);
      has_changed = true;
    }
  }
}

void RegisterUses::count_operand(std::uint32_t frame, const Operand& operand, int change) {
  const bool names_register =
      operand.kind == Operand::Kind::reg ||
      (operand.kind == Operand::Kind::address && operand.base == Operand::Base::reg);
  if (names_register) uses_[flat_.frames[frame].first_register + operand.reg] += change;
  for (const Operand& element : operand.elements) count_operand(frame, element, change);
}

void RegisterUses::count(std::uint32_t instruction, int change) {
  const FlatInstruction& flat = flat_.code[instruction];
  for (const Operand& operand : flat.instruction->operands) {
    count_operand(flat.frame, operand, change);
  }
  if (flat.instruction->guard) {
    uses_[flat_.frames[flat.frame].first_register + *flat.instruction->guard] += change;
  }
}

bool RegisterUses::is_result_unused(std::uint32_t instruction) const {
  const FlatInstruction& flat = flat_.code[instruction];
  if (flat.instruction->operands.empty()) return false;
  const Operand& result = flat.instruction->operands.front();
  const auto is_unused = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::sink) return true;
    return operand.kind == Operand::Kind::reg &&
           uses_[flat_.frames[flat.frame].first_register + operand.reg] == 1;
  };
  return result.kind == Operand::Kind::list ? std::ranges::all_of(result.elements, is_unused)
                                            : is_unused(result);
}

}  // namespace sweep
