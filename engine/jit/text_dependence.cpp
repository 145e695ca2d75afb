#include <algorithm>
#include <set>
#include <string_view>

#include "engine/jit/prelude.h"
#include "engine/jit/translation_unit.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/text/characters.h"

namespace sweep {
SplitBody split_body(const std::string& body) {
  SplitBody result;
  result.text = body;
  int open_conditions = 0;
  for (const Directive& directive : find_directives(body)) {
    if (directive.name.starts_with("if")) ++open_conditions;
    if (directive.name == "endif") --open_conditions;
    if (directive.name == "define") {
      const std::string code = blank_non_code(directive.text);
      const auto begin = std::ranges::find_if(code, is_word);
      std::string name(begin, std::find_if_not(begin, code.end(), is_word));
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
    const std::string_view word = word_at(text, at);
    if (!word.empty() && !is_digit(word.front())) words.push_back({word, at});
    at += std::max<std::size_t>(word.size(), 1);
  }
  return words;
}

std::set<std::string_view> names_in(std::string_view text) {
  std::set<std::string_view> names;
  for (const Word& word : words_of(text)) names.insert(word.text);
  return names;
}

/// A backslash at a line's end within a word: the word is not what it looks like.
bool splits_a_word(std::string_view text) {
  for (std::size_t at = text.find('\\'); at != std::string_view::npos;
       at = text.find('\\', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    const std::size_t joint = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
    if (joint > 0 && at > 0 && is_word(text[at - 1]) && !word_at(rest, joint).empty()) return true;
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
  static const std::set<std::string_view> cuda = {
      "cooperative_groups.h", "cuda_bf16.h",    "cuda_fp16.h", "cuda_fp8.h",
      "cuda_pipeline.h",      "cuda_runtime.h", "mma.h"};
  if (name.starts_with("cuda/") || name.starts_with("cooperative_groups/")) return true;
  return cuda.contains(name) ||
         std::ranges::any_of(provided_headers(), [&](const Header& h) { return h.name == name; });
}

/// Whether the declaration that `code` begins with, a `__device__`, is plainly a function's.
bool declares_function(std::string_view code) {
  const std::size_t open = code.find_first_of("(;={[");
  if (open == std::string_view::npos || code[open] != '(') return false;
  const std::size_t inside = code.find_first_not_of(" \t\r\n", open + 1);
  if (inside == std::string_view::npos || code[inside] == '*' || code[inside] == '&') return false;
  return std::ranges::none_of(words_of(code.substr(0, open)), [](const Word& word) {
    return word.text.find("align") != std::string_view::npos ||
           word.text.find("attribute") != std::string_view::npos || word.text == "decltype";
  });
}

/// Words of expressions that mean the same everywhere; "i" is the element's place.
const std::set<std::string_view> keywords = {
    "bool", "char",  "const",  "double", "false",  "float",       "i",    "int",
    "long", "short", "signed", "sizeof", "size_t", "static_cast", "true", "unsigned"};
const std::set<std::string_view> provided_functions = {"max", "min", "splat"};
const std::set<std::string_view> components = {"w", "x", "y", "z"};
const std::set<std::string_view> type_introducers = {"class", "enum", "struct", "union", "using"};

class DependenceReader {
 public:
  explicit DependenceReader(const Pattern& pattern)
      : pattern_(pattern),
        macros_(split_body(pattern.body).macros),
        code_(blank_non_code(pattern.body)),
        all_names_(names_in(pattern.body)),
        code_words_(words_of(code_)) {}

  TextDependence read() {
    const bool is_balanced = find_top_level();
    const bool is_opaque = is_opaque_body();
    may_redefine_anything_ = is_opaque || !is_balanced || all_names_.contains("operator") ||
                             all_names_.contains("namespace") || all_names_.contains("typedef");
    const bool needs_all = is_opaque || has_state();
    for (const Parameter& parameter : pattern_.parameters) {
      if (needs_all || all_names_.contains(parameter.name)) named_by_body_.insert(parameter.name);
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

  /// Finds the words outside all braces: every declaration that the generated functions could see
  /// is among them, as long as there are no namespaces. False where a brace has no partner.
  bool find_top_level() {
    int depth = 0;
    bool is_balanced = true;
    for (std::size_t at = 0; at < code_.size();) {
      const std::string_view word = word_at(code_, at);
      if (depth == 0 && !word.empty()) top_level_.insert(word);
      if (code_[at] == '{') ++depth;
      if (code_[at] == '}') --depth;
      is_balanced = is_balanced && depth >= 0;
      at += std::max<std::size_t>(word.size(), 1);
    }
    return is_balanced && depth == 0;
  }

  /// Whether the body's words do not say which parameters it depends on.
  bool is_opaque_body() const {
    if (pattern_.body.find("##") != std::string::npos || splits_a_word(pattern_.body)) return true;
    const auto is_own = [&](const Directive& directive) {
      return std::ranges::any_of(pattern_.included.in_body, [&](const IncludeName& name) {
        return name.offset >= directive.offset && name.offset < directive.offset + directive.length;
      });
    };
    return std::ranges::any_of(find_directives(pattern_.body), [&](const Directive& directive) {
      return directive.name.starts_with("include") &&
             (!is_known_header(directive.text) || is_own(directive));
    });
  }

  /// Whether the body has variables that outlive a launch.
  bool has_state() const {
    return all_names_.contains("__constant__") || all_names_.contains("__managed__") ||
           all_names_.contains("static") || std::ranges::any_of(code_words_, [&](const Word& word) {
             return word.text == "__device__" &&
                    !declares_function(std::string_view(code_).substr(word.offset));
           });
  }

  /// Whether the body may declare a type of this name.
  bool may_declare_type(std::string_view name) const {
    for (std::size_t i = 1; i < code_words_.size(); ++i) {
      if (code_words_[i].text != name) continue;
      const std::string_view before = code_words_[i - 1].text;
      if (type_introducers.contains(before) || is_macro(before)) return true;
    }
    return false;
  }

  void add_named(std::string_view text, Names& names) const {
    for (const std::string_view name : names_in(text)) {
      if (pattern_.find_parameter(name) != nullptr) names.emplace(name);
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
      return !is_macro(word.text) && is_provided(code, word);
    });
  }

  bool is_provided(std::string_view code, const Word& word) const {
    const std::string_view name = word.text;
    const bool is_member = word.offset > 0 && code[word.offset - 1] == '.';
    if (is_member) return components.contains(name);
    const bool is_function =
        provided_functions.contains(name) || std::ranges::count(random_function_names, name) > 0;
    return keywords.contains(name) ||
           std::ranges::find(pattern_.buffers, name, &Buffer::name) != pattern_.buffers.end() ||
           pattern_.find_parameter(name) != nullptr || is_provided_type(name) ||
           (is_function && !top_level_.contains(name));
  }

  bool is_macro(std::string_view name) const {
    return std::ranges::find(macros_, name) != macros_.end();
  }

  bool is_provided_type(std::string_view name) const {
    return ElementType::find(name).has_value() && !is_macro(name) && !may_declare_type(name);
  }

  ParameterNames in_order(const Names& names) const {
    ParameterNames result;
    for (const Parameter& parameter : pattern_.parameters) {
      if (names.contains(parameter.name)) result.push_back(parameter.name);
    }
    return result;
  }

  const Pattern& pattern_;
  std::vector<std::string> macros_;
  std::string code_;  ///< of the body
  std::set<std::string_view> all_names_;
  std::vector<Word> code_words_;
  std::set<std::string_view> top_level_;
  bool may_redefine_anything_ = false;  ///< what names that are always there mean
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
