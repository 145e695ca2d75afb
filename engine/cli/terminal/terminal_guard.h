#pragma once

#include <functional>
#include <ostream>
#include <streambuf>
#include <string>
#include <utility>

namespace sweep {

/// Passes on what a program writes, without what a stranger's text could steer a terminal with: of
/// escape sequences only those that this program uses for colours and to clear a line are left, and
/// none where it uses none, a carriage return only before a line break, and everything else that
/// printable_text replaces becomes '?'.
class GuardedBuffer : public std::streambuf {
 public:
  /// Whether the program uses escape sequences now: an option may say so.
  using HasEscapes = std::function<bool()>;

  GuardedBuffer(std::streambuf& sink, HasEscapes has_escapes)
      : sink_(sink), has_escapes_(std::move(has_escapes)) {}

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool pass_on();
  std::streambuf& sink_;
  HasEscapes has_escapes_;
  std::string pending_;  ///< the beginning of a character or a sequence
};

/// Guards a stream as long as this lives. What goes into a file or a pipe is shown by a terminal
/// later on.
class TerminalGuard {
 public:
  TerminalGuard(std::ostream& stream, GuardedBuffer::HasEscapes has_escapes);
  ~TerminalGuard();
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

 private:
  std::ostream& stream_;
  std::streambuf* sink_;
  GuardedBuffer buffer_;
};

}  // namespace sweep
