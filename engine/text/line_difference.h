#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace sweep {

/// A line of either of two texts, or one that both have. Places count from 0.
struct ComparedLine {
  std::optional<std::size_t> before;  ///< its place in the earlier text, if it has it
  std::optional<std::size_t> after;   ///< its place in the later one

  friend bool operator==(const ComparedLine&, const ComparedLine&) = default;
};

/// Matches the lines of two texts so that as few as possible are in one alone (Myers' greedy
/// algorithm, "An O(ND) Difference Algorithm", 1986), in the order of the texts. Blanks at a line's
/// end do not count. Texts that differ in more than some 2,000 lines share only those at their
/// beginnings and ends.
std::vector<ComparedLine> compare_lines(std::string_view before, std::string_view after);

/// The lines of a text, without what ends them and blanks before that.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace sweep
