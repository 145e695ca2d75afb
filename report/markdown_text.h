#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// The text so that Markdown (GitHub's) shows it letter for letter, in a paragraph or a table's
/// cell. Line breaks become spaces.
std::string escape_markdown(std::string_view text);

/// A fenced block that shows the text's lines as they are.
std::string markdown_code(std::string_view text, std::string_view language);

struct MarkdownColumn {
  std::string heading;
  bool right = false;  ///< aligned to the right, as figures are
};

/// A table, padded so that it can be read as it stands. Headings and cells are Markdown already.
std::string markdown_table(const std::vector<MarkdownColumn>& columns,
                           const std::vector<std::vector<std::string>>& rows);

}  // namespace sweep
