#include "engine/emulator/ptx/name_resolution.h"

#include <fmt/format.h>

namespace sweep::ptx {
namespace {

/// Every use of a table copies it.
constexpr std::size_t most_table_entries = std::size_t{1} << 17;

class Resolver {
 public:
  Resolver(const BodyNames& names, Scopes& scopes, const ModuleNames& module)
      : names_(names), scopes_(scopes), module_(module) {}

  void resolve(Operand& operand, std::uint32_t scope, std::uint32_t line) {
    for (Operand& element : operand.elements) resolve(element, scope, line);
    if (operand.kind != Operand::Kind::label) return;
    const auto symbol = scopes_.find_from(scope, operand.name);
    if (symbol && symbol->kind == Symbol::Kind::label) {
      check_no_offset(operand, line);
      operand.value = symbol->index;
    } else if (symbol && symbol->kind == Symbol::Kind::table) {
      resolve_table(operand, names_.tables[symbol->index], line);
    } else if (symbol && symbol->kind == Symbol::Kind::prototype) {
      operand.kind = Operand::Kind::other;
    } else {
      resolve_in_module(operand, line);
    }
  }

 private:
  void resolve_in_module(Operand& operand, std::uint32_t line) {
    const auto variable = module_.variables.find(operand.name);
    if (variable != module_.variables.end()) {
      operand.kind = Operand::Kind::variable;
      operand.variable = {false, variable->second};
      return;
    }
    if (module_.functions.find(operand.name) == module_.functions.end()) {
      throw SyntaxError(line, fmt::format("'{}' is not declared", operand.name));
    }
    check_no_offset(operand, line);
    operand.kind = Operand::Kind::function;
  }

  void resolve_table(Operand& operand, const TargetTable& table, std::uint32_t line) {
    table_entries_ += table.names.size();
    if (table_entries_ > most_table_entries) {
      throw SyntaxError(line, "the function has too many branch targets");
    }
    operand.kind = Operand::Kind::list;
    for (const std::string_view name : table.names) {
      Operand target;
      target.kind = Operand::Kind::label;
      target.name = name;
      const auto symbol = scopes_.find_from(table.scope, name);
      if (symbol && symbol->kind == Symbol::Kind::label) {
        target.value = symbol->index;
      } else {
        resolve_in_module(target, table.line);
      }
      operand.elements.push_back(std::move(target));
    }
  }

  static void check_no_offset(const Operand& operand, std::uint32_t line) {
    if (operand.value == 0) return;
    throw SyntaxError(line, fmt::format("'{}' is code and takes no offset", operand.name));
  }

  const BodyNames& names_;
  Scopes& scopes_;
  const ModuleNames& module_;
  std::size_t table_entries_ = 0;
};

}  // namespace

void resolve_names(const BodyNames& names, Scopes& scopes, const ModuleNames& module,
                   Function& function) {
  Resolver resolver(names, scopes, module);
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    Instruction& instruction = function.code[i];
    for (Operand& operand : instruction.operands) {
      resolver.resolve(operand, names.scope_of_instruction[i], instruction.ptx_line);
    }
  }
}

}  // namespace sweep::ptx
