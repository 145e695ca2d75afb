#pragma once

#include "engine/spec/pattern.h"
#include "engine/text/diagnostic.h"

namespace sweep {

/// Macros, constants, types and enumerators of included files that have the name of a parameter
/// give way to it; `replaced` says where, unless the file itself asks whether the macro is defined.
/// Every place in a message stays the file's.
void give_way_to_parameters(Pattern& pattern, Diagnostics& diagnostics);

/// Leaves out of the files that the body includes, and of theirs, what the pattern does not need
/// (see slice); with `slices_body` of the body too.
void slice_included(Pattern& pattern, bool slices_body = false);

/// Says in `replaced` where a function or class has a constant of its own that could be taken for a
/// parameter.
void note_hidden_parameters(Pattern& pattern);

}  // namespace sweep
