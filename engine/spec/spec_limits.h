#pragma once

#include <cstddef>
#include <cstdint>

/// How large what patterns and sweeps say may be; text_limits.h bounds the texts themselves. `sweep
/// help limits` lists them.
namespace sweep::spec_limits {

constexpr std::size_t axis_values = 1'000'000;
constexpr std::size_t tables = 100;
constexpr std::size_t charts = 100;
constexpr double measure_seconds = 86'400;  ///< for a configuration: a day
constexpr std::int64_t samples = 1'000'000;
constexpr double tune_seconds = 31'536'000;  ///< for a search: a year
constexpr std::size_t name_bytes = 255;      ///< of a parameter, an axis, a struct, a buffer

// Of a pattern's CUDA source: past these the compiler takes gigabytes, or ends with its process.
constexpr std::size_t line_bytes = 64U << 10U;
constexpr std::size_t bracket_depth = 500;  ///< parentheses, brackets and braces in each other

// Of what a pattern includes.
constexpr std::size_t included_bytes = 64U << 20U;  ///< all files together
constexpr std::size_t inclusions = 100'000;         ///< of files, each as often as it is read

}  // namespace sweep::spec_limits
