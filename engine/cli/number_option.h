#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sweep {

/// The whole number from 1 to `largest` that is given with an option, named without its dashes.
/// Throws UsageError for anything else.
std::uint64_t read_whole_number(std::string_view option, const std::string& text,
                                std::uint64_t largest);

}  // namespace sweep
