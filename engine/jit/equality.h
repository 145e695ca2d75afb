#pragma once

#include <optional>
#include <string_view>

namespace sweep {

/// A condition of the form `actual == expected`.
struct Equality {
  std::string_view actual;
  std::string_view expected;
};

/// Splits a CUDA expression at its only `==`; nothing when it has another form, such as
/// `a == b && c == d`, so that only the condition as a whole can be evaluated.
std::optional<Equality> split_equality(std::string_view condition);

}  // namespace sweep
