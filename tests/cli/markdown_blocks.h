#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// A fenced block of a Markdown file.
struct FencedBlock {
  std::string kind;      ///< what stands after the fence: "sh", "yaml"
  std::string text;      ///< its lines
  std::string prose;     ///< what stands between it and the block or heading before, in one line
  std::size_t line = 0;  ///< of the fence, from 1
};

std::vector<FencedBlock> fenced_blocks(std::string_view markdown);

/// The targets of links and pictures, in order.
std::vector<std::string> links_of(std::string_view markdown);

/// The anchors that GitHub gives the headings.
std::vector<std::string> anchors_of(std::string_view markdown);

/// What stands between backticks.
std::vector<std::string> code_spans(std::string_view text);

}  // namespace sweep
