#include "engine/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace sweep {
namespace {

ColorChoice& color_choice() {
  static ColorChoice choice = ColorChoice::automatic;
  return choice;
}

bool shows_color(bool capable) {
  switch (color_choice()) {
    case ColorChoice::always:
      return true;
    case ColorChoice::never:
      return false;
    case ColorChoice::automatic:
      break;
  }
  const char* no_color = std::getenv("NO_COLOR");
  return capable && (no_color == nullptr || *no_color == '\0');
}

}  // namespace

Terminal terminal_of(int file_descriptor) {
  Terminal terminal;
  terminal.is_terminal = isatty(file_descriptor) == 1;
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  terminal.live = terminal.is_terminal && !dumb;
  terminal.color = shows_color(terminal.live);
  winsize size{};
  if (terminal.is_terminal && ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.width = size.ws_col;
  }
  return terminal;
}

void set_color_choice(ColorChoice choice) {
  color_choice() = choice;
}

}  // namespace sweep
