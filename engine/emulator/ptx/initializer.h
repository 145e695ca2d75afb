#pragma once

#include <cstdint>
#include <vector>

#include "engine/emulator/ptx/lexer.h"
#include "engine/emulator/ptx/module.h"

namespace sweep::ptx {

/// How the elements of a variable lie in memory, so that nested braces find their place.
struct Layout {
  Type type = Type::b8;
  /// Bytes of an element at each level of braces: 32 and 4 for `.b32 a[4][8]`. At least one.
  std::vector<std::uint64_t> strides;
  std::uint64_t bytes = 0;       ///< of all
  bool has_open_length = false;  ///< `a[]`: the initialiser says how long; `bytes` does not count
};

struct Initializer {
  std::vector<Variable::Cell> cells;  ///< without those that are zero
  std::uint64_t bytes = 0;            ///< from the start to the end of the last element named
};

/// Reads what follows the `=` of a variable: a number, an address, or braces around such.
Initializer read_initializer(Lexer& lexer, const Layout& layout);

}  // namespace sweep::ptx
