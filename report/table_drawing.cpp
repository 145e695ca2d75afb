#include "report/table_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sweep {
namespace {

constexpr std::size_t levels = 8;
constexpr std::array lying = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array standing = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// How many of `all` steps a share comes to, at least one for what is more than zero.
std::size_t steps_of(double share, std::size_t all) {
  if (!(share > 0)) return 0;
  const double steps = std::round(std::min(share, 1.0) * static_cast<double>(all));
  return std::max<std::size_t>(static_cast<std::size_t>(steps), 1);
}

std::optional<double> mean_of(std::span<const std::optional<double>> figures) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& figure : figures) {
    sum += figure.value_or(0);
    count += figure ? 1U : 0U;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace

std::string draw_bar(double share, std::size_t width, bool unicode) {
  if (!unicode) return std::string(steps_of(share, width), '#');
  const std::size_t steps = steps_of(share, width * levels);
  std::string bar;
  for (std::size_t i = 0; i < steps / levels; ++i) bar += lying.back();
  if (steps % levels != 0) bar += lying.at(steps % levels - 1);
  return bar;
}

std::string draw_course(std::span<const std::optional<double>> figures, std::size_t width) {
  double greatest = 0;
  for (const auto& figure : figures) {
    if (!figure) continue;
    if (!std::isfinite(*figure) || *figure < 0) return "";
    greatest = std::max(greatest, *figure);
  }
  if (greatest <= 0) return "";
  const std::size_t columns = std::min(width, figures.size());
  std::string course;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t begin = column * figures.size() / columns;
    const std::size_t end = (column + 1) * figures.size() / columns;
    const auto mean = mean_of(figures.subspan(begin, end - begin));
    const std::size_t height =
        mean ? std::max<std::size_t>(steps_of(*mean / greatest, levels), 1) : 0;
    course += height > 0 ? standing.at(height - 1) : " ";
  }
  return course;
}

}  // namespace sweep
