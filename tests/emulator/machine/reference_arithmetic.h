#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "engine/emulator/ptx/module.h"

namespace sweep::testing {

/// The value of an arithmetic instruction of one thread from its sources' bits; a predicate is 0 or
/// 1. Empty when it is none. Written from the PTX ISA's text.
std::optional<std::uint64_t> reference_value(const ptx::Instruction& instruction,
                                             const std::array<std::uint64_t, 3>& sources);

/// The low bits of a value, extended as the type's sign says.
std::uint64_t as_type(std::uint64_t value, ptx::Type type);

}  // namespace sweep::testing
