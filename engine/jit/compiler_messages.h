#pragma once

#include <string_view>

#include "engine/text/diagnostic.h"

namespace sweep {

/// The compiler's log as diagnostics: those about `source` point into it; those about other files
/// keep the compiler's own place in their text, and only if they are errors. Errors of the
/// assembler have no place. Remarks and repetitions are left out.
Diagnostics read_compiler_log(std::string_view log, const SourcePtr& source);

}  // namespace sweep
