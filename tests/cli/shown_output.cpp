#include "tests/cli/shown_output.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace sweep {
namespace {

constexpr const char* left_out = "...";

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    result.push_back(line);
  }
  return result;
}

Lines without_times(Lines lines) {
  static const std::regex time(R"(\b\d+(\.\d+)? (s|ms|us)\b)");
  for (std::string& line : lines) line = std::regex_replace(line, time, "TIME");
  return lines;
}

void trim_empty_lines(Lines& lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
}

/// The pieces between the lines that are left out.
std::vector<Lines> pieces_of(const Lines& lines) {
  std::vector<Lines> pieces(1);
  for (const std::string& line : lines) {
    if (line == left_out) {
      pieces.emplace_back();
    } else {
      pieces.back().push_back(line);
    }
  }
  for (Lines& piece : pieces) trim_empty_lines(piece);
  return pieces;
}

struct Table {
  std::string title;
  Lines heading;  ///< its cells
  Lines keys;     ///< the first cell of each row
  friend bool operator==(const Table&, const Table&) = default;
};

Lines cells_of(const std::string& line) {
  static const std::regex gap(R"(\s{2,})");
  const std::string text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  return {std::sregex_token_iterator(text.begin(), text.end(), gap, -1), {}};
}

/// The tables with one line of headings: an empty line before, the title two lines above that.
std::vector<Table> tables_of(const Lines& lines) {
  std::vector<Table> tables;
  for (std::size_t i = 3; i < lines.size(); ++i) {
    const Lines heading = cells_of(lines[i]);
    if (!lines[i - 1].empty() || heading.size() < 2) continue;
    Table table{lines[i - 3], heading, {}};
    for (std::size_t row = i + 1; row < lines.size(); ++row) {
      const Lines cells = cells_of(lines[row]);
      if (cells.size() != heading.size()) break;
      table.keys.push_back(cells.front());
    }
    if (!table.keys.empty()) tables.push_back(table);
  }
  return tables;
}

}  // namespace

std::string difference(const std::string& shown, const std::string& output) {
  const Lines actual = without_times(lines_of(output));
  auto from = actual.begin();
  for (const Lines& piece : pieces_of(without_times(lines_of(shown)))) {
    const auto found = std::search(from, actual.end(), piece.begin(), piece.end());
    if (found == actual.end() && !piece.empty()) {
      return "the output lacks the piece that begins with \"" + piece.front() + "\"; it is\n" +
             output;
    }
    from = found + static_cast<Lines::difference_type>(piece.size());
  }
  return {};
}

std::string difference_in_shape(const std::string& shown, const std::string& output) {
  const Lines actual = lines_of(output);
  for (const std::string& line : lines_of(shown)) {
    const bool counts = line.find(" configurations: ") != std::string::npos;
    if (counts && std::find(actual.begin(), actual.end(), line) == actual.end()) {
      return "the output lacks \"" + line + "\"; it is\n" + output;
    }
  }
  const std::vector<Table> expected = tables_of(lines_of(shown));
  const std::vector<Table> there = tables_of(actual);
  if (expected.empty()) return "no table is shown";
  for (const Table& table : expected) {
    if (std::find(there.begin(), there.end(), table) == there.end()) {
      return "the output lacks the table \"" + table.title + "\"; it is\n" + output;
    }
  }
  return {};
}

}  // namespace sweep
