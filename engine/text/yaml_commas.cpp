#include <algorithm>

#include "engine/text/yaml.h"

namespace sweep {
namespace {

/// Walks over a YAML text as far as needed to tell its flow collections from everything else.
class CommaHider {
 public:
  explicit CommaHider(std::string_view text) : text_(text) {}

  std::string run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // the byte order mark
    while (!at_end()) line();
    return std::move(text_);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char here() const { return text_[at_]; }
  bool at_one_of(std::string_view characters) const {
    return !at_end() && characters.find(here()) != std::string_view::npos;
  }
  /// Whether the character behind `offset` is a blank or missing, as indicators need.
  bool blank_behind(std::size_t offset) const {
    return offset + 1 >= text_.size() ||
           std::string_view(" \t\r\n").find(text_[offset + 1]) != std::string_view::npos;
  }
  bool at_comment() const {
    return at_one_of("#") &&
           (at_ == 0 || std::string_view(" \t\n").find(text_[at_ - 1]) != std::string_view::npos);
  }

  bool starts_document() const {
    return text_.compare(at_, 3, "---") == 0 && blank_behind(at_ + 2);
  }

  void skip_blanks() {
    while (at_one_of(" \t\r")) ++at_;
  }
  void skip_until(std::string_view characters) {
    while (!at_end() && !at_one_of(characters)) ++at_;
  }
  void skip_line() {
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (!at_end()) ++at_;
  }

  /// One line of block style, with the flow collections and quotes that start in it.
  void line() {
    const std::size_t begin = at_;
    skip_blanks();
    if (at_one_of("\n")) return skip_line();
    if (continues_plain_ && at_ - begin > parent_) return skip_line();
    continues_plain_ = false;
    if (at_ == begin && starts_document()) at_ += 3;
    while (!at_end() && here() != '\n' && node(begin)) {
    }
    skip_line();
  }

  /// What stands where a node may start; false when nothing more starts in this line.
  bool node(std::size_t line_begin) {
    skip_blanks();
    if (at_end() || here() == '\n' || at_comment()) return false;
    if (at_one_of("-?:") && blank_behind(at_)) {
      if (here() != ':') parent_ = at_ - line_begin;
      ++at_;
      return true;
    }
    if (at_one_of("&!*")) {
      skip_until(" \t\r\n");
      return true;
    }
    if (at_one_of("|>")) {
      block_scalar();
      return false;
    }
    if (at_one_of("{[")) {
      flow();
      return true;
    }
    const std::size_t start = at_;
    if (at_one_of("'\"")) {
      quoted();
      skip_blanks();
      if (at_one_of(":")) parent_ = start - line_begin;
      return true;
    }
    while (!at_end() && here() != '\n' && !at_comment() && !(here() == ':' && blank_behind(at_))) {
      ++at_;
    }
    if (at_one_of(":")) {
      parent_ = start - line_begin;
      return true;
    }
    continues_plain_ = !at_comment();
    return false;
  }

  /// The lines below a `|` or `>`: all that are indented further than what they belong to.
  void block_scalar() {
    skip_line();
    while (!at_end()) {
      const std::size_t begin = at_;
      while (at_one_of(" ")) ++at_;
      if (!at_one_of("\r\n") && at_ - begin <= parent_) {
        at_ = begin - 1;  // the end of the last line that belongs to it
        return;
      }
      skip_line();
    }
  }

  void quoted() {
    const char quote = here();
    for (++at_; !at_end(); ++at_) {
      if (here() == '\\' && quote == '"') {
        ++at_;
      } else if (here() == quote) {
        ++at_;
        if (quote == '"' || at_end() || here() != quote) return;
      }
    }
  }

  void flow() {
    int depth = 0;
    do {
      skip_blanks();
      if (at_end()) return;
      if (at_comment()) {
        skip_line();
      } else if (at_one_of("'\"")) {
        quoted();
      } else if (at_one_of("{[]},:\n")) {
        depth += at_one_of("{[") ? 1 : at_one_of("]}") ? -1 : 0;
        ++at_;
      } else if (at_one_of("&!*")) {
        skip_until(" \t\r\n,[]{}");
      } else {
        plain();
      }
    } while (depth > 0);
  }

  /// Plain text in a flow collection, up to what ends it.
  void plain() {
    int open = 0;
    for (; !at_end(); ++at_) {
      if (at_one_of("{[]}") || (here() == ':' && blank_behind(at_))) return;
      if (at_comment()) {
        if (open <= 0) return;
        for (; !at_end() && !at_one_of("\r\n"); ++at_) text_[at_] = ' ';
        if (at_end()) return;
      }
      if (here() == ',') {
        if (open <= 0) return;
        text_[at_] = hidden_comma;
      }
      open += here() == '(' ? 1 : here() == ')' ? -1 : 0;
    }
  }

  std::string text_;
  std::size_t at_ = 0;
  std::size_t parent_ = 0;        ///< the column of the last key or dash
  bool continues_plain_ = false;  ///< a line indented further than that is more plain text
};

}  // namespace

std::string hide_commas(std::string_view text) {
  return CommaHider(text).run();
}

}  // namespace sweep
