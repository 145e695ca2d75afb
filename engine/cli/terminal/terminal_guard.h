#pragma once

#include <functional>
#include <ostream>
#include <streambuf>
#include <string>
#include <utility>

namespace sweep {

/// Guards a stream as long as this lives: passes on what a program writes, without what a
/// stranger's text could steer a terminal with. Of escape sequences only those that this program
/// uses for colours and to clear a line are left, and none where it uses none, a carriage return
/// only before a line break, and everything else that printable_text replaces becomes '?'. What
/// goes into a file or a pipe is shown by a terminal later on.
class TerminalGuard : private std::streambuf {
 public:
  /// Whether the program uses escape sequences now: an option may say so.
  using HasEscapes = std::function<bool()>;

  TerminalGuard(std::ostream& stream, HasEscapes has_escapes)
      : stream_(stream), sink_(*stream.rdbuf(this)), has_escapes_(std::move(has_escapes)) {}
  ~TerminalGuard() override;
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override { return sink_.pubsync(); }
  bool pass_on();

  std::ostream& stream_;
  std::streambuf& sink_;
  HasEscapes has_escapes_;
  std::string pending_;  ///< the beginning of a character or a sequence
};

}  // namespace sweep
