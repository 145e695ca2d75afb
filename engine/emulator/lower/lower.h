#pragma once

#include <stdexcept>
#include <string>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// A kernel that the emulator cannot execute: the instruction, where it stands, and what to do.
class UnsupportedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// `where`: and what it is; `file` and `line` of the source, if they are known.
  UnsupportedError(const std::string& where, const std::string& message, std::string file = {},
                   std::uint32_t line = 0)
      : std::runtime_error(where + ": " + message),
        file_(std::move(file)),
        line_(line),
        where_(where),
        message_(message) {}

  const std::string& file() const { return file_; }
  std::uint32_t line() const { return line_; }  ///< 0: unknown
  const std::string& where() const { return where_; }
  const std::string& message() const { return message_; }  ///< without `where`

 private:
  std::string file_;
  std::uint32_t line_ = 0;
  std::string where_;
  std::string message_;
};

/// Makes the kernel `entry` of a module ready for execution: calls become part of it, registers
/// and constants get slots, basic blocks an order. Only code that the entry reaches is looked at.
/// Throws UnsupportedError and ptx::SyntaxError.
Kernel lower(const ptx::Module& module, const std::string& entry, Simd simd);

}  // namespace sweep
