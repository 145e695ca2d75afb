#pragma once

#include <string_view>

#include "engine/spec/pattern.h"

namespace sweep {

/// The compiler's log as diagnostics that point into the pattern and the files that it includes, as
/// far as they can: an error elsewhere keeps the compiler's own place in its text, and is left out
/// where it follows from others. So are warnings that are not about the pattern's file, remarks and
/// repetitions. `ptx` is what the assembler was given, with its places; without it, errors of the
/// assembler have none.
Diagnostics read_compiler_log(std::string_view log, const Pattern& pattern,
                              std::string_view ptx = {});

/// Whether errors in the log have a place in the PTX.
bool needs_ptx(std::string_view log);

}  // namespace sweep
