#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sweep::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,    ///< "ld", "%r1", "$L__BB0_1"
    suffix,  ///< ".global", ".L2::128B": `text` has no leading dot
    number,  ///< as written
    string,  ///< between the quotes, as written
    mark,    ///< one character of punctuation
  };

  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t line = 1;
};

/// Walks over PTX text token by token, with the current one in view. Comments and blanks separate
/// tokens. The text has to outlive the tokens. Every member throws SyntaxError on text that is not
/// PTX, with the line of the current token.
class Lexer {
 public:
  /// Starts at `offset`, which stands in line `line`.
  explicit Lexer(std::string_view text, std::size_t offset = 0, std::uint32_t line = 1);

  const Token& current() const { return current_; }
  /// Where the current token starts in the text.
  std::size_t offset() const { return start_; }
  void advance();

  bool is_end() const { return current_.kind == Token::Kind::end; }
  /// A word that is no constant: WARP_SZ is one.
  bool is_name() const { return current_.kind == Token::Kind::word && current_.text != "WARP_SZ"; }
  bool is_suffix() const { return current_.kind == Token::Kind::suffix; }
  bool is_suffix(std::string_view text) const { return is_suffix() && current_.text == text; }
  bool is_mark(char mark) const {
    return current_.kind == Token::Kind::mark && current_.text.front() == mark;
  }
  /// Whether the current token is a suffix that touches the end of `text`, as in "%tid.x".
  bool is_suffix_of(std::string_view text) const;

  /// Goes past the current token if it is that, and says whether it was.
  bool accept(char mark);
  bool accept_suffix(std::string_view text);
  void expect(char mark);
  /// The text of the current token, which has to be a word; `what` names it in the message.
  std::string_view take_word(std::string_view what) { return take(Token::Kind::word, what); }
  std::string_view take_suffix(std::string_view what) { return take(Token::Kind::suffix, what); }
  /// The characters of a string, with its escapes replaced.
  std::string take_string(std::string_view what);

  /// Goes from a `{` or `(` past the mark that closes it.
  void skip_group();
  /// The same for a `{`, without a look at what stands between.
  void skip_body();
  /// Goes past the next `;`.
  void skip_statement();

  [[noreturn]] void fail(const std::string& message) const;
  /// The same, about a token that is passed already.
  [[noreturn]] static void fail_at(const Token& token, const std::string& message);
  /// "expected WHAT, found ..."
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  std::string_view take(Token::Kind kind, std::string_view what);
  void skip_blanks();
  bool skip_comment();
  std::size_t end_of_word(std::size_t from) const;
  std::size_t end_of_string() const;
  std::size_t end_of_suffix() const;
  std::size_t end_of_number() const;
  char at(std::size_t index) const { return index < text_.size() ? text_[index] : '\0'; }

  std::string_view text_;
  std::size_t next_ = 0;   ///< behind the current token
  std::size_t start_ = 0;  ///< of the current token
  std::uint32_t line_ = 1;
  Token current_;
};

/// The token as a message quotes it: printable and short.
std::string quoted(const Token& token);

/// A number of PTX text: an integer of 64 bits, or a floating one by its bits.
struct Constant {
  enum class Kind : std::uint8_t { integer, f32, f64 };

  Kind kind = Kind::integer;
  std::uint64_t bits = 0;
};

/// A constant expression of + - * / and parentheses; signs are all that floating ones may have.
/// Integers wrap at 64 bits and are divided as signed ones. WARP_SZ is 32. A number is decimal,
/// octal, `0x`, `0b`, each with an optional `U`; `0f` and eight hexadecimal digits, `0d` and
/// sixteen, or a decimal fraction, which is an f64.
Constant read_constant(Lexer& lexer);
/// A constant expression that is an integer.
std::int64_t read_integer(Lexer& lexer);
/// An integer from 0 to `largest`; `what` names it in the message.
std::uint64_t read_unsigned(Lexer& lexer, std::uint64_t largest, std::string_view what);
/// What follows a name or register: nothing, or `+4`, `+-8`, `-4+2*8`.
std::int64_t read_offset(Lexer& lexer);

}  // namespace sweep::ptx
