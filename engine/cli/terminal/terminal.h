#pragma once

#include <cstddef>
#include <limits>

namespace sweep {

/// What `--color` asks for; `automatic` is colour where it can be shown.
enum class ColorChoice { automatic, always, never };

/// Elsewhere than in a terminal tables are as wide as this; lists, which programs read, are not
/// broken at all.
constexpr std::size_t file_width = 120;
constexpr std::size_t unbroken = std::numeric_limits<std::size_t>::max();

/// Whether what is written goes to a terminal, and how.
struct Terminal {
  bool is_terminal = false;
  bool color = false;
  bool live = false;       ///< a line may be written over
  std::size_t width = 80;  ///< columns
  std::size_t height = 0;  ///< lines; 0 where they are not known
  bool unicode = false;    ///< shows characters beyond ASCII

  /// The terminal's columns; `elsewhere` where there is none.
  std::size_t width_or(std::size_t elsewhere) const { return is_terminal ? width : elsewhere; }
};

/// What stands behind a file descriptor. `--color` decides on colour; without it NO_COLOR in the
/// environment takes it away, CLICOLOR_FORCE other than 0 forces it, and otherwise it needs a
/// terminal, TERM other than "dumb", and CLICOLOR other than 0. A live line needs a terminal and
/// TERM other than "dumb", whatever the colours. Characters beyond ASCII are shown by terminals
/// whose locale (LC_ALL, LC_CTYPE or LANG, the first that is set) is one of UTF-8.
Terminal terminal_of(int file_descriptor);

/// The choice for this process; `automatic` until set.
void set_color_choice(ColorChoice choice);

}  // namespace sweep
