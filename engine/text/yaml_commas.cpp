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
  bool at(std::string_view characters) const {
    return !at_end() && characters.find(here()) != std::string_view::npos;
  }
  /// Whether a blank stands at the offset, or nothing, as behind indicators.
  bool is_blank(std::size_t offset) const {
    return offset >= text_.size() ||
           std::string_view(" \t\r\n").find(text_[offset]) != std::string_view::npos;
  }
  bool at_comment() const { return at("#") && (at_ == 0 || is_blank(at_ - 1)); }
  bool at_colon() const { return at(":") && is_blank(at_ + 1); }

  void skip(std::string_view characters) {
    while (at(characters)) ++at_;
  }
  void skip_until(std::string_view characters) {
    while (!at_end() && !at(characters)) ++at_;
  }
  void skip_line() {
    skip_until("\n");
    if (!at_end()) ++at_;
  }

  /// One line of block style, with the flow collections and quotes that start in it.
  void line() {
    const std::size_t begin = at_;
    skip(" \t\r");
    const bool is_more_plain = continues_plain_ && at_ - begin > parent_;
    if (at("\n") || is_more_plain) return skip_line();
    continues_plain_ = false;
    if (at_ == begin && text_.compare(at_, 3, "---") == 0 && is_blank(at_ + 3)) at_ += 3;
    while (node(begin)) {
    }
    skip_line();
  }

  /// What stands where a node may start; false when nothing more starts in this line.
  bool node(std::size_t line_begin) {
    skip(" \t\r");
    if (at_end() || at("\n") || at_comment()) return false;
    const std::size_t start = at_;
    if (at("-?:") && is_blank(at_ + 1)) {
      if (!at(":")) parent_ = start - line_begin;
      ++at_;
    } else if (at("&!*")) {
      skip_until(" \t\r\n");
    } else if (at("{[")) {
      flow();
    } else if (at("|>")) {
      block_scalar();
      return false;
    } else if (at("'\"")) {
      quoted();
      skip(" \t\r");
      if (at(":")) parent_ = start - line_begin;
    } else {
      while (!at_end() && !at("\n") && !at_comment() && !at_colon()) ++at_;
      continues_plain_ = !at(":") && !at_comment();
      if (!at(":")) return false;
      parent_ = start - line_begin;
    }
    return true;
  }

  /// The lines below a `|` or `>`: all that are indented further than what they belong to.
  void block_scalar() {
    skip_line();
    while (!at_end()) {
      const std::size_t begin = at_;
      skip(" ");
      if (!at("\r\n") && at_ - begin <= parent_) {
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
      skip(" \t\r");
      if (at_end()) return;
      if (at_comment()) {
        skip_line();
      } else if (at("'\"")) {
        quoted();
      } else if (at("{[]},:\n")) {
        depth += at("{[") ? 1 : at("]}") ? -1 : 0;
        ++at_;
      } else if (at("&!*")) {
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
      if (at("{[]}") || at_colon()) return;
      if (at_comment()) {
        if (open <= 0) return;
        for (; !at_end() && !at("\r\n"); ++at_) text_[at_] = ' ';
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
