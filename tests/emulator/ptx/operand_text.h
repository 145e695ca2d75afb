#pragma once

#include <string>

#include "engine/emulator/ptx/module.h"

namespace sweep::testing {

/// An operand as a test compares it: "%r1", "!p", "<%tid.x>", "12", "0f3f800000", "&x+4", "@f",
/// "[%rd1+16]", "[x, {1, 2}]", "#3" for a label, "{a, _}", "?shape" for what is none of these.
/// A variable of the module has a dot in front: "&.x".
std::string text_of(const ptx::Operand& operand, const ptx::Function& function,
                    const ptx::Module& module);
/// "@!p ld.global.u32 %r1, [%rd1]"
std::string text_of(const ptx::Instruction& instruction, const ptx::Function& function,
                    const ptx::Module& module);

}  // namespace sweep::testing
