#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/jit/foreign_headers.h"
#include "engine/jit/prelude.h"
#include "engine/jit/translation_unit.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/text/characters.h"

namespace sweep {
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

/// The macros that a text defines, each once.
std::vector<std::string> macros_in(std::string_view text) {
  std::vector<std::string> names;
  for (const Directive& directive : find_directives(text)) {
    std::string name = defined_macro(directive);
    const bool is_known = std::ranges::find(names, name) != names.end();
    if (!name.empty() && !is_known) names.push_back(std::move(name));
  }
  return names;
}

/// Those of the body, and those that the header or the sweep defines.
std::vector<std::string> macros_of(const Pattern& pattern) {
  std::vector<std::string> names = macros_in(pattern.body);
  for (const CompileRules::Macro& macro : pattern.compile.defines) {
    if (std::ranges::find(names, macro.name) == names.end()) names.push_back(macro.name);
  }
  return names;
}

/// The files that including one makes the compiler read, it among them, by name.
void add_closure(const IncludedFiles& included, const std::string& name,
                 std::set<std::string>& files) {
  if (!files.insert(name).second) return;
  const auto file = std::ranges::find(included.files, name, &IncludedFile::name);
  if (file == included.files.end()) return;
  for (const IncludeName& inner : file->names) add_closure(included, inner.target, files);
}

/// Decides which files stand in the configurations' namespaces: those that the body includes in
/// quotes, from the first on that names a parameter, a struct or a macro of the pattern's.
class Placement {
 public:
  explicit Placement(const Pattern& pattern) : pattern_(pattern) {
    std::set<std::string, std::less<>> seen;
    for (const Parameter& parameter : pattern.parameters) seen.insert(parameter.name);
    for (const Struct& type : pattern.structs) seen.insert(type.name);
    for (std::string& macro : macros_in(pattern.body)) seen.insert(std::move(macro));
    for (const CompileRules::Macro& macro : pattern.compile.defines) seen.insert(macro.name);
    bool has_begun = false;
    for (const IncludeName& include : pattern.included.in_body) {
      std::set<std::string> closure;
      add_closure(pattern.included, include.target, closure);
      has_begun =
          has_begun || (!include.is_angled && (names_any(closure, seen) || hides_names(closure)));
      const bool is_inside = has_begun && !include.is_angled;
      if (is_inside) inside_offsets_.insert(include.offset);
      (is_inside ? inside_ : outside_).merge(closure);
    }
  }

  /// Whether the directive includes a file that stands in the namespaces.
  bool is_inside(const Directive& directive) const {
    const auto place = inside_offsets_.lower_bound(directive.offset);
    return place != inside_offsets_.end() && *place < directive.offset + directive.length;
  }
  /// The files that stand there, with those that they include.
  const std::set<std::string>& inside() const { return inside_; }
  bool is_outside(const std::string& file) const { return outside_.contains(file); }

 private:
  /// Whether one of the files has a macro of a name that has a meaning in the header: it must end
  /// before the header's CUDA begins.
  bool hides_names(const std::set<std::string>& files) const {
    return std::ranges::any_of(pattern_.included.files, [&](const IncludedFile& file) {
      const std::vector<std::string> macros =
          files.contains(file.name) ? macros_in(file.text) : std::vector<std::string>();
      return std::ranges::any_of(
          macros, [&](const std::string& macro) { return means_of_header(pattern_, macro); });
    });
  }
  bool names_any(const std::set<std::string>& files,
                 const std::set<std::string, std::less<>>& names) const {
    return std::ranges::any_of(pattern_.included.files, [&](const IncludedFile& file) {
      return files.contains(file.name) &&
             std::ranges::any_of(words_of(file.text),
                                 [&](const Word& word) { return names.contains(word.text); });
    });
  }

  const Pattern& pattern_;
  std::set<std::size_t> inside_offsets_;  ///< in the body, of the names
  std::set<std::string> inside_;
  std::set<std::string> outside_;
};

/// The name that tells whether a file with #pragma once was included.
std::string once_macro(std::size_t file) {
  return fmt::format("sweep_once_{}", file);
}

bool is_once(const Directive& directive) {
  return directive.name == "pragma" && directive.text.find("once") != std::string::npos;
}

/// C's linkage gives what all configurations declare one name; C++'s does not.
void replace_linkage(std::string& text) {
  constexpr std::string_view word = "extern";
  constexpr std::string_view linkage = "\"C\"";
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t begin = skip_space(text, at + word.size());
    if (std::string_view(text).substr(begin).starts_with(linkage)) {
      text.replace(begin, linkage.size(), "\"C++\"");
    }
  }
}

}  // namespace

SplitBody split_body(const Pattern& pattern) {
  const std::string& body = pattern.body;
  const Placement placement(pattern);
  SplitBody result;
  result.text = body;
  result.macros = macros_of(pattern);
  for (std::size_t i = 0; i < pattern.included.files.size(); ++i) {
    const IncludedFile& file = pattern.included.files[i];
    if (!placement.inside().contains(file.name)) continue;
    result.has_files = true;
    if (placement.is_outside(file.name)) continue;
    for (std::string& macro : macros_in(file.text)) result.macros.push_back(std::move(macro));
    result.macros.push_back(once_macro(i));
  }
  int open_conditions = 0;
  for (const Directive& directive : find_directives(body)) {
    if (directive.name.starts_with("if")) ++open_conditions;
    if (directive.name == "endif") --open_conditions;
    if (directive.name != "include" || open_conditions > 0 || placement.is_inside(directive)) {
      continue;
    }
    result.includes.push_back({directive.offset, body.substr(directive.offset, directive.length)});
    for (std::size_t at = 0; at < directive.length; ++at) {
      char& c = result.text[directive.offset + at];
      if (c != '\n') c = ' ';
    }
  }
  return result;
}

std::vector<SourceHeader> source_headers(const Pattern& pattern) {
  const Placement placement(pattern);
  std::vector<SourceHeader> headers;
  for (std::size_t i = 0; i < pattern.included.files.size(); ++i) {
    const IncludedFile& file = pattern.included.files[i];
    std::string text = file.text;
    // A guard of its own: the compiler's would leave the file out of all configurations but one.
    bool is_guarded = false;
    for (const Directive& directive : find_directives(file.text)) {
      if (!is_once(directive)) continue;
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(directive.offset), directive.length,
                  ' ');
      is_guarded = true;
    }
    text = with_header_names(std::move(text), 0, file.names);
    const bool is_inside =
        placement.inside().contains(file.name) && !placement.is_outside(file.name);
    if (is_inside) replace_linkage(text);
    if (is_guarded) {
      text = fmt::format("#ifndef {0}\n#define {0}\n#line 1\n{1}\n#endif\n", once_macro(i), text);
    }
    headers.push_back({file.name, std::move(text)});
  }
  return headers;
}

namespace {

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

/// Whether the #include line's header is one that is_known_header knows.
bool includes_known(std::string_view include) {
  const std::size_t open = include.find('<');
  const std::size_t close = include.find('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return false;
  }
  return is_known_header(include.substr(open + 1, close - open - 1));
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
        macros_(macros_of(pattern)),
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
    for (const CompileRules::Macro& macro : pattern_.compile.defines) {
      add_named(macro.value.text(), named_by_body_);
    }
    for (const CudaExpression& each : kernel_expressions_of(pattern_)) {
      add_named(each.text, named_by_body_);
    }
    for (const Constant& each : pattern_.constants) add_named(each.init.text, named_by_body_);
    TextDependence result;
    for (const Buffer& buffer : pattern_.buffers) {
      result.init.push_back(buffer.init ? read_function(buffer.init->text) : FunctionDependence{});
    }
    for (const Verification& verification : pattern_.verify) {
      std::string text;
      for (const CudaExpression& each : verification.expressions()) text += each.text + '\n';
      if (verification.tolerance) text += verification.tolerance->accumulate;
      result.check.push_back(read_function(text));
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
             (!includes_known(directive.text) || is_own(directive));
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
