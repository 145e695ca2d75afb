#pragma once

#include "engine/spec/pattern.h"
#include "engine/text/diagnostic.h"

namespace sweep {

/// Makes of the files that the pattern includes what is compiled with it. Macros, constants, types
/// and enumerators that have the name of a parameter give way to it; `replaced` says where, unless
/// the file itself asks whether the macro is defined. Then what the pattern does not need is left out
/// (see slice). Every place in a message stays the file's.
void prepare_included_code(Pattern& pattern, Diagnostics& diagnostics);

}  // namespace sweep
