#include "engine/emulator/lower/shared_bases.h"

#include <algorithm>

namespace sweep {

using ptx::Operand;

SharedBases::SharedBases(const ptx::Module& module, const FlatCode& flat,
                         const std::vector<CodeBlock>& blocks)
    : module_(module), flat_(flat), bases_(flat.registers.size(), unknown) {
  if (flat.shared_variables.empty()) return;
  bool has_changed = true;
  const auto add = [&](std::uint32_t frame, const Operand& to, Base base) {
    if (to.kind != Operand::Kind::reg) return;
    Base& known = bases_[flat_.frames[frame].first_register + to.reg];
    const Base joined = either(known, base);
    has_changed |= joined != known;
    known = joined;
  };
  while (has_changed) {
    has_changed = false;
    for (const CodeBlock& block : blocks) {
      const std::uint32_t end =
          block.ender == none ? block.end : std::max(block.end, block.ender + 1);
      for (std::uint32_t at = block.begin; at < end; ++at) {
        const FlatInstruction& flat_instruction = flat_.code[at];
        const std::vector<Operand>& operands = flat_instruction.instruction->operands;
        if (operands.empty()) continue;
        const Base base = result(at);
        add(flat_instruction.frame, operands.front(), base);
        for (const Operand& element : operands.front().elements) {
          add(flat_instruction.frame, element, base);
        }
      }
    }
  }
}

std::uint32_t SharedBases::base_of(std::uint32_t instruction, const Operand& address) const {
  const Base base = value(instruction, address);
  return base < flat_.shared_variables.size() ? base : none;
}

SharedBases::Base SharedBases::variable(std::uint32_t frame, const ptx::VariableRef& ref) const {
  const ptx::Function& function = *flat_.frames[frame].function;
  const ptx::Variable& named =
      ref.is_local_to_function ? function.variables[ref.index] : module_.variables()[ref.index];
  if (named.space != ptx::Space::shared) return number;
  if (named.is_extern) return dynamic;
  const std::uint64_t offset = ref.is_local_to_function
                                   ? flat_.frames[frame].variable_offsets[ref.index]
                                   : flat_.module_shared_offsets.at(named.name);
  const auto found = std::ranges::find_if(flat_.shared_variables, [&](const SharedVariable& each) {
    return each.offset == offset && each.bytes == named.bytes;
  });
  return static_cast<Base>(found - flat_.shared_variables.begin());
}

SharedBases::Base SharedBases::value(std::uint32_t instruction, const Operand& operand) const {
  const std::uint32_t frame = flat_.code[instruction].frame;
  const auto of_register = [&] { return bases_[flat_.frames[frame].first_register + operand.reg]; };
  switch (operand.kind) {
    case Operand::Kind::reg:
      return of_register();
    case Operand::Kind::variable:
      return variable(frame, operand.variable);
    case Operand::Kind::address:
      if (operand.base == Operand::Base::reg) return of_register();
      return operand.base == Operand::Base::variable ? variable(frame, operand.variable) : number;
    case Operand::Kind::list: {
      Base base = number;
      for (const Operand& element : operand.elements) {
        if (value(instruction, element) != number) base = several;
      }
      return base;
    }
    default:
      return number;
  }
}

/// Of two values of one register.
SharedBases::Base SharedBases::either(Base a, Base b) {
  if (a == unknown || a == b) return b;
  return b == unknown ? a : several;
}

SharedBases::Base SharedBases::sum(Base a, Base b) {
  if (a == unknown || b == unknown) return unknown;
  if (a == number) return b;
  return b == number ? a : several;
}

SharedBases::Base SharedBases::result(std::uint32_t instruction) const {
  const ptx::Instruction& ptx = *flat_.code[instruction].instruction;
  const std::string_view name = ptx.mnemonic;
  if (name == "ld" || name == "ldu") return number;
  const auto source = [&](std::size_t index) {
    return index < ptx.operands.size() ? value(instruction, ptx.operands[index]) : number;
  };
  if (name == "mov" || name == "cvta" || name == "cvt") return source(1);
  if (name == "add" || name == "or") return sum(source(1), source(2));
  if (name == "selp") return either(source(1), source(2));
  if (name == "sub" && source(2) == number) return source(1);
  if (name == "mad" && source(1) == number && source(2) == number) return source(3);
  // Anything else made of an address is one of which nothing is known.
  Base base = number;
  for (std::size_t i = 1; i < ptx.operands.size(); ++i) {
    const Base part = source(i);
    if (part == unknown) return unknown;
    if (part != number) base = several;
  }
  return base;
}

}  // namespace sweep
