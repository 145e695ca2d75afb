#pragma once

#include <stdexcept>
#include <string>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// A kernel that the emulator cannot execute: the instruction, where it stands, and what to do.
class UnsupportedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes the kernel `entry` of a module ready for execution: calls become part of it, registers
/// and constants get slots, basic blocks an order. Only code that the entry reaches is looked at.
/// Throws UnsupportedError and ptx::SyntaxError.
Kernel lower(const ptx::Module& module, const std::string& entry, Simd simd);

}  // namespace sweep
