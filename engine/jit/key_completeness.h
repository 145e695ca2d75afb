#pragma once

#include "engine/spec/pattern.h"

namespace sweep {

/// Whether the pattern's text and included text hold everything that compiling it reads, the
/// toolkit's headers apart. Not so when its text asks for the date or whether a file is there. May
/// say no without need, since comments and strings count as well.
bool key_is_complete(const Pattern& pattern);

}  // namespace sweep
