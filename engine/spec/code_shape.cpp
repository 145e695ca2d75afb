#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/spec_limits.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

bool opens(char c) {
  return c == '(' || c == '[' || c == '{';
}

bool closes(char c) {
  return c == ')' || c == ']' || c == '}';
}

/// The first bracket that stands in too many others.
std::optional<std::size_t> too_deep(std::string_view code) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (opens(code[at]) && ++depth > spec_limits::bracket_depth) return at;
    if (closes(code[at]) && depth > 0) --depth;
  }
  return std::nullopt;
}

/// Where the first line begins that is too long.
std::optional<std::size_t> too_long(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > spec_limits::line_bytes) return begin;
    begin = end + 1;
  }
  return std::nullopt;
}

void refuse_depth(const Location& where, Diagnostics& diagnostics) {
  diagnostics.error(where, fmt::format("brackets stand in each other more than {} deep here",
                                       spec_limits::bracket_depth));
}

/// Finds the first bracket without a partner. Where the branches of an #if leave different brackets
/// open, or a macro has a bracket without its partner, the text does not tell.
class BracketFinder {
 public:
  /// With `trusts_indents` a brace that begins a line further left than its partner's line is taken
  /// for another one's.
  BracketFinder(std::string_view cuda, bool trusts_indents)
      : code_(blank_non_code(cuda)), trusts_indents_(trusts_indents) {
    for (const Directive& directive : find_directives(cuda)) {
      read_to(directive.offset);
      meet(directive);
    }
    read_to(code_.size());
    if (!found_ && !open_.empty()) found_ = Unpaired{open_.back()};
    if (is_unclear_ || !branches_.empty()) found_.reset();
  }

  struct Unpaired {
    std::size_t at = 0;
    std::size_t before =
        std::string::npos;  ///< where a bracket stands before which it should be closed
  };
  const std::optional<Unpaired>& found() const { return found_; }

 private:
  /// An #if that is not ended yet.
  struct Branches {
    std::vector<std::size_t> open_before;
    std::optional<std::size_t> open_after;  ///< how many are after the first branch
    bool has_else = false;
  };

  void read_to(std::size_t end) {
    for (; at_ < end && !found_; ++at_) {
      if (opens(code_[at_])) open_.push_back(at_);
      if (closes(code_[at_])) close(code_[at_]);
    }
    at_ = end;
  }

  void close(char c) {
    if (open_.empty()) {
      found_ = Unpaired{at_};
      return;
    }
    const char partner = c == ')' ? '(' : c == ']' ? '[' : '{';
    const std::size_t opening = open_.back();
    const bool is_anothers = trusts_indents_ && c == '}' && is_further_left(at_, opening);
    if (code_[opening] != partner || is_anothers) {
      found_ = Unpaired{opening, at_};
    } else {
      open_.pop_back();
    }
  }

  /// Whether a bracket begins a line that is indented less than the other's line.
  bool is_further_left(std::size_t bracket, std::size_t other) const {
    const auto indent_of = [&](std::size_t place) {
      const std::size_t begin = code_.rfind('\n', place) + 1;  // 0 in the first line
      return std::pair(begin, code_.find_first_not_of(" \t", begin) - begin);
    };
    const auto [begin, indent] = indent_of(bracket);
    return begin + indent == bracket && indent < indent_of(other).second;
  }

  void meet(const Directive& directive) {
    if (directive.name.starts_with("if")) {
      branches_.push_back({open_, {}, false});
    } else if (directive.name == "define") {
      is_unclear_ |= BracketFinder(directive.text, false).found_.has_value();
    } else if (!branches_.empty() &&
               (directive.name.starts_with("el") || directive.name == "endif")) {
      end_branch(directive.name);
    }
  }

  void end_branch(const std::string& directive) {
    Branches& branches = branches_.back();
    if (!branches.open_after) branches.open_after = open_.size();
    is_unclear_ |= open_.size() != *branches.open_after;
    if (directive != "endif") {
      branches.has_else |= directive == "else";
      open_ = branches.open_before;
      return;
    }
    is_unclear_ |= !branches.has_else && branches.open_before.size() != *branches.open_after;
    branches_.pop_back();
  }

  std::string code_;
  bool trusts_indents_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;
  std::vector<Branches> branches_;
  std::optional<Unpaired> found_;
  bool is_unclear_ = false;
};

}  // namespace

bool check_brackets(const SourcePtr& source, std::size_t begin, Diagnostics& diagnostics) {
  const std::string_view code = std::string_view(source->text).substr(begin);
  auto unpaired = BracketFinder(code, false).found();
  if (!unpaired) return true;
  // One is missing; indents tell where.
  if (const auto likely = BracketFinder(code, true).found()) unpaired = likely;
  const Location where = location_at(source, begin + unpaired->at, 1);
  const char bracket = code[unpaired->at];
  if (closes(bracket)) {
    diagnostics.error(where, fmt::format("this {} closes nothing", bracket));
  } else if (unpaired->before == std::string::npos) {
    diagnostics.error(where, fmt::format("this {} is never closed", bracket));
  } else {
    const Location before = location_at(source, begin + unpaired->before, 1);
    diagnostics.error(where, fmt::format("this {} is not closed before the {} in line {}", bracket,
                                         code[unpaired->before], before.line));
  }
  return false;
}

bool check_code_shape(const SourcePtr& source, std::size_t begin, Diagnostics& diagnostics) {
  const std::string_view code = std::string_view(source->text).substr(begin);
  if (const auto at = too_long(code)) {
    const std::size_t end = std::min(code.find('\n', *at), code.size());
    diagnostics.error(
        location_at(source, begin + *at, 1),
        fmt::format("this line has {} bytes; a line of code can have {}",
                    format_thousands(end - *at), format_thousands(spec_limits::line_bytes)));
    return false;
  }
  if (const auto at = find_open_comment(code)) {
    diagnostics.error(location_at(source, begin + *at, 2), "this comment is never closed",
                      "end it with */");
    return false;
  }
  if (const auto at = too_deep(blank_non_code(code))) {
    refuse_depth(location_at(source, begin + *at, 1), diagnostics);
    return false;
  }
  return true;
}

bool check_expression_shape(std::string_view text, const Location& where,
                            Diagnostics& diagnostics) {
  const auto at = too_deep(blank_non_code(text));
  if (at) refuse_depth(where, diagnostics);
  return !at;
}

}  // namespace sweep
