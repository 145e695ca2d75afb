#pragma once

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <ostream>
#include <streambuf>
#include <string>
#include <thread>
#include <utility>

namespace sweep {

/// Elsewhere than in a terminal tables are as wide as this; lists, which programs read, are not
/// broken at all.
constexpr std::size_t file_width = 120;
constexpr std::size_t unbroken = std::numeric_limits<std::size_t>::max();

/// Whether what is written goes to a terminal, and how.
struct Terminal {
  bool is_terminal = false;
  bool color = false;
  bool live = false;       ///< a line may be written over
  std::size_t width = 80;  ///< columns
  std::size_t height = 0;  ///< lines; 0 where they are not known
  bool unicode = false;    ///< shows characters beyond ASCII

  /// The terminal's columns; `elsewhere` where there is none.
  std::size_t width_or(std::size_t elsewhere) const { return is_terminal ? width : elsewhere; }
};

/// What stands behind a file descriptor. `--color` decides on colour; without it NO_COLOR in the
/// environment takes it away, CLICOLOR_FORCE other than 0 forces it, and otherwise it needs a
/// terminal, TERM other than "dumb", and CLICOLOR other than 0. A live line needs a terminal and
/// TERM other than "dumb", whatever the colours. Characters beyond ASCII are shown by terminals
/// whose locale (LC_ALL, LC_CTYPE or LANG, the first that is set) is one of UTF-8.
Terminal terminal_of(int file_descriptor);

/// What `--color` asks for in this process: always, never, or auto, where it can be shown.
void set_color_choice(const std::string& when);

/// The last line of the terminal behind standard error, written over again and again; other lines
/// scroll above it. The cursor rests at its beginning: where a terminal that became narrower breaks
/// the line anew, nothing is left behind, and a shell's prompt finds its place. What cannot be
/// written is lost.
class LiveLine {
 public:
  /// Shows a text of less than `width` columns; escapes for colours may be in it.
  void show(const std::string& text, std::size_t width);
  /// Shows as much of a text as the terminal's width has place for.
  void show_cut(const std::string& text, const Terminal& terminal);
  /// Prints lines that stay, and takes the live one away until it is shown again.
  void print(const std::string& text);
  void clear();

 private:
  std::string shown_;
  std::size_t width_ = 0;
};

/// A line that goes with this.
class PassingLine : public LiveLine {
 public:
  PassingLine() = default;
  ~PassingLine() { clear(); }
  PassingLine(const PassingLine&) = delete;
  PassingLine& operator=(const PassingLine&) = delete;
};

/// Does something again and again while the thread lives. Its end waits for an action under way.
std::jthread repeat_every(std::chrono::milliseconds interval, std::function<void()> action);

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
