#include "engine/text/line_difference.h"

#include <algorithm>

namespace sweep {
namespace {

using Lines = std::vector<std::string_view>;

/// The farthest places that paths with so many edits reach, by diagonal: how much farther a path is
/// in `before` than in `after`, from -edits to edits.
using Reach = std::vector<std::ptrdiff_t>;

/// Finds the shortest way from both texts' beginnings to their ends.
class ShortestEdit {
 public:
  ShortestEdit(const Lines& before, const Lines& after, std::size_t first, std::size_t last)
      : before_(before),
        after_(after),
        first_(static_cast<std::ptrdiff_t>(first)),
        lines_before_(static_cast<std::ptrdiff_t>(before.size() - first - last)),
        lines_after_(static_cast<std::ptrdiff_t>(after.size() - first - last)) {}

  /// The lines between those that begin and end both texts, appended.
  void append_to(std::vector<ComparedLine>& lines) {
    std::vector<ComparedLine> found;
    std::ptrdiff_t x = lines_before_;
    std::ptrdiff_t y = lines_after_;
    if (search()) {
      for (std::ptrdiff_t edits = std::ssize(reaches_) - 1; edits > 0; --edits) {
        const Reach& reach = reaches_[static_cast<std::size_t>(edits - 1)];
        const bool is_added = comes_from_above(reach, x - y, edits);
        const std::ptrdiff_t diagonal = is_added ? x - y + 1 : x - y - 1;
        const std::ptrdiff_t from_x = at(reach, diagonal, edits - 1);
        const std::ptrdiff_t from_y = from_x - diagonal;
        while (x > from_x && y > from_y) found.push_back(both(--x, --y));
        found.push_back(is_added ? added(--y) : removed(--x));
      }
      while (x > 0) found.push_back(both(--x, --y));
    } else {
      while (y > 0) found.push_back(added(--y));
      while (x > 0) found.push_back(removed(--x));
    }
    lines.insert(lines.end(), found.rbegin(), found.rend());
  }

 private:
  static std::ptrdiff_t at(const Reach& reach, std::ptrdiff_t diagonal, std::ptrdiff_t edits) {
    return reach[static_cast<std::size_t>(diagonal + edits)];
  }

  /// Whether a path with `edits` gets farthest on a diagonal by adding a line.
  static bool comes_from_above(const Reach& reach, std::ptrdiff_t diagonal, std::ptrdiff_t edits) {
    if (diagonal == -edits) return true;
    return diagonal != edits &&
           at(reach, diagonal - 1, edits - 1) < at(reach, diagonal + 1, edits - 1);
  }

  bool are_equal(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return before_[static_cast<std::size_t>(first_ + x)] ==
           after_[static_cast<std::size_t>(first_ + y)];
  }

  /// False when there are too many edits to remember their paths.
  bool search() {
    constexpr std::ptrdiff_t most_edits = 2000;
    for (std::ptrdiff_t edits = 0; edits <= most_edits; ++edits) {
      Reach& reach = reaches_.emplace_back(static_cast<std::size_t>(2 * edits + 1));
      for (std::ptrdiff_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
        std::ptrdiff_t x = 0;
        if (edits > 0) {
          const Reach& last = reaches_[static_cast<std::size_t>(edits - 1)];
          x = comes_from_above(last, diagonal, edits) ? at(last, diagonal + 1, edits - 1)
                                                      : at(last, diagonal - 1, edits - 1) + 1;
        }
        std::ptrdiff_t y = x - diagonal;
        while (x < lines_before_ && y < lines_after_ && are_equal(x, y)) {
          ++x;
          ++y;
        }
        reach[static_cast<std::size_t>(diagonal + edits)] = x;
        if (x >= lines_before_ && y >= lines_after_) return true;
      }
    }
    return false;
  }

  std::size_t place(std::ptrdiff_t line) const { return static_cast<std::size_t>(first_ + line); }
  ComparedLine both(std::ptrdiff_t x, std::ptrdiff_t y) const { return {place(x), place(y)}; }
  ComparedLine removed(std::ptrdiff_t x) const { return {place(x), std::nullopt}; }
  ComparedLine added(std::ptrdiff_t y) const { return {std::nullopt, place(y)}; }

  const Lines& before_;
  const Lines& after_;
  std::ptrdiff_t first_;  ///< lines that begin both texts
  std::ptrdiff_t lines_before_;
  std::ptrdiff_t lines_after_;
  std::vector<Reach> reaches_;
};

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    lines.push_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<ComparedLine> compare_lines(std::string_view before, std::string_view after) {
  const Lines a = lines_of(before);
  const Lines b = lines_of(after);
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t first = 0;
  while (first < shorter && a[first] == b[first]) ++first;
  std::size_t last = 0;
  while (last < shorter - first && a[a.size() - last - 1] == b[b.size() - last - 1]) ++last;
  std::vector<ComparedLine> lines;
  for (std::size_t i = 0; i < first; ++i) lines.push_back({i, i});
  ShortestEdit(a, b, first, last).append_to(lines);
  for (std::size_t i = last; i > 0; --i) lines.push_back({a.size() - i, b.size() - i});
  return lines;
}

}  // namespace sweep
