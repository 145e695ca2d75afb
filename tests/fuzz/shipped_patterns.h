#pragma once

#include <span>
#include <string_view>

namespace sweep::fuzz {

/// A file of the folder `patterns`, which is part of the program, so that it runs anywhere.
struct ShippedPattern {
  std::string_view name;  ///< without its ending
  std::string_view text;
};

/// Sorted by name.
std::span<const ShippedPattern> shipped_patterns();

}  // namespace sweep::fuzz
