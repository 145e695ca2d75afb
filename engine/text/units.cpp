#include "engine/text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sweep {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  const double rounded = std::round(value * 10) / 10;
  return fmt::format("{:.{}f} {}", rounded, rounded == std::floor(rounded) ? 0 : 1, units[unit]);
}

std::string format_count(std::int64_t value) {
  constexpr std::pair<const char*, std::int64_t> units[] = {{"Gi", Gi}, {"Mi", Mi}, {"Ki", Ki}};
  for (const auto& [name, size] : units) {
    if (value != 0 && value % size == 0) return fmt::format("{} {}", value / size, name);
  }
  return std::to_string(value);
}

std::string format_duration(double seconds) {
  if (seconds < 0) return "-" + format_duration(-seconds);
  if (!(seconds < 1e15)) return "unknown";  // NaN and infinity too
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  // Each limit is where the rounded figure would reach the next unit.
  if (seconds < 59.5) return fmt::format("{:.{}f} s", seconds, seconds < 9.95 ? 1 : 0);
  const std::int64_t whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  const std::int64_t minutes = std::llround(seconds / 60);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string format_figure(double value) {
  if (std::isnan(value)) return "nan";
  if (value == 0) return "0";
  std::string scientific = fmt::format("{:.3e}", value);
  if (!std::isfinite(value)) return scientific;
  const double magnitude = std::fabs(value);
  if (magnitude < 1e-9 || magnitude >= 1e15) return scientific;
  // The exponent after rounding: 9.9996 is 10.00, not 10.000.
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  return fmt::format("{:.{}f}", value, std::max(3 - exponent, 0));
}

std::string format_part(double share) {
  const double percent = share * 100;
  if (!(percent > 0)) return "0 %";
  if (percent >= 100) return "100 %";
  const double step = std::pow(10, std::floor(std::log10(percent)) - 1);
  // A quotient that rounding left just below a whole number counts as it.
  return fmt::format("{:.3g} %", std::floor(percent / step + 1e-9) * step);
}

std::string format_thousands(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string count_of(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_thousands(count), noun, count == 1 ? "" : "s");
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view letters = "KMGTPE";
  text = trim(text);
  if (text.ends_with('B')) text.remove_suffix(1);
  int shift = 0;
  if (text.ends_with('i')) {
    const std::size_t letter =
        text.size() < 2 ? std::string_view::npos : letters.find(text[text.size() - 2]);
    if (letter == std::string_view::npos) return std::nullopt;
    shift = 10 * (static_cast<int>(letter) + 1);
    text.remove_suffix(2);
  }
  text = trim(text);
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  std::uint64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc{} && end == text.data() + text.size()) {
    const std::uint64_t bytes = whole << shift;
    return bytes >> shift == whole ? std::optional(bytes) : std::nullopt;
  }
  const std::optional<double> number = parse_decimal(text);
  if (!number) return std::nullopt;
  const double bytes = std::ldexp(*number, shift);
  return bytes < 0x1p64 ? std::optional(static_cast<std::uint64_t>(bytes)) : std::nullopt;
}

std::optional<double> parse_decimal(std::string_view text) {
  text = trim(text);
  double divisor = 1;
  if (text.ends_with('%')) {
    divisor = 100;
    text = trim(text.substr(0, text.size() - 1));
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value / divisor;
}

}  // namespace sweep
