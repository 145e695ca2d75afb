#include "report/terminal_color.h"

namespace sweep {

std::string painted(const std::string& text, std::string_view escape, bool color) {
  return color && !escape.empty() ? std::string(escape) + text + "\x1b[0m" : text;
}

}  // namespace sweep
