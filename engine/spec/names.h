#pragma once

#include <string_view>

namespace sweep {

/// Whether `name` may be a parameter's, buffer's, argument's or struct's name: a C++ identifier
/// that means nothing else in CUDA C++ or in a pattern. Empty then, otherwise the
/// reason, as in "is a word of C++".
std::string_view why_not_a_name(std::string_view name);

}  // namespace sweep
