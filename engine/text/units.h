#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sweep {

constexpr std::int64_t Ki = 1024;
constexpr std::int64_t Mi = 1024 * Ki;
constexpr std::int64_t Gi = 1024 * Mi;

/// "512 B", "1 GiB", "1.5 GiB": binary units, at most one decimal.
std::string format_bytes(std::uint64_t bytes);
/// "1 Mi", "48": the largest binary unit that divides the value exactly.
std::string format_count(std::int64_t value);
/// "350 ms", "12 s", "3 min 20 s", "2 h 5 min"; "unknown" for infinities and NaN
std::string format_duration(double seconds);
/// Four significant digits, in scientific notation only below 1e-9 and from 1e15 on: "4254",
/// "12.35", "0.5012". Larger integers keep all their digits.
std::string format_figure(double value);
/// "6.2 %" of a share of 1: two significant digits, rounded down, so that less than all is never
/// "100 %".
std::string format_part(double share);
/// 12345 -> "12,345"
std::string format_thousands(std::uint64_t value);
/// "1 point", "12,345 points": a noun whose plural ends in s.
std::string count_of(std::uint64_t count, std::string_view noun);

/// What format_bytes writes, other decimals too: "1048576", "256 Mi", "1.5 GiB", "10 B". Nothing
/// for anything else, and for what does not fit.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// A decimal number, optionally followed by '%' which divides it by 100: "0.5 %", "2", "1e-3".
/// Nothing for anything else, infinities and NaN included.
std::optional<double> parse_decimal(std::string_view text);

}  // namespace sweep
