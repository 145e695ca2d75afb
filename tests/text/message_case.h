#pragma once

#include <fmt/format.h>

#include <string>

#include "engine/text/diagnostic.h"

namespace sweep::testing {

/// "LINE:COLUMN+LENGTH message | help", one line for each message.
inline std::string messages(const Diagnostics& diagnostics) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    const Location& where = diagnostic.where;
    if (!result.empty()) result += '\n';
    result +=
        fmt::format("{}:{}+{} {}", where.line, where.column, where.length, diagnostic.message);
    if (!diagnostic.help.empty()) result += " | " + diagnostic.help;
  }
  return result;
}

}  // namespace sweep::testing
