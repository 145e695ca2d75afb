#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/emulator/ptx/module.h"
#include "engine/emulator/ptx/module_names.h"
#include "engine/emulator/ptx/scopes.h"

namespace sweep::ptx {

/// The names that `.branchtargets` or `.calltargets` lists.
struct TargetTable {
  std::vector<std::string_view> names;
  std::uint32_t scope = 0;
  std::uint32_t line = 0;
};

/// What was noted while the body of a function was read.
struct BodyNames {
  std::vector<std::uint32_t> scope_of_instruction;
  std::vector<TargetTable> tables;
};

/// Turns the names that OperandReader left into labels, variables and functions of the module, and
/// tables into lists. Throws SyntaxError for a name that is not declared.
void resolve_names(const BodyNames& names, Scopes& scopes, const ModuleNames& module,
                   Function& function);

}  // namespace sweep::ptx
