#pragma once

#include <string>
#include <vector>

namespace sweep {

/// A line that is moved out of the body.
struct Include {
  std::size_t offset = 0;  ///< in the body
  std::string text;
};

/// CUDA source without its #include lines, which are blanked, those lines, and the names of its
/// macros. An #include under a condition stays where it is.
struct SplitBody {
  std::string text;
  std::vector<Include> includes;
  std::vector<std::string> macros;
};

SplitBody split_body(const std::string& body);

}  // namespace sweep
