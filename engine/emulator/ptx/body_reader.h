#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/emulator/ptx/lexer.h"
#include "engine/emulator/ptx/module.h"
#include "engine/emulator/ptx/scopes.h"

namespace sweep::ptx {

/// Reads operands. Names of registers and of variables of the function are looked up at once. Any
/// other name becomes an Operand of the kind `label` with the name and its offset, to be looked up
/// when the whole function is known, since labels are used before they are declared.
class OperandReader {
 public:
  OperandReader(Lexer& lexer, Scopes& scopes, const ModuleNames& module)
      : lexer_(lexer), scopes_(scopes), module_(module) {}

  /// One operand, with a second one behind `|` if there is one.
  Operand read();
  /// `(a, b)`; nothing within is allowed too.
  Operand read_parenthesised_list();
  /// A predicate's register, for a guard.
  RegisterId read_guard();

 private:
  Operand read_one(int depth);
  Operand read_list(char open, char close, int depth);
  Operand read_address(int depth);
  void read_base(Operand& address);
  std::optional<Operand> find_local(std::string_view name);
  Operand read_number();
  Operand read_word();
  Operand read_negated_word();
  /// The current word with a suffix that touches it, as "%tid.x".
  std::string_view take_dotted_word();

  Lexer& lexer_;
  Scopes& scopes_;
  const ModuleNames& module_;
};

/// Reads the body of `function`, from its `{` past its `}`. The function's variables are its
/// parameters and results, whose names in the text are `names`, in the same order.
void read_body(Lexer& lexer, const ModuleNames& module, const std::vector<std::string_view>& names,
               Function& function);

}  // namespace sweep::ptx
