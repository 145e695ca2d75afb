// Calls into the system, alloca and the stack.

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;

std::uint32_t local_offset(Lowering& lowering, const Operand& operand) {
  if (operand.kind != Operand::Kind::variable) lowering.refuse("an argument is not a variable");
  const Lowering::VariablePlace place = lowering.place_of(operand.variable);
  if (place.space != ptx::Space::local) lowering.refuse("an argument is not a variable of its own");
  return static_cast<std::uint32_t>(place.offset);
}

}  // namespace

void lower_system_call(Lowering& lowering) {
  CallOp call;
  std::string_view callee;
  for (const Operand& operand : lowering.instruction().operands) {
    if (operand.kind == Operand::Kind::function) callee = operand.name;
    if (operand.kind != Operand::Kind::list) continue;
    for (const Operand& element : operand.elements) {
      const std::uint32_t offset = local_offset(lowering, element);
      if (callee.empty()) {
        call.result = offset;
      } else {
        call.arguments.push_back(offset);
      }
    }
  }
  Op op;
  if (callee == "malloc" || callee == "free") lowering.refuse("there is no heap on the emulator");
  op.kind = callee == "vprintf" ? OpKind::print : OpKind::assert_fail;
  const std::size_t needed = op.kind == OpKind::print ? 2 : 4;
  if (call.arguments.size() < needed) lowering.refuse("it has too few arguments");
  op.detail = static_cast<std::uint32_t>(lowering.kernel().calls.size());
  op.instruction = lowering.note_instruction();
  lowering.kernel().calls.push_back(std::move(call));
  lowering.emit(op);
}

/// alloca d, bytes{, alignment}; stacksave d; stackrestore a: a stack above the variables.
void lower_stack(Lowering& lowering) {
  const std::string_view name = lowering.instruction().mnemonic;
  const bool is_restore = name == "stackrestore";
  CallOp call;
  unsigned bits = 0;
  if (is_restore) {
    call.a = lowering.wide_source(lowering.operand(0), 64, bits);
  } else {
    call.d = lowering.wide_destination(lowering.operand(0), 64, bits);
    unsigned size_bits = 0;
    if (name == "alloca") call.a = lowering.wide_source(lowering.operand(1), 64, size_bits);
    if (name == "alloca" && size_bits != 64) lowering.refuse("its size is not 64 bits wide");
  }
  if (bits != 64) lowering.refuse("its address is not 64 bits wide");
  lowering.kernel().has_alloca = true;
  Op op;
  op.kind = is_restore ? OpKind::stack_restore : OpKind::stack_allocate;
  op.detail = static_cast<std::uint32_t>(lowering.kernel().calls.size());
  op.instruction = lowering.note_instruction();
  lowering.kernel().calls.push_back(std::move(call));
  lowering.emit(op);
}

}  // namespace sweep
