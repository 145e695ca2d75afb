#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace sweep {

/// For sentences: two significant digits, whole numbers with all theirs: "0.05", "1.2", "45",
/// "120".
inline std::string two_digits(double value) {
  constexpr double first_whole = 9.95;
  return std::abs(value) < first_whole ? fmt::format("{:.2g}", value)
                                       : fmt::format("{:.0f}", value);
}

}  // namespace sweep
