#pragma once

#include <cstddef>
#include <string_view>

#include "engine/text/diagnostic.h"

namespace sweep {

/// Whether the compiler can be given the CUDA source that stands in `source` from byte `begin` on:
/// no line is too long, no comment is left open, and brackets do not stand in each other too deep
/// (spec_limits.h). If not, adds a message.
bool check_code_shape(const SourcePtr& source, std::size_t begin, Diagnostics& diagnostics);

/// Whether every bracket has its partner in the CUDA source from byte `begin` on, as far as the
/// text tells; if not, adds a message about one without, which the indents help to choose. For code
/// that does not compile: included files and macros can make good what looks wrong.
bool check_brackets(const SourcePtr& source, std::size_t begin, Diagnostics& diagnostics);

/// The same as check_code_shape for the CUDA expression `text` of a pattern's header.
bool check_expression_shape(std::string_view text, const Location& where, Diagnostics& diagnostics);

}  // namespace sweep
