#pragma once

#include <string>

#include "engine/spec/pattern.h"

namespace sweep {

/// Whether two names, of which the compiler makes its own absolute, are one file's.
bool is_same_file(const std::string& name, const std::string& other);

/// Whether a file that the compiler names is the pattern's own; the compiler makes names absolute.
bool is_file_of(const Pattern& pattern, const std::string& file);

}  // namespace sweep
