#pragma once

#include <string_view>
#include <vector>

#include "engine/emulator/ptx/lexer.h"
#include "engine/emulator/ptx/module.h"

namespace sweep::ptx {

/// What stands in front of a function's body, but for the body.
struct FunctionHeader {
  Function function;                    ///< without a body
  std::vector<std::string_view> names;  ///< of the parameters and results, as in the text
  bool has_register_parameters = false;
};

/// Goes from behind `.entry` or `.func` to the `{` or `;` and gives the function's name.
std::string_view skip_function_header(Lexer& lexer);
/// Reads the same.
FunctionHeader read_function_header(Lexer& lexer);

}  // namespace sweep::ptx
