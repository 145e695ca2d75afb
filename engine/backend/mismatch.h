#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/backend/backend.h"

namespace sweep {

/// One side of a check at one element, as the generated code writes it (see translation_unit.h).
struct ShownValue {
  std::int32_t kind = 0;  ///< 0 unknown, 1 signed, 2 unsigned, 3 floating, 4 boolean
  std::int32_t components = 0;
  std::array<std::uint64_t, 4> bits{};
};

/// What a generated check writes.
struct CheckResult {
  std::uint64_t count = 0;
  std::uint64_t first = ~std::uint64_t{0};
  ShownValue actual;
  ShownValue expected;
};

/// "42", "-1.5", "(1, 2, 3, 4)"; empty when the value cannot be shown.
std::string to_string(const ShownValue& value);

/// The sentence a failed point gets: how many elements fail, and the first of them. `which` says
/// which elements of the buffer these are of, where they are not all.
std::string describe_mismatch(const VerificationPlan& plan, const CheckResult& result,
                              std::string_view which = "");

}  // namespace sweep
