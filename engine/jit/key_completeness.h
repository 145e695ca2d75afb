#pragma once

#include "engine/spec/pattern.h"

namespace sweep {

/// Whether the pattern's text and included text hold everything that compiling it reads, the
/// toolkit's headers apart. Not so when it may find a file of the pattern's folder with angle
/// brackets or from a file in another folder; nor when its text asks for the date or whether a file
/// is there, or includes a macro's name. May say no without need, since comments and strings count
/// as well.
bool key_is_complete(const Pattern& pattern);

/// Whether the files that the pattern includes still have the text that it was read with.
bool included_files_are_unchanged(const Pattern& pattern);

}  // namespace sweep
