#pragma once

#include <string_view>
#include <vector>

#include "engine/emulator/ptx/lexer.h"
#include "engine/emulator/ptx/module.h"

namespace sweep::ptx {

/// A variable with its name as it stands in the text, which outlives the variable's moves.
struct DeclaredVariable {
  std::string_view name;
  Variable variable;
  bool is_register = false;  ///< a parameter with `.reg`, as before PTX 2.0
};

/// Reads `.align 4 .b8 name[8] = {...}, other;` behind the directive that names the space, up to
/// and with the semicolon.
std::vector<DeclaredVariable> read_variables(Lexer& lexer, Space space, bool is_extern);

/// Reads `(.param .u64 a, .param .align 8 .b8 b[24])`; an empty pair of parentheses too.
std::vector<DeclaredVariable> read_parameters(Lexer& lexer);

/// Reads the type behind `.reg`.
Type read_register_type(Lexer& lexer);

}  // namespace sweep::ptx
