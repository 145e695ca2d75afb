#pragma once

#include <string_view>
#include <vector>

#include "engine/emulator/ptx/lexer.h"
#include "engine/emulator/ptx/module.h"
#include "engine/emulator/ptx/module_names.h"

namespace sweep::ptx {

/// Reads the body of `function`, from its `{` past its `}`. The function's variables are its
/// parameters and results, whose names in the text are `names`, in the same order.
void read_body(Lexer& lexer, const ModuleNames& module, const std::vector<std::string_view>& names,
               Function& function);

}  // namespace sweep::ptx
