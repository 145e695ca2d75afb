#pragma once

#include <string>
#include <string_view>

namespace sweep {

/// A text so many times after itself.
inline std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace sweep
