#pragma once

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

namespace sweep {

/// Passes on what a program writes to a terminal, without what a stranger's text could steer it
/// with: of escape sequences only those that this program uses for colours and to clear a line are
/// left, a carriage return only before a line break, and everything else that printable_text
/// replaces becomes '?'.
class GuardedBuffer : public std::streambuf {
 public:
  explicit GuardedBuffer(std::streambuf& sink) : sink_(sink) {}

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool pass_on();
  std::streambuf& sink_;
  std::string pending_;  ///< the beginning of a character or a sequence
};

/// Guards a stream as long as this lives, where its file is a terminal.
class TerminalGuard {
 public:
  TerminalGuard(std::ostream& stream, int file_descriptor);
  ~TerminalGuard();
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

 private:
  std::ostream& stream_;
  std::streambuf* sink_;
  std::unique_ptr<GuardedBuffer> buffer_;
};

}  // namespace sweep
