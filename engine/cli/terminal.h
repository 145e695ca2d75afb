#pragma once

#include <cstddef>

namespace sweep {

/// Whether messages and progress go to a terminal, and how.
struct Terminal {
  bool is_terminal = false;
  bool color = false;
  std::size_t width = 80;  ///< columns
};

/// What stands behind a file descriptor. Colour needs a terminal, TERM other than "dumb", and no
/// NO_COLOR in the environment.
Terminal terminal_of(int file_descriptor);

}  // namespace sweep
