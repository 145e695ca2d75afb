#pragma once

#include <cstddef>

#include "engine/text/diagnostic.h"

namespace sweep {

enum class TextKind {
  yaml,  ///< no control characters but tabs and line ends
  code,  ///< no NUL; compilers take the other control characters as they are
};

/// Whether the bytes of `source` from `begin` to `end` are UTF-8 text whose lines end with LF or
/// CRLF. If not, adds a message about the first that is not. A lone CR is refused because some
/// tools take it for a line's end and others do not, so that their line numbers would differ.
bool check_text(const SourcePtr& source, std::size_t begin, std::size_t end, TextKind kind,
                Diagnostics& diagnostics);

}  // namespace sweep
