// Register operations: whatever has no row in the instruction table.

#include <algorithm>
#include <array>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;

/// The condition code that add.cc and its kin write and addc and its kin read.
bool writes_carry(const ptx::Instruction& instruction) {
  return std::ranges::find(instruction.modifiers, "cc") != instruction.modifiers.end();
}
bool reads_carry(const ptx::Instruction& instruction) {
  return instruction.mnemonic == "addc" || instruction.mnemonic == "subc" ||
         instruction.mnemonic == "madc";
}

/// cvt's narrow types depend on the register that they land in.
AluOperation find_conversion(Lowering& lowering, std::uint32_t& d, unsigned& register_bits) {
  std::vector<std::string_view> modifiers = lowering.instruction().modifiers;
  const Operand& to = lowering.operand(0);
  // A register that is wider than its operation asks for is filled whole.
  modifiers.emplace_back("d32");
  AluOperation operation = lowering.find_alu("cvt", modifiers);
  const unsigned bits = operation.function != nullptr ? operation.d_bits : 32;
  d = lowering.wide_destination(to, bits, register_bits);
  if (register_bits == 1 || register_bits == 128)
    lowering.refuse("the destination has another width");
  modifiers.back() = register_bits == 64 ? "d64" : register_bits == 16 ? "d16" : "d32";
  return lowering.find_alu("cvt", modifiers);
}

}  // namespace

void lower_alu(Lowering& lowering) {
  const ptx::Instruction& instruction = lowering.instruction();
  if (instruction.operands.empty()) lowering.refuse();
  const bool is_cvt = instruction.mnemonic == "cvt";
  AluOperands operands;
  AluOperation operation;
  unsigned register_bits = 0;
  if (is_cvt) {
    operation = find_conversion(lowering, operands.d, register_bits);
  } else {
    std::vector<std::string_view> modifiers = instruction.modifiers;
    const bool has_pair = lowering.operand(0).kind == Operand::Kind::list;
    if (instruction.mnemonic == "setp" && has_pair) modifiers.emplace_back("two");
    operation = lowering.find_alu(instruction.mnemonic, modifiers);
  }
  if (operation.function == nullptr) lowering.refuse();
  std::size_t next = 1;
  const Operand& to = lowering.operand(0);
  if (!is_cvt && to.kind == Operand::Kind::list) {
    if (to.elements.size() != 2 || operation.d2_bits == 0) lowering.refuse();
    operands.d = lowering.destination(to.elements[0], operation.d_bits);
    operands.d2 = lowering.destination(to.elements[1], operation.d2_bits);
  } else {
    if (!is_cvt) operands.d = lowering.destination(to, operation.d_bits);
    if (operation.d2_bits != 0) operands.d2 = lowering.temporary(operation.d2_bits);
  }
  if (writes_carry(instruction)) operands.d2 = lowering.carry();
  const std::array<std::uint8_t, 4> widths = {operation.a_bits, operation.b_bits, operation.c_bits,
                                              operation.e_bits};
  const std::array<std::uint32_t*, 4> sources = {&operands.a, &operands.b, &operands.c,
                                                 &operands.e};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0) continue;
    if (i == 3 && reads_carry(instruction)) {
      *sources[i] = lowering.carry();
      continue;
    }
    const Operand& operand = lowering.operand(next++);
    if (is_cvt && widths[i] > 1) {
      unsigned source_bits = 0;
      *sources[i] = lowering.wide_source(operand, widths[i], source_bits);
      if (source_bits == 64 && widths[i] <= 32) {
        AluOperands narrow;
        narrow.d = lowering.temporary(32);
        narrow.a = *sources[i];
        lowering.emit_alu("cvt", {"u32", "u64", "d32"}, narrow);
        *sources[i] = narrow.d;
      } else if (source_bits == 1 || source_bits == 128 ||
                 (source_bits < widths[i] && widths[i] > 32)) {
        lowering.refuse("an operand has another width");
      }
    } else {
      *sources[i] = lowering.source(operand, widths[i]);
    }
  }
  if (next != lowering.operand_count()) lowering.refuse("it has operands that have no meaning");
  lowering.emit_alu(instruction.mnemonic, operation, operands);
}

}  // namespace sweep
