#pragma once

#include <string>
#include <string_view>

#include "engine/spec/kernel_draft.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// What begins a comment in a pattern's header that says what its writer has to put in.
inline constexpr std::string_view fill_in_mark = "# fill in: ";

/// The text of a pattern file for an existing kernel, with what the source says of its parameters,
/// its launch and its memory. What is a guess has a mark (see fill_in_mark).
std::string draft_pattern(const DraftRequest& request);

/// Notes for who checks the pattern: one for every mark that is left in its header ("left to fill
/// in: ..."), and what of its files its parameters replace.
Diagnostics notes_on(const Pattern& pattern);

}  // namespace sweep
