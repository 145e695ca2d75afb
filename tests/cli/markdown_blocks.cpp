#include "tests/cli/markdown_blocks.h"

#include <cctype>
#include <regex>
#include <sstream>

namespace sweep {

std::vector<FencedBlock> fenced_blocks(std::string_view markdown) {
  std::vector<FencedBlock> blocks;
  std::istringstream lines{std::string(markdown)};
  bool inside = false;
  std::string prose;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("```")) {
      if (!inside) blocks.push_back({line.substr(3), "", prose, number});
      inside = !inside;
      prose.clear();
    } else if (inside) {
      blocks.back().text += line + "\n";
    } else if (line.starts_with('#')) {
      prose.clear();
    } else {
      prose += line + " ";
    }
  }
  return blocks;
}

std::vector<std::string> links_of(std::string_view markdown) {
  const std::string text(markdown);
  const std::regex link(R"(\[([^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\))");
  std::vector<std::string> links;
  for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
    links.push_back((*at)[2]);
  }
  return links;
}

std::vector<std::string> anchors_of(std::string_view markdown) {
  std::vector<std::string> anchors;
  std::istringstream lines{std::string(markdown)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) continue;
    std::string anchor = "#";
    const std::string heading =
        std::regex_replace(line, std::regex(R"(\]\([^)]*\))"), "");  // a link's text alone
    for (const char c : heading.substr(heading.find_first_not_of("# "))) {
      const auto letter = static_cast<unsigned char>(c);
      if (std::isalnum(letter) != 0 || c == '-' || c == '_')
        anchor += static_cast<char>(std::tolower(letter));
      if (c == ' ') anchor += '-';
    }
    anchors.push_back(anchor);
  }
  return anchors;
}

std::vector<std::string> code_spans(std::string_view text) {
  std::vector<std::string> spans;
  std::size_t begin = text.find('`');
  while (begin != std::string_view::npos) {
    const std::size_t end = text.find('`', begin + 1);
    if (end == std::string_view::npos) break;
    spans.emplace_back(text.substr(begin + 1, end - begin - 1));
    begin = text.find('`', end + 1);
  }
  return spans;
}

}  // namespace sweep
