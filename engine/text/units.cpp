#include "engine/text/units.h"

#include <fmt/format.h>

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
  struct Unit {
    const char* name;
    std::int64_t size;
  };
  constexpr std::array units = {Unit{"Gi", std::int64_t{1} << 30}, Unit{"Mi", 1 << 20},
                                Unit{"Ki", 1 << 10}};
  for (const Unit& unit : units) {
    if (value != 0 && value % unit.size == 0)
      return fmt::format("{} {}", value / unit.size, unit.name);
  }
  return std::to_string(value);
}

std::string format_duration(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.{}f} s", seconds, seconds < 9.95 ? 1 : 0);
  const auto total = static_cast<std::int64_t>(std::llround(seconds));
  if (total < 3600) return fmt::format("{} min {} s", total / 60, total % 60);
  return fmt::format("{} h {} min", total / 3600, total % 3600 / 60);
}

std::string format_figure(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double magnitude = std::fabs(value);
  if (magnitude >= 1e15) return fmt::format("{:.3e}", value);
  int decimals = 0;
  if (magnitude > 0) {
    const int exponent = static_cast<int>(std::floor(std::log10(magnitude)));
    decimals = exponent >= 3 ? 0 : std::min(3 - exponent, 12);
  }
  std::string text = fmt::format("{:.{}f}", value, decimals);
  return text;
}

std::string format_thousands(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::optional<double> parse_decimal(std::string_view text) {
  text = trim(text);
  double scale = 1;
  if (text.ends_with('%')) {
    scale = 0.01;
    text = trim(text.substr(0, text.size() - 1));
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value * scale;
}

}  // namespace sweep
