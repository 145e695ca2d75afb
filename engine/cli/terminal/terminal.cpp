#include "engine/cli/terminal/terminal.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "engine/text/characters.h"
#include "report/display_text.h"

namespace sweep {
namespace {

std::string color_choice = "auto";

/// An environment variable's value; empty where it is not set.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool shows_color(bool capable) {
  if (color_choice == "always" || color_choice == "never") return color_choice == "always";
  if (!variable("NO_COLOR").empty()) return false;
  const std::string_view force = variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return capable && variable("CLICOLOR") != "0";
}

bool has_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = in_small_letters(std::string(variable(name)));
    if (locale.empty()) continue;
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

constexpr const char* clear_below = "\r\033[J";
constexpr const char* clear_rest = "\033[K\r";

/// Progress is no result: a full disk or a closed pipe behind it does not end the run.
void write_progress(const std::string& text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

constexpr std::string_view escape_begin = "\033[";

/// How many bytes the text begins with that belong together, and what is written for them.
struct Piece {
  std::size_t length = 0;  ///< 0 where more bytes are needed to tell
  std::string_view shown = {};
};

/// "", "0", "1", "2", "31" to "36", "1;31" to "1;36"
bool is_colour(std::string_view parameters) {
  if (parameters.size() < 2) return parameters.empty() || (parameters >= "0" && parameters <= "2");
  if (parameters.starts_with("1;")) parameters.remove_prefix(2);
  return parameters.size() == 2 && parameters >= "31" && parameters <= "36";
}

Piece read_escape(std::string_view text) {
  if (escape_begin.starts_with(text)) return {};
  if (!text.starts_with(escape_begin)) return {1, "?"};
  const std::size_t end = text.find_first_not_of("0123456789;", escape_begin.size());
  constexpr std::size_t longest = 16;
  if (end == std::string_view::npos) return text.size() < longest ? Piece{} : Piece{1, "?"};
  const std::string_view parameters = text.substr(escape_begin.size(), end - escape_begin.size());
  const char what = text[end];
  const bool is_known =
      what == 'm' ? is_colour(parameters) : parameters.empty() && (what == 'J' || what == 'K');
  return is_known ? Piece{end + 1, text.substr(0, end + 1)} : Piece{1, "?"};
}

Piece read_piece(std::string_view text, const TerminalGuard::HasEscapes& has_escapes) {
  const char first = text.front();
  if (first == '\033') return has_escapes() ? read_escape(text) : Piece{1, "?"};
  if (first == '\n' || first == '\t') return {1, text.substr(0, 1)};
  if (first == '\r') {
    if (text.size() == 1) return {};
    return text[1] == '\n' ? Piece{2, text.substr(0, 2)} : Piece{1, "?"};
  }
  const std::size_t length = character_length(text);
  if (length == 0) {
    // Perhaps the rest of a character is still to come.
    const auto byte = static_cast<unsigned char>(first);
    const bool may_go_on =
        byte >= 0xc2 && byte < 0xf5 && std::ranges::all_of(text.substr(1), continues_character);
    const std::size_t whole = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return may_go_on && text.size() < whole ? Piece{} : Piece{1, "?"};
  }
  const std::string_view character = text.substr(0, length);
  const bool is_plain = !is_control(character) && !turns_direction(character);
  return {length, is_plain ? character : "?"};
}

}  // namespace

Terminal terminal_of(int file_descriptor) {
  Terminal terminal;
  terminal.is_terminal = isatty(file_descriptor) == 1;
  const std::string_view term = variable("TERM");
  const bool dumb = term.empty() || term == "dumb";
  terminal.live = terminal.is_terminal && !dumb;
  terminal.color = shows_color(terminal.live);
  terminal.unicode = terminal.live && has_utf8_locale();
  winsize size{};
  if (terminal.is_terminal && ioctl(file_descriptor, TIOCGWINSZ, &size) == 0) {
    if (size.ws_col > 0) terminal.width = size.ws_col;
    terminal.height = size.ws_row;
  }
  return terminal;
}

void set_color_choice(const std::string& when) {
  color_choice = when;
}

void LiveLine::show(const std::string& text, std::size_t width) {
  if (text == shown_ && width == width_) return;
  const bool resized = !shown_.empty() && width != width_;
  write_progress((resized ? clear_below : "\r") + text + clear_rest);
  shown_ = text;
  width_ = width;
}

void LiveLine::show_cut(const std::string& text, const Terminal& terminal) {
  const std::size_t width = terminal.width > 0 ? terminal.width - 1 : 0;
  show(cut_to_width(text, width, terminal.unicode), terminal.width);
}

void LiveLine::print(const std::string& text) {
  const bool is_whole = text.ends_with('\n');
  write_progress((shown_.empty() ? "" : clear_below) + text + (is_whole ? "" : "\n"));
  shown_.clear();
}

void LiveLine::clear() {
  if (!shown_.empty()) write_progress(clear_below);
  shown_.clear();
}

std::jthread repeat_every(std::chrono::milliseconds interval, std::function<void()> action) {
  return std::jthread([interval, action = std::move(action)](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, stop, interval, [&] { return stop.stop_requested(); })) action();
  });
}

bool TerminalGuard::pass_on() {
  std::string shown;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const Piece piece = read_piece(rest, has_escapes_);
    if (piece.length == 0) break;
    shown += piece.shown;
    rest.remove_prefix(piece.length);
  }
  pending_ = std::string(rest);
  const auto size = static_cast<std::streamsize>(shown.size());
  return sink_.sputn(shown.data(), size) == size;
}

TerminalGuard::int_type TerminalGuard::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  pending_ += traits_type::to_char_type(c);
  return pass_on() ? c : traits_type::eof();
}

std::streamsize TerminalGuard::xsputn(const char* text, std::streamsize size) {
  pending_.append(text, static_cast<std::size_t>(size));
  return pass_on() ? size : 0;
}

TerminalGuard::~TerminalGuard() {
  stream_.flush();
  const std::ios_base::iostate state = stream_.rdstate();
  stream_.rdbuf(&sink_);
  // Giving a stream a buffer clears what it knows of failures.
  stream_.clear(state);
}

}  // namespace sweep
