#include "engine/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace sweep {

Terminal terminal_of(int file_descriptor) {
  Terminal terminal;
  terminal.is_terminal = isatty(file_descriptor) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  const bool forbidden = no_color != nullptr && *no_color != '\0';
  terminal.color = terminal.is_terminal && !dumb && !forbidden;
  winsize size{};
  if (terminal.is_terminal && ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.width = size.ws_col;
  }
  return terminal;
}

}  // namespace sweep
