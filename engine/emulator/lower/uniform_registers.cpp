#include "engine/emulator/lower/uniform_registers.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sweep {
namespace {

using ptx::Operand;

/// What differs between lanes whatever its operands are, or has effects.
bool is_own_value(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 15> names = {
      "atom", "shfl", "vote", "match",    "activemask", "elect", "call", "redux",
      "red",  "fns",  "addc", "ldmatrix", "mbarrier",   "subc",  "madc"};
  return std::ranges::find(names, instruction.mnemonic) != names.end();
}

bool is_uniform_special(std::string_view name) {
  constexpr std::array<std::string_view, 4> prefixes = {"%ctaid", "%nctaid", "%ntid", "%smid"};
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// The registers that an instruction's first operand names.
template <class Work>
void for_each_result(const ptx::Instruction& instruction, Work work) {
  if (instruction.operands.empty()) return;
  const Operand& first = instruction.operands.front();
  if (first.kind == Operand::Kind::reg) work(first.reg);
  if (first.kind != Operand::Kind::list) return;
  for (const Operand& element : first.elements) {
    if (element.kind == Operand::Kind::reg) work(element.reg);
  }
}

}  // namespace

UniformRegisters::UniformRegisters(const FlatCode& flat, const std::vector<CodeBlock>& blocks)
    : flat_(flat), is_uniform_(flat.registers.size(), false) {
  std::vector<std::uint32_t> definitions(flat.registers.size(), 0);
  std::vector<std::uint32_t> code;
  for (const CodeBlock& block : blocks) {
    for (std::uint32_t at = block.begin; at < block.end; ++at) code.push_back(at);
    if (block.ender != none) code.push_back(block.ender);
  }
  const auto for_each_register = [&](std::uint32_t at, auto work) {
    const std::uint32_t first = flat.frames[flat.code[at].frame].first_register;
    for_each_result(*flat.code[at].instruction, [&](ptx::RegisterId reg) { work(first + reg); });
  };
  for (const std::uint32_t at : code) {
    for_each_register(at, [&](std::uint32_t reg) { ++definitions[reg]; });
  }
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (const std::uint32_t at : code) {
      if (!is_known(at)) continue;
      for_each_register(at, [&](std::uint32_t reg) {
        if (is_uniform_[reg] || definitions[reg] != 1) return;
        is_uniform_[reg] = has_changed = true;
      });
    }
  }
}

/// Whether all that an instruction reads is uniform.
bool UniformRegisters::is_known(std::uint32_t instruction) const {
  const ptx::Instruction& ptx = *flat_.code[instruction].instruction;
  if (ptx.guard || is_own_value(ptx)) return false;
  return std::all_of(ptx.operands.begin() + (ptx.operands.empty() ? 0 : 1), ptx.operands.end(),
                     [&](const Operand& operand) { return is_uniform(instruction, operand); });
}

bool UniformRegisters::is_uniform(std::uint32_t instruction, const Operand& operand) const {
  const std::uint32_t first = flat_.frames[flat_.code[instruction].frame].first_register;
  switch (operand.kind) {
    case Operand::Kind::reg:
      return is_uniform_[first + operand.reg];
    case Operand::Kind::address:
      return operand.base != Operand::Base::reg || is_uniform_[first + operand.reg];
    case Operand::Kind::special:
      return is_uniform_special(operand.name);
    case Operand::Kind::integer:
    case Operand::Kind::f32:
    case Operand::Kind::f64:
    case Operand::Kind::variable:
      return true;
    case Operand::Kind::list:
      return std::ranges::all_of(operand.elements, [&](const Operand& element) {
        return is_uniform(instruction, element);
      });
    default:
      return false;
  }
}

}  // namespace sweep
