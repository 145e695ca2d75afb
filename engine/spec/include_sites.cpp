#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/included_files.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

bool is_blank(char c) {
  return c != '\n' && (static_cast<unsigned char>(c) <= ' ' || c == '\x7f');
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80U;
}

bool may_be_in_name(char c) {
  return is_word(c) || c == '$' || c == '\\' || !is_ascii(c);
}

/// The length of what joins two lines where `rest` begins, with blanks before the line break as
/// some compilers take it; 0 when there is nothing of it.
std::size_t hostile_joint(std::string_view rest) {
  std::size_t length = rest.starts_with('\\') ? 1 : rest.starts_with("?\?/") ? 3 : 0;
  if (length == 0) return 0;
  while (length < rest.size() && is_blank(rest[length])) ++length;
  return length < rest.size() && rest[length] == '\n' ? length + 1 : 0;
}

/// Walks over a text as if its joined lines were one.
class Cursor {
 public:
  Cursor(std::string_view text, std::size_t at) : text_(text), at_(at) { skip_joints(); }

  std::size_t at() const { return std::min(at_, text_.size()); }
  char get() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  /// A comment that is longer than anybody writes within a directive.
  bool gave_up() const { return gave_up_; }
  void next() {
    if (at_ < text_.size()) ++at_;
    skip_joints();
  }
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (is_blank(get())) {
        next();
      } else if (!skip_comment()) {
        return;
      }
    }
  }
  /// The letters, digits and what else may belong to a name.
  std::string read_word() {
    std::string word;
    for (; may_be_in_name(get()); next()) word += get();
    return word;
  }
  /// Whether the character after the next one is this.
  bool is_followed_by(char wanted) const {
    Cursor after = *this;
    after.next();
    return after.get() == wanted;
  }

 private:
  void skip_joints() {
    while (const std::size_t length = hostile_joint(text_.substr(at_))) at_ += length;
  }
  bool skip_comment() {
    if (get() != '/' || !is_followed_by('*')) return false;
    next();
    next();
    constexpr std::size_t longest = 4096;
    const std::size_t begin = at_;
    while (at_ < text_.size() && (get() != '*' || !is_followed_by('/'))) {
      gave_up_ = at_ - begin > longest;
      if (gave_up_) return false;
      next();
    }
    next();
    next();
    return true;
  }

  std::string_view text_;
  std::size_t at_;
  bool gave_up_ = false;
};

/// Whether nothing but blanks and the end of a comment stands before a place in its line; walks
/// along with the text. A joined line counts as one of its own.
struct LineBegin {
  bool holds = true;
  char previous = '\n';

  void pass(char c) {
    const bool ends_comment = previous == '*' && c == '/';
    // The second half of a comment's end may follow the first in the next line.
    const bool is_half = c == '/' && (previous == '\n' || previous == '\r');
    if (c == '\n' || c == '\r' || ends_comment) {
      holds = true;
    } else if (!is_blank(c) && is_ascii(c) && !is_half) {
      holds = false;
    }
    previous = c;
  }
};

/// The place after the mark of a directive at `at`; nothing when there is none.
std::optional<Cursor> after_mark(std::string_view text, std::size_t at) {
  if (text[at] == '#') return Cursor(text, at + 1);
  if (text.substr(at).starts_with("?\?=")) return Cursor(text, at + 3);
  if (text[at] != '%') return std::nullopt;
  Cursor cursor(text, at);
  if (!cursor.is_followed_by(':')) return std::nullopt;
  cursor.next();
  cursor.next();
  return cursor;
}

/// Reads the name of a file at the cursor into the site.
void read_name(std::string_view text, Cursor cursor, IncludeSite& site) {
  site.begin = cursor.at();
  site.kind = IncludeSite::Kind::unnamed;
  const char open = cursor.get();
  if (open != '"' && open != '<') return;
  const std::string_view rest = text.substr(site.begin + 1);
  const std::size_t end = rest.find(open == '"' ? '"' : '>');
  if (end == std::string_view::npos) return;
  const std::string_view name = rest.substr(0, end);
  const bool is_plain =
      name.find("??") == std::string_view::npos && std::ranges::none_of(name, [](char c) {
        return c == '\\' || (c != ' ' && (is_blank(c) || c == '\n'));
      });
  if (!is_plain || name.empty()) return;
  site.kind = open == '"' ? IncludeSite::Kind::quoted : IncludeSite::Kind::angled;
  site.name = name;
  site.length = end + 2;
}

/// The directive at `at`, if it is one that reads a file.
std::optional<IncludeSite> read_directive(std::string_view text, std::size_t at) {
  std::optional<Cursor> cursor = after_mark(text, at);
  if (!cursor) return std::nullopt;
  cursor->skip_blanks();
  IncludeSite site{.kind = IncludeSite::Kind::other, .offset = at, .begin = cursor->at()};
  const std::string word = cursor->read_word();
  if (word == "include") {
    cursor->skip_blanks();
    read_name(text, *cursor, site);
    return site;
  }
  constexpr std::array others = {"include_next", "import", "embed", "using", "include_alias"};
  const bool is_other = std::ranges::find(others, word) != others.end();
  const bool is_escaped = word.find('\\') != std::string::npos;
  return is_other || is_escaped || cursor->gave_up() ? std::optional(site) : std::nullopt;
}

/// An import of a module or a header at `at`.
std::optional<IncludeSite> read_import(std::string_view text, std::size_t at) {
  Cursor cursor(text, at);
  std::string word = cursor.read_word();
  if (word == "export") {
    cursor.skip_blanks();
    word = cursor.read_word();
  }
  if (cursor.gave_up()) word = "import";
  if (word != "import") return std::nullopt;
  cursor.skip_blanks();
  const bool is_name = std::string_view("<\":").find(cursor.get()) != std::string_view::npos ||
                       may_be_in_name(cursor.get());
  if (!is_name && !cursor.gave_up()) return std::nullopt;
  return IncludeSite{.kind = IncludeSite::Kind::other, .offset = at, .begin = at};
}

/// The comments of a text that every compiler takes for some: each begins a line, and before it
/// stand no joined lines and no raw strings.
class PlainComments {
 public:
  explicit PlainComments(std::string_view text) : text_(text) {}

  bool hold(std::size_t at) {
    if (!is_read_) read();
    const auto behind = std::ranges::upper_bound(comments_, at, {}, &Extent::begin);
    return behind != comments_.begin() && at < std::prev(behind)->end;
  }

 private:
  void read() {
    is_read_ = true;
    std::size_t plain = 0;  // up to where nothing is hidden
    while (plain < text_.size() && hostile_joint(text_.substr(plain)) == 0 &&
           !text_.substr(plain).starts_with("R\"")) {
      ++plain;
    }
    for (const Extent& comment : find_comments(text_)) {
      const std::size_t line = text_.substr(0, comment.begin).rfind('\n') + 1;
      const std::string_view before = text_.substr(line, comment.begin - line);
      const bool begins_line = before.find_first_not_of(" \t") == std::string_view::npos;
      if (begins_line && comment.end <= plain) comments_.push_back(comment);
    }
  }

  std::string_view text_;
  bool is_read_ = false;
  std::vector<Extent> comments_;
};

/// Whether the word that begins at `at` is only asked for: #ifdef, defined(...).
bool is_asked_for(std::string_view text, std::size_t at) {
  std::string_view before = text.substr(0, at);
  const auto trim = [&] { before = before.substr(0, before.find_last_not_of(" \t") + 1); };
  trim();
  if (before.ends_with('(')) before.remove_suffix(1);
  trim();
  return before.ends_with("ifdef") || before.ends_with("ifndef") || before.ends_with("defined");
}

/// A question for a file at `at`.
std::optional<IncludeSite> read_question(std::string_view text, std::size_t at) {
  Cursor cursor(text, at);
  const std::string word = cursor.read_word();
  constexpr std::array questions = {"__has_include", "__has_include_next", "__has_embed"};
  if (std::ranges::find(questions, word) == questions.end()) return std::nullopt;
  cursor.skip_blanks();
  if (cursor.get() != '(' && is_asked_for(text, at)) return std::nullopt;
  IncludeSite site{.offset = at};
  if (cursor.get() == '(') {
    cursor.next();
    cursor.skip_blanks();
  }
  read_name(text, cursor, site);
  if (word != "__has_include") site.kind = IncludeSite::Kind::other;
  return site;
}

}  // namespace

std::vector<IncludeSite> find_include_sites(std::string_view cuda) {
  std::vector<IncludeSite> sites;
  PlainComments comments(cuda);
  LineBegin line_begin;
  for (std::size_t at = 0; at < cuda.size(); line_begin.pass(cuda[at++])) {
    const char c = cuda[at];
    const bool begins_word = at == 0 || !is_ascii(cuda[at - 1]) || !may_be_in_name(cuda[at - 1]);
    std::optional<IncludeSite> site;
    if (line_begin.holds && (c == '#' || c == '%' || c == '?')) {
      site = read_directive(cuda, at);
    } else if (line_begin.holds && begins_word && (c == 'i' || c == 'e')) {
      site = read_import(cuda, at);
      if (site && comments.hold(at)) site.reset();
    } else if (begins_word && c == '_') {
      site = read_question(cuda, at);
    }
    if (site) sites.push_back(std::move(*site));
  }
  return sites;
}

bool may_hold_directive(std::string_view expression) {
  for (std::size_t at = 0; at < expression.size(); ++at) {
    const bool is_character = at > 0 && at + 1 < expression.size() && expression[at] == '#' &&
                              expression[at - 1] == '\'' && expression[at + 1] == '\'';
    if (!is_character && after_mark(expression, at)) return true;
    if (at > 0 && may_be_in_name(expression[at - 1])) continue;
    if (Cursor(expression, at).read_word() == "import") return true;
  }
  return false;
}

}  // namespace sweep
