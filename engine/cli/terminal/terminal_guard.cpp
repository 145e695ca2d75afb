#include "engine/cli/terminal/terminal_guard.h"

#include <algorithm>

#include "engine/text/characters.h"

namespace sweep {
namespace {

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
