#pragma once

#include <string>
#include <vector>

#include "engine/cli/data_folders.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// The pattern that a user means: a file, or the name of one in `pattern_folders`. Throws
/// CommandError when there is none, FileError, and InputError for its mistakes.
PatternPtr find_pattern(const std::string& name, const GivenFolders& folders);

}  // namespace sweep
