#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// CUDA source as HTML, a text for each of its lines, in which comments, words of the language,
/// numbers, strings and directives are in a <span> of their class.
std::vector<std::string> highlight_cuda(std::string_view source);

}  // namespace sweep
