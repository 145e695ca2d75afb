#pragma once

#include <vector>

#include "engine/emulator/ptx/lexer.h"
#include "engine/emulator/ptx/module.h"

namespace sweep::ptx {

/// Reads `.align 4 .b8 name[8] = {...}, other;` behind the directive that names the space, up to
/// and with the semicolon.
std::vector<Variable> read_variables(Lexer& lexer, Space space, bool is_extern);

/// Reads `(.param .u64 a, .param .align 8 .b8 b[24])`; an empty pair of parentheses too. Notes
/// whether any is a register, as before PTX 2.0.
std::vector<Variable> read_parameters(Lexer& lexer, bool& has_registers);

/// Reads the type behind `.reg`.
Type read_register_type(Lexer& lexer);

/// Reads the body of `function`, from its `{` past its `}`. Its variables are its parameters and
/// results.
void read_body(Lexer& lexer, const ModuleNames& module, Function& function);

}  // namespace sweep::ptx
