#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

enum class Severity { error, warning, note };

/// One message about a user's input: where, what, and what to do about it.
struct Diagnostic {
  Severity severity = Severity::error;
  Location where;
  std::string message;  ///< one plain sentence without a full stop
  std::string help;     ///< a way out, or empty
};

/// The messages about one or more files, in the order found, so that all are shown at once. Of each
/// severity it keeps the first `most_messages` (text_limits.h) and counts the others.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  void add_all(const Diagnostics& others);
  /// Gives nothing, for functions that return nothing after a mistake.
  std::nullopt_t error(const Location& where, std::string message, std::string help = {}) {
    add({Severity::error, where, std::move(message), std::move(help)});
    return std::nullopt;
  }
  void warning(const Location& where, std::string message, std::string help = {}) {
    add({Severity::warning, where, std::move(message), std::move(help)});
  }

  std::size_t error_count() const { return found_[static_cast<std::size_t>(Severity::error)]; }
  bool has_errors() const { return error_count() > 0; }
  bool empty() const { return list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }
  /// How many messages of a severity were found and are not in the list.
  std::size_t left_out(Severity severity) const;

 private:
  std::vector<Diagnostic> list_;
  std::array<std::size_t, 3> found_ = {};  ///< of each severity
};

/// Bad input that ends an operation: carries every message found.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Diagnostics diagnostics);
  explicit InputError(Diagnostic diagnostic);
  InputError(const Location& where, std::string message, std::string help = {});
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

/// `file:line:column: error: message`, the line, a caret under the place, and the help.
/// Ends with a newline. `color` adds ANSI escapes. What is longer than a message can be
/// (text_limits.h) is cut.
std::string render(const Diagnostic& diagnostic, bool color = false);
std::string render(const Diagnostics& diagnostics, bool color = false);

/// A text of any origin as a message shows it: no longer than a message can be (text_limits.h),
/// with how much is missing, and without what could steer a terminal.
std::string shown_message(std::string_view text);

/// Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "did you mean 'X'?" for the candidate closest to `word`, or one that begins as it does; empty
/// when there is none.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// `did_you_mean`, or else "PREFIX: a, b, c" with the candidates there are.
std::string suggest(std::string_view word, std::span<const std::string> candidates,
                    std::string_view prefix);

/// The messages in the order a person reads the files: file after file as first mentioned, within
/// a file from top to bottom.
Diagnostics in_reading_order(const Diagnostics& diagnostics);

}  // namespace sweep
