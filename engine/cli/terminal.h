#pragma once

#include <cstddef>

namespace sweep {

/// What `--color` asks for; `automatic` is colour where it can be shown.
enum class ColorChoice { automatic, always, never };

/// Whether messages and progress go to a terminal, and how.
struct Terminal {
  bool is_terminal = false;
  bool color = false;
  bool live = false;       ///< a line may be written over
  std::size_t width = 80;  ///< columns
};

/// What stands behind a file descriptor. Unless `--color` says otherwise, colour needs a terminal,
/// TERM other than "dumb", and no NO_COLOR in the environment. A live line needs a terminal and
/// TERM other than "dumb", whatever the colours.
Terminal terminal_of(int file_descriptor);

/// The choice for this process; `automatic` until set.
void set_color_choice(ColorChoice choice);

}  // namespace sweep
