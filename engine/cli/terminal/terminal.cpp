#include "engine/cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/text/characters.h"

namespace sweep {
namespace {

ColorChoice& color_choice() {
  static ColorChoice choice = ColorChoice::automatic;
  return choice;
}

/// An environment variable's value; empty where it is not set.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
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
  if (!variable("NO_COLOR").empty()) return false;
  const std::string_view force = variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return capable && variable("CLICOLOR") != "0";
}

bool has_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = in_small_letters(std::string(variable(name)));
    if (locale.empty()) continue;
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

Terminal terminal_of(int file_descriptor) {
  Terminal terminal;
  terminal.is_terminal = isatty(file_descriptor) == 1;
  const std::string_view term = variable("TERM");
  const bool dumb = term.empty() || term == "dumb";
  terminal.live = terminal.is_terminal && !dumb;
  terminal.color = shows_color(terminal.live);
  terminal.unicode = terminal.live && has_utf8_locale();
  winsize size{};
  if (terminal.is_terminal && ioctl(file_descriptor, TIOCGWINSZ, &size) == 0) {
    if (size.ws_col > 0) terminal.width = size.ws_col;
    terminal.height = size.ws_row;
  }
  return terminal;
}

void set_color_choice(ColorChoice choice) {
  color_choice() = choice;
}

}  // namespace sweep
