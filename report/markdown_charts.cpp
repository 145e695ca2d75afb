#include "report/markdown_charts.h"

#include <algorithm>

#include "report/charts/chart.h"
#include "report/markdown_text.h"

namespace sweep {
namespace {

/// A file's name as a link's target: what is no plain character becomes %XX.
std::string escape_link(const std::string& file) {
  constexpr std::string_view plain = "-._~/";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string link;
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                          (c >= 'a' && c <= 'z') || plain.find(c) != std::string_view::npos;
    if (is_plain) {
      link += c;
    } else {
      link += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return link;
}

}  // namespace

std::string write_charts(const RunResults& results, const ChartPictures& pictures) {
  const bool has_any =
      std::ranges::any_of(pictures.files, [](const std::string& file) { return !file.empty(); });
  if (!has_any && pictures.note.empty()) return {};
  const std::vector<Chart> charts = charts_of(results);
  if (charts.empty()) return {};
  std::string text = "## Charts\n\n";
  for (std::size_t i = 0; i < std::min(charts.size(), pictures.files.size()); ++i) {
    if (pictures.files[i].empty()) continue;
    const Chart& chart = charts[i];
    text += "### " + escape_markdown(chart.title) + "\n\n![" + escape_markdown(chart.description) +
            "](" + escape_link(pictures.files[i]) + ")\n\n";
    if (!chart.caption.empty()) text += escape_markdown(chart.caption) + "\n\n";
  }
  if (!pictures.note.empty()) text += escape_markdown(pictures.note) + "\n\n";
  return text;
}

}  // namespace sweep
