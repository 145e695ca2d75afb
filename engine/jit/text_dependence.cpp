#include "engine/jit/text_dependence.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "engine/jit/prelude.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

/// The name of the macro that an #define with this text defines.
std::string macro_name(std::string_view text) {
  const std::string code = blank_non_code(text);
  const auto begin = std::ranges::find_if(code, is_word);
  return {begin, std::find_if_not(begin, code.end(), is_word)};
}

}  // namespace

SplitBody split_body(const std::string& body) {
  SplitBody result;
  result.text = body;
  int open_conditions = 0;
  for (const Directive& directive : find_directives(body)) {
    if (directive.name.starts_with("if")) ++open_conditions;
    if (directive.name == "endif") --open_conditions;
    if (directive.name == "define") {
      std::string name = macro_name(directive.text);
      const bool is_known = std::ranges::find(result.macros, name) != result.macros.end();
      if (!name.empty() && !is_known) result.macros.push_back(std::move(name));
    }
    if (directive.name != "include" || open_conditions > 0) continue;
    result.includes.push_back({directive.offset, body.substr(directive.offset, directive.length)});
    for (std::size_t at = 0; at < directive.length; ++at) {
      char& c = result.text[directive.offset + at];
      if (c != '\n') c = ' ';
    }
  }
  return result;
}

namespace {

/// An identifier or keyword, and where it stands.
struct Word {
  std::string_view text;
  std::size_t offset = 0;
};

/// Every identifier and keyword of a text, in comments and literals too; numbers are none.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const bool is_number = is_digit(text[at]);
    if (end > at && !is_number) words.push_back({text.substr(at, end - at), at});
    at = std::max(end, at + 1);
  }
  return words;
}

bool has_word(const std::vector<Word>& words, std::string_view text) {
  return std::ranges::find(words, text, &Word::text) != words.end();
}

template <class Range>
bool contains(const Range& range, std::string_view text) {
  return std::ranges::find(range, text) != std::ranges::end(range);
}

/// A backslash at a line's end within a word: the word is not what it looks like.
bool splits_a_word(std::string_view text) {
  for (std::size_t at = text.find('\\'); at != std::string_view::npos;
       at = text.find('\\', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    const std::size_t joint = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
    if (joint > 0 && at > 0 && is_word(text[at - 1]) && joint < rest.size() &&
        is_word(rest[joint])) {
      return true;
    }
  }
  return false;
}

/// Whether the #include line's header is known to leave the engine's names alone: one that the
/// engine provides, or one of CUDA's.
bool is_known_header(std::string_view include) {
  const std::size_t open = include.find('<');
  const std::size_t close = include.find('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return false;
  const std::string_view name = include.substr(open + 1, close - open - 1);
  constexpr std::array<std::string_view, 7> cuda = {
      "cooperative_groups.h", "cuda_bf16.h",    "cuda_fp16.h", "cuda_fp8.h",
      "cuda_pipeline.h",      "cuda_runtime.h", "mma.h"};
  if (name.starts_with("cuda/") || name.starts_with("cooperative_groups/")) return true;
  return contains(cuda, name) ||
         std::ranges::any_of(provided_headers(), [&](const Header& h) { return h.name == name; });
}

constexpr std::array<std::string_view, 15> keywords = {
    "bool",  "char",   "const",  "double", "false",       "float", "int",     "long",
    "short", "signed", "sizeof", "size_t", "static_cast", "true",  "unsigned"};
constexpr std::array<std::string_view, 3> provided_functions = {"max", "min", "splat"};
constexpr std::array<std::string_view, 4> components = {"w", "x", "y", "z"};

/// What a pattern's body, its code with macros, does that matters for sharing.
class BodyText {
 public:
  explicit BodyText(const Pattern& pattern)
      : included_(pattern.included.in_body),
        text_(pattern.body),
        split_(split_body(pattern.body)),
        code_(blank_non_code(pattern.body)),
        all_words_(words_of(text_)),
        code_words_(words_of(code_)) {
    find_top_level();
  }

  const std::vector<Word>& all_words() const { return all_words_; }

  /// Whether its words do not say which parameters it depends on.
  bool is_opaque() const {
    if (text_.find("##") != std::string_view::npos || splits_a_word(text_)) return true;
    for (const Directive& directive : find_directives(text_)) {
      if (!directive.name.starts_with("include")) continue;
      if (!is_known_header(directive.text) || is_own(directive)) return true;
    }
    return false;
  }

  /// Whether it has variables that outlive a launch.
  bool has_state() const {
    if (has_word(all_words_, "__constant__") || has_word(all_words_, "__managed__") ||
        has_word(all_words_, "static")) {
      return true;
    }
    return std::ranges::any_of(code_words_, [&](const Word& word) {
      return word.text == "__device__" && !declares_function(word.offset);
    });
  }

  /// Whether it may change what names that are always there mean.
  bool may_redefine_anything() const {
    return is_opaque() || is_unbalanced_ || has_word(all_words_, "operator") ||
           has_word(all_words_, "namespace") || has_word(all_words_, "typedef");
  }
  bool is_macro(std::string_view name) const { return contains(split_.macros, name); }
  /// Whether it may declare a type of this name.
  bool may_declare_type(std::string_view name) const {
    constexpr std::array<std::string_view, 5> introducers = {"class", "enum", "struct", "union",
                                                             "using"};
    for (std::size_t i = 1; i < code_words_.size(); ++i) {
      if (code_words_[i].text != name) continue;
      const std::string_view before = code_words_[i - 1].text;
      if (contains(introducers, before) || is_macro(before)) return true;
    }
    return false;
  }
  /// Whether it may declare a function of this name.
  bool may_declare_function(std::string_view name) const { return top_level_.contains(name); }

 private:
  /// The words outside all braces: every declaration that the generated functions could see is
  /// among them, as long as there are no namespaces.
  void find_top_level() {
    int depth = 0;
    std::size_t at = 0;
    const auto read_until = [&](std::size_t end) {
      for (; at < end; ++at) {
        if (code_[at] == '{') ++depth;
        if (code_[at] == '}') --depth;
        is_unbalanced_ = is_unbalanced_ || depth < 0;
      }
    };
    for (const Word& word : code_words_) {
      read_until(word.offset);
      if (depth == 0) top_level_.insert(word.text);
    }
    read_until(code_.size());
    is_unbalanced_ = is_unbalanced_ || depth != 0;
  }

  /// Whether the declaration with the `__device__` at `offset` is plainly a function's.
  bool declares_function(std::size_t offset) const {
    const std::string_view rest = std::string_view(code_).substr(offset);
    const std::size_t open = rest.find_first_of("(;={[");
    if (open == std::string_view::npos || rest[open] != '(') return false;
    const std::size_t inside = rest.find_first_not_of(" \t\r\n", open + 1);
    if (inside == std::string_view::npos || rest[inside] == '*' || rest[inside] == '&')
      return false;
    const std::vector<Word> words = words_of(rest.substr(0, open));
    return std::ranges::none_of(words, [](const Word& word) {
      return word.text.find("align") != std::string_view::npos ||
             word.text.find("attribute") != std::string_view::npos || word.text == "decltype";
    });
  }

  /// Whether it names a file of the pattern's.
  bool is_own(const Directive& directive) const {
    return std::ranges::any_of(included_, [&](const IncludeName& name) {
      return name.offset >= directive.offset && name.offset < directive.offset + directive.length;
    });
  }

  const std::vector<IncludeName>& included_;
  std::string_view text_;
  SplitBody split_;
  std::string code_;
  std::vector<Word> all_words_;
  std::vector<Word> code_words_;
  std::set<std::string_view> top_level_;
  bool is_unbalanced_ = false;
};

class DependenceReader {
 public:
  explicit DependenceReader(const Pattern& pattern)
      : pattern_(pattern), body_(pattern), may_redefine_anything_(body_.may_redefine_anything()) {}

  TextDependence read() {
    const bool all = body_.is_opaque() || body_.has_state();
    for (const Parameter& parameter : pattern_.parameters) {
      if (all || has_word(body_.all_words(), parameter.name)) named_by_body_.insert(parameter.name);
    }
    for (const Struct& type : pattern_.structs) add_named(type.size.text(), named_by_body_);
    TextDependence result;
    for (const Buffer& buffer : pattern_.buffers) {
      result.init.push_back(buffer.init ? read_function(buffer.init->text) : FunctionDependence{});
    }
    for (const Verification& verification : pattern_.verify) {
      result.check.push_back(read_function(verification.condition.text));
    }
    result.body = in_order(named_by_body_);
    return result;
  }

 private:
  using Names = std::set<std::string, std::less<>>;

  void add_named(std::string_view text, Names& names) const {
    for (const Word& word : words_of(text)) {
      if (pattern_.find_parameter(word.text) != nullptr) names.emplace(word.text);
    }
  }

  FunctionDependence read_function(std::string_view expression) {
    Names names;
    add_named(expression, names);
    // The types of all buffers stand in its head.
    bool needs_body = may_redefine_anything_ || !stands_alone(expression);
    for (const Buffer& buffer : pattern_.buffers) {
      add_named(buffer.type, names);
      needs_body = needs_body || !(pattern_.find_parameter(buffer.type) != nullptr ||
                                   is_provided_type(buffer.type));
    }
    if (needs_body) named_by_body_.insert(names.begin(), names.end());
    return {needs_body, in_order(names)};
  }

  /// Whether every word of the expression means the same without the body.
  bool stands_alone(std::string_view expression) const {
    if (expression.find('#') != std::string_view::npos || splits_a_word(expression)) return false;
    const std::string code = blank_non_code(expression);
    return std::ranges::all_of(words_of(code), [&](const Word& word) {
      return !body_.is_macro(word.text) && is_provided(code, word);
    });
  }

  bool is_provided(std::string_view code, const Word& word) const {
    const std::string_view name = word.text;
    const bool is_member = word.offset > 0 && code[word.offset - 1] == '.';
    if (is_member) return contains(components, name);
    if (name == "i" || contains(keywords, name)) return true;
    if (std::ranges::any_of(pattern_.buffers, [&](const Buffer& b) { return b.name == name; })) {
      return true;
    }
    if (pattern_.find_parameter(name) != nullptr || is_provided_type(name)) return true;
    const bool is_function =
        contains(provided_functions, name) || contains(random_function_names(), name);
    return is_function && !body_.may_declare_function(name);
  }

  bool is_provided_type(std::string_view name) const {
    return ElementType::find(name).has_value() && !body_.is_macro(name) &&
           !body_.may_declare_type(name);
  }

  ParameterNames in_order(const Names& names) const {
    ParameterNames result;
    for (const Parameter& parameter : pattern_.parameters) {
      if (names.contains(parameter.name)) result.push_back(parameter.name);
    }
    return result;
  }

  const Pattern& pattern_;
  BodyText body_;
  bool may_redefine_anything_;
  Names named_by_body_;
};

}  // namespace

TextDependence text_dependence(const Pattern& pattern) {
  return DependenceReader(pattern).read();
}

std::string values_of(const Configuration& configuration, const ParameterNames& parameters) {
  std::string values;
  for (const std::string& name : parameters) {
    if (const Value* value = configuration.parameters.find(name)) values += to_string(*value);
    values += ' ';
  }
  return values;
}

}  // namespace sweep
