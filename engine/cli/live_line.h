#pragma once

#include <cstddef>
#include <string>

namespace sweep {

/// The last line of the terminal behind standard error, written over again and again; other lines
/// scroll above it. The cursor rests at its beginning: where a terminal that became narrower breaks
/// the line anew, nothing is left behind, and a shell's prompt finds its place. What cannot be
/// written is lost.
class LiveLine {
 public:
  /// Shows a text of less than `width` columns; escapes for colours may be in it.
  void show(const std::string& text, std::size_t width);
  /// Prints lines that stay, and takes the live one away until it is shown again.
  void print(const std::string& text);
  void clear();

 private:
  std::string shown_;
  std::size_t width_ = 0;
};

}  // namespace sweep
