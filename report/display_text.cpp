#include "report/display_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/text/units.h"

namespace sweep {

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t taken = columns_of(text);
  return std::string(width > taken ? width - taken : 0, ' ').append(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t taken = columns_of(text);
  return std::string(text).append(width > taken ? width - taken : 0, ' ');
}

std::string cut_to_width(std::string text, std::size_t width, bool unicode) {
  if (columns_of(text) <= width) return text;
  const std::size_t taken = std::min<std::size_t>(width, unicode ? 1 : 3);
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size();) {
    const std::string_view rest = std::string_view(text).substr(end);
    const std::size_t length = std::max<std::size_t>(character_length(rest), 1);
    columns += columns_of(rest.substr(0, length));
    if (columns > width - taken) break;
    end += length;
  }
  text.resize(end);
  return text + (unicode && taken > 0 ? "…" : std::string(taken, '.'));
}

std::string printable(std::string_view text) {
  return printable_text(text, "\t", "?");
}

std::string in_words(const std::vector<std::string>& parts, std::string_view last) {
  if (parts.size() < 2) return parts.empty() ? std::string() : parts.front();
  return fmt::format("{} {} {}", fmt::join(parts.begin(), parts.end() - 1, ", "), last,
                     parts.back());
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string_view fraction_of(std::string_view figure) {
  const std::size_t point = figure.find('.');
  return point == std::string_view::npos ? std::string_view() : figure.substr(point);
}

std::string format_total(double count) {
  constexpr double most = 1e18;
  const double clamped = std::isnan(count) ? 0 : std::clamp(count, 0.0, most);
  return format_thousands(static_cast<std::uint64_t>(clamped));
}

std::string as_sentence(std::string text) {
  if (!text.empty()) text[0] = to_capital(text[0]);
  if (!text.ends_with('.')) text += '.';
  return text;
}

std::string as_paragraph(std::span<const std::string> sentences) {
  std::string paragraph;
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) paragraph += (paragraph.empty() ? "" : " ") + sentence + '.';
  }
  return paragraph;
}

std::string painted(const std::string& text, std::string_view escape, bool color) {
  return color && !escape.empty() ? std::string(escape) + text + "\x1b[0m" : text;
}

}  // namespace sweep
