#include <algorithm>
#include <array>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Registers = std::vector<bool>;

/// Instructions of which the first operand is nothing but a result. Where more have one, their
/// results count as read: more registers are kept.
constexpr auto writers = std::to_array<std::string_view>(
    {"abs", "add", "and", "cvt", "cvta", "fma",  "ld",  "mad", "max", "min", "mov",
     "mul", "neg", "not", "or",  "selp", "setp", "shl", "shr", "sub", "xor"});

void set_all(const Operand& operand, Registers& registers, bool value) {
  if (operand.names_register()) registers[operand.reg] = value;
  for (const Operand& element : operand.elements) set_all(element, registers, value);
}

std::vector<std::size_t> successors_of(const Instruction& instruction, std::size_t at) {
  std::vector<std::size_t> list;
  const auto add = [&](const auto& self, const Operand& operand) -> void {
    if (operand.kind == Operand::Kind::label)
      list.push_back(static_cast<std::size_t>(operand.value));
    for (const Operand& element : operand.elements) self(self, element);
  };
  for (const Operand& operand : instruction.operands) add(add, operand);
  const std::string_view name = instruction.mnemonic;
  const bool leaves = name == "bra" || name == "brx" || name == "ret" || name == "exit";
  if (!leaves || instruction.guard) list.push_back(at + 1);
  return list;
}

/// From what is needed behind an instruction to what is needed before it.
void step_back(const Instruction& instruction, Registers& needed) {
  const std::vector<Operand>& operands = instruction.operands;
  const bool writes =
      std::ranges::find(writers, instruction.mnemonic) != writers.end() && !operands.empty();
  if (writes && !instruction.guard) set_all(operands.front(), needed, false);
  for (std::size_t i = writes ? 1 : 0; i < operands.size(); ++i) set_all(operands[i], needed, true);
  if (instruction.guard) needed[*instruction.guard] = true;
}

}  // namespace

std::map<std::uint32_t, std::vector<ptx::RegisterId>> registers_behind_calls(
    const ptx::Function& function) {
  constexpr std::size_t most_bits = 1U << 26U;
  const std::size_t size = function.code.size();
  const std::size_t count = function.registers.size();
  const bool is_too_large = count != 0 && (size + 1) > most_bits / count;
  // What each instruction needs that stands there, or one behind it.
  std::vector<Registers> needed(size + 1, Registers(count, is_too_large));
  for (bool has_changed = !is_too_large; has_changed;) {
    has_changed = false;
    for (std::size_t at = size; at-- > 0;) {
      Registers before(count, false);
      for (const std::size_t next : successors_of(function.code[at], at)) {
        if (next > size) continue;
        for (std::size_t i = 0; i < count; ++i) before[i] = before[i] || needed[next][i];
      }
      step_back(function.code[at], before);
      has_changed |= before != needed[at];
      needed[at] = std::move(before);
    }
  }
  std::map<std::uint32_t, std::vector<ptx::RegisterId>> result;
  for (std::uint32_t at = 0; at < size; ++at) {
    if (function.code[at].mnemonic != "call") continue;
    std::vector<ptx::RegisterId>& list = result[at];
    for (ptx::RegisterId i = 0; i < count; ++i) {
      if (needed[at + 1][i]) list.push_back(i);
    }
  }
  return result;
}

}  // namespace sweep
