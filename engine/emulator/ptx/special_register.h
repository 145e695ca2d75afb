#pragma once

#include <string_view>

namespace sweep::ptx {

/// Whether `name` is a register that PTX predefines: "%tid.x", "%clock64", "%envreg7". It does not
/// say that the emulator has it.
bool is_special_register(std::string_view name);

}  // namespace sweep::ptx
