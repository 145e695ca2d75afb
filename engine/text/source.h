#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace sweep {

/// A named text that diagnostics point into: a pattern, a sweep, or a command line argument.
struct Source {
  std::string name;  ///< as shown in messages, usually the path the user gave
  std::string text;
};
using SourcePtr = std::shared_ptr<const Source>;

/// A place in a source. Lines and columns count from 1, columns in bytes; line 0 is the whole file.
struct Location {
  SourcePtr source;
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t length = 1;
  /// False when the text was read from other letters than those that stand there, as from a
  /// quoted YAML text with escapes: then the whole can be pointed at, but no part of it.
  bool exact = true;

  /// The place `offset` bytes further on the same line; the same place when it is not exact.
  Location shifted(std::size_t offset, std::size_t new_length) const {
    if (!exact) return *this;
    return {source, line, column + offset, new_length};
  }
};

/// Line `number` (from 1) of `text` without its line break; empty when there is no such line.
std::string_view line_of(std::string_view text, std::size_t number);

/// The byte offset of a line's first character; the text's size when there is no such line.
std::size_t offset_of_line(std::string_view text, std::size_t number);

/// The place of `length` bytes that begin at the byte `offset` of the source.
Location location_at(const SourcePtr& source, std::size_t offset, std::size_t length = 1);

}  // namespace sweep
