#pragma once

#include <string>

namespace sweep {

/// A file's name as the compiler is told it, and tells it in its messages: quotes, backslashes and
/// control characters, which the compiler or its assembler would trip over, are underscores.
std::string compiler_file_name(std::string name);

}  // namespace sweep
