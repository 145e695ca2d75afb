#include "tests/emulator/ptx/operand_text.h"

#include <fmt/format.h>

namespace sweep::testing {
namespace {

using ptx::Operand;

std::string name_of(ptx::VariableRef reference, const ptx::Function& function,
                    const ptx::Module& module) {
  if (reference.is_local_to_function) {
    return std::string(function.variables.at(reference.index).name);
  }
  return fmt::format(".{}", module.variables().at(reference.index).name);
}

std::string offset_text(std::int64_t value) {
  return value == 0 ? "" : fmt::format("{:+}", value);
}

std::string elements_text(const Operand& operand, const ptx::Function& function,
                          const ptx::Module& module) {
  std::string result;
  for (const Operand& element : operand.elements) {
    if (!result.empty()) result += ", ";
    result += text_of(element, function, module);
  }
  return result;
}

std::string address_text(const Operand& operand, const ptx::Function& function,
                         const ptx::Module& module) {
  std::string result;
  switch (operand.base) {
    case Operand::Base::none:
      result = fmt::format("[{}", operand.value);
      break;
    case Operand::Base::reg:
      result =
          fmt::format("[{}{}", function.registers.at(operand.reg).name, offset_text(operand.value));
      break;
    case Operand::Base::variable:
      result = "[" + name_of(operand.variable, function, module) + offset_text(operand.value);
      break;
  }
  if (!operand.elements.empty()) result += ", " + elements_text(operand, function, module);
  return result + "]";
}

}  // namespace

std::string text_of(const Operand& operand, const ptx::Function& function,
                    const ptx::Module& module) {
  const std::string sign = operand.is_negated ? "!" : "";
  switch (operand.kind) {
    case Operand::Kind::sink:
      return "_";
    case Operand::Kind::reg:
      return fmt::format("{}{}", sign, function.registers.at(operand.reg).name);
    case Operand::Kind::special:
      return fmt::format("<{}>", operand.name);
    case Operand::Kind::integer:
      return fmt::format("{}", operand.value);
    case Operand::Kind::f32:
      return fmt::format("0f{:08x}", operand.value);
    case Operand::Kind::f64:
      return fmt::format("0d{:016x}", static_cast<std::uint64_t>(operand.value));
    case Operand::Kind::variable:
      return "&" + name_of(operand.variable, function, module) + offset_text(operand.value);
    case Operand::Kind::function:
      return fmt::format("@{}", operand.name);
    case Operand::Kind::address:
      return address_text(operand, function, module);
    case Operand::Kind::label:
      return fmt::format("#{}", operand.value);
    case Operand::Kind::list:
      return "{" + elements_text(operand, function, module) + "}";
    case Operand::Kind::other:
      return fmt::format("?{}", operand.name);
  }
  return "not an operand";
}

std::string text_of(const ptx::Instruction& instruction, const ptx::Function& function,
                    const ptx::Module& module) {
  std::string result;
  if (instruction.guard) {
    result = fmt::format("@{}{} ", instruction.is_guard_negated ? "!" : "",
                         function.registers.at(*instruction.guard).name);
  }
  result += instruction.opcode();
  std::string separator = " ";
  for (const Operand& operand : instruction.operands) {
    result += separator + text_of(operand, function, module);
    separator = ", ";
  }
  return result;
}

}  // namespace sweep::testing
