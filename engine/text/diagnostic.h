#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/source.h"

namespace sweep {

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
  void error(const Location& where, std::string message, std::string help = {});
  void warning(const Location& where, std::string message, std::string help = {});

  bool has_errors() const;
  std::size_t error_count() const;
  bool empty() const { return list_.empty(); }
  void add_all(const Diagnostics& others);
  const std::vector<Diagnostic>& list() const { return list_; }
  /// How many messages of a severity were found and are not in the list.
  std::size_t left_out(Severity severity) const;

 private:
  static constexpr std::size_t severities = 3;

  std::vector<Diagnostic> list_;
  std::array<std::size_t, severities> found_ = {};
  std::array<std::size_t, severities> kept_ = {};
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

/// "did you mean 'X'?" for the candidate closest to `word`; empty when none is close.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// `did_you_mean`, or else "PREFIX: a, b, c" with the candidates there are.
std::string suggest(std::string_view word, std::span<const std::string> candidates,
                    std::string_view prefix);

/// The messages in the order a person reads the files: file after file as first mentioned, within
/// a file from top to bottom.
Diagnostics in_reading_order(const Diagnostics& diagnostics);

}  // namespace sweep
