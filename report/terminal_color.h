#pragma once

#include <string>
#include <string_view>

namespace sweep {

// ECMA-48's escapes (SGR) for what stands out in a terminal.
inline constexpr std::string_view bold = "\x1b[1m";
inline constexpr std::string_view dim = "\x1b[2m";
inline constexpr std::string_view red = "\x1b[31m";
inline constexpr std::string_view green = "\x1b[32m";
inline constexpr std::string_view yellow = "\x1b[33m";

/// The text between the escape and the one that ends it; as it is without colours or an escape.
std::string painted(const std::string& text, std::string_view escape, bool color);

}  // namespace sweep
