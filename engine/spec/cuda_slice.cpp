#include "engine/spec/cuda_slice.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "engine/spec/cuda_scanner.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

/// A word or another character of code, or a preprocessor line that begins, divides or ends a
/// condition ("#if", "#else", "#endif").
struct Token {
  std::string_view text;
  std::size_t offset = 0;  ///< in the file

  bool is(std::string_view other) const { return text == other; }
  bool is_word() const { return sweep::is_word(text.front()) && !is_digit(text.front()); }
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

void add_words(std::string_view code, WordSet& words) {
  for (std::size_t at = 0; at < code.size();) {
    const std::string_view word = word_at(code, at);
    if (!word.empty() && !is_digit(word.front())) words.emplace(word);
    at += std::max<std::size_t>(word.size(), 1);
  }
}

/// The words of what each macro stands for, of all its definitions.
/// A word of the compiler's in a declaration: __global__, __launch_bounds__, __declspec.
bool is_attribute(std::string_view word) {
  return (word.starts_with("__") && word.ends_with("__")) || word == "__declspec" ||
         word == "__restrict" || word == "__inline";
}

using Macros = std::map<std::string, WordSet, std::less<>>;

void add_macro(const Directive& directive, Macros& macros) {
  const std::string name = defined_macro(directive);
  if (name.empty()) return;
  const std::string code = blank_non_code(directive.text);
  add_words(std::string_view(code).substr(code.find(name) + name.size()), macros[name]);
}

bool marks_device(std::string_view word) {
  return is_one_of(
      word, {"__global__", "__device__", "__constant__", "__managed__", "constexpr", "consteval"});
}

/// The macros that stand for such a mark.
WordSet device_macros(const Macros& macros) {
  constexpr int deepest = 16;  // in each other
  WordSet found;
  for (int depth = 0; depth < deepest; ++depth) {
    const std::size_t before = found.size();
    for (const auto& [name, words] : macros) {
      const bool is_one = std::ranges::any_of(words, [&](const std::string& word) {
        return marks_device(word) || found.contains(word);
      });
      if (is_one) found.insert(name);
    }
    if (found.size() == before) break;
  }
  return found;
}

/// A declaration or definition at the scope of a namespace.
struct Item {
  std::size_t file = 0;
  std::size_t begin = 0;  ///< in the file
  std::size_t end = 0;
  WordSet names = {};  ///< that it may declare
  WordSet words = {};  ///< that it is written with
  bool is_for_host = false;
  bool is_for_device = false;
  bool is_function = false;
  bool is_type = false;
  bool is_condition = false;  ///< a static_assert
  WordSet operands = {};      ///< of an operator: the words of its parameters
  bool is_kept = false;
};

/// Divides one file into items.
class ItemReader {
 public:
  ItemReader(std::size_t file, std::string_view text, const Macros& macros,
             const WordSet& device_macros, std::vector<Item>& items)
      : file_(file),
        code_(blank_non_code(text)),
        macros_(macros),
        device_macros_(device_macros),
        items_(items) {
    std::vector<Directive> directives = find_directives(text);
    auto next = directives.begin();
    for (std::size_t at = skip_space(code_, 0); at < code_.size(); at = skip_space(code_, at)) {
      for (; next != directives.end() && next->offset < at; ++next) add_condition(*next);
      const std::size_t end = std::max(end_of_word(code_, at), at + 1);
      tokens_.push_back({std::string_view(code_).substr(at, end - at), at});
      at = end;
    }
    for (; next != directives.end(); ++next) add_condition(*next);
  }

  /// Whether the brackets match.
  bool read() {
    while (at_ < tokens_.size()) {
      const Token& token = tokens_[at_];
      if (is_condition(token) || token.is(";")) {
        ++at_;
      } else if (token.is("}")) {
        if (scopes_-- == 0) return false;
        ++at_;
      } else if (const auto open = opens_scope()) {
        ++scopes_;
        at_ = *open + 1;
      } else if (!read_item()) {
        return false;
      }
    }
    return scopes_ == 0;
  }

 private:
  static bool is_condition(const Token& token) { return token.text.front() == '#'; }

  void add_condition(const Directive& directive) {
    if (directive.name.starts_with("if")) tokens_.push_back({"#if", directive.offset});
    if (directive.name.starts_with("el")) tokens_.push_back({"#else", directive.offset});
    if (directive.name == "endif") tokens_.push_back({"#endif", directive.offset});
  }

  bool is_at(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].is(text);
  }

  /// The `{` of the namespace, or of the declarations with C's linkage, that begins here.
  std::optional<std::size_t> opens_scope() const {
    std::size_t at = at_ + (is_at(at_, "inline") ? 1 : 0);
    if (is_at(at, "extern") && is_at(at + 1, "{")) return at + 1;
    if (!is_at(at, "namespace")) return std::nullopt;
    while (at < tokens_.size() && !tokens_[at].is("{") && !tokens_[at].is(";") &&
           !tokens_[at].is("=")) {
      ++at;
    }
    return is_at(at, "{") ? std::optional(at) : std::nullopt;
  }

  /// The place of the `#endif` for the `#else` at `at`, or the end.
  std::size_t end_of_condition(std::size_t at) const {
    int depth = 0;
    for (++at; at < tokens_.size(); ++at) {
      if (tokens_[at].is("#if")) ++depth;
      if (tokens_[at].is("#endif") && depth-- == 0) return at;
    }
    return at;
  }

  /// The place behind the bracket that closes the one at `open`; of a condition's branches the
  /// first counts.
  std::optional<std::size_t> after_matching(std::size_t open) const {
    int depth = 0;
    for (std::size_t at = open; at < tokens_.size(); ++at) {
      const std::string_view text = tokens_[at].text;
      if (text == "#else") at = end_of_condition(at);
      if (is_one_of(text, {"(", "[", "{"})) ++depth;
      if (is_one_of(text, {")", "]", "}"}) && --depth == 0) return at + 1;
    }
    return std::nullopt;
  }

  /// The place behind the `>` for the `<` at `open`; `open` itself where that opens none.
  std::size_t after_angles(std::size_t open) const {
    // Longer than anybody writes: a text of nothing else must not take forever.
    constexpr std::size_t longest = 512;
    int depth = 0;
    for (std::size_t at = open; at < std::min(open + longest, tokens_.size());) {
      if (tokens_[at].is("<")) ++depth;
      if (tokens_[at].is(">") && --depth == 0) return at + 1;
      if (is_one_of(tokens_[at].text, {";", "{", "}"})) return open;
      const auto inner =
          is_one_of(tokens_[at].text, {"(", "["}) ? after_matching(at) : std::nullopt;
      at = inner.value_or(at + 1);
    }
    return open;
  }

  /// What is known of an item from what stands in it outside all brackets.
  struct Head {
    std::size_t end = 0;  ///< behind its last token
    bool is_class = false;
    bool is_enum = false;
    bool is_function = false;
    WordSet names = {};
    WordSet parameters = {};                     ///< the words of a function's
    std::vector<std::string_view> outside = {};  ///< words
  };

  static bool is_qualifier(std::string_view word) {
    return is_one_of(word, {"const", "volatile", "noexcept", "override", "final", "requires"});
  }

  std::optional<Head> read_head() const {
    Head head;
    bool is_type_name = false;  // declared behind typedef or using
    bool has_value = false;     // what follows initialises a variable
    bool awaits_class_name = false;
    for (std::size_t at = at_; at < tokens_.size();) {
      const Token& token = tokens_[at];
      const std::string_view next =
          at + 1 < tokens_.size() ? tokens_[at + 1].text : std::string_view(";");
      if (token.is(";")) {
        head.end = at + 1;
        return head;
      }
      if (token.is("}")) return std::nullopt;
      if (token.is("#else")) {
        at = end_of_condition(at);
        continue;
      }
      if (token.is("{")) {
        const auto end = after_matching(at);
        if (!end) return std::nullopt;
        if (head.is_enum) add_all_words(at, *end, head.names);
        const bool goes_on =
            *end < tokens_.size() && (tokens_[*end].is(",") || tokens_[*end].is("{"));
        if (head.is_function && !head.is_class && !has_value && !goes_on) {
          head.end = *end;
          return head;
        }
        at = *end;
        continue;
      }
      if (token.is("(") || token.is("[")) {
        const auto end = after_matching(at);
        if (!end) return std::nullopt;
        if (token.is("(")) read_parentheses(at, *end, is_type_name, head);
        at = *end;
        continue;
      }
      has_value = has_value || token.is("=");
      if (!token.is_word()) {
        ++at;
        continue;
      }
      head.outside.push_back(token.text);
      if (token.is("template") && next == "<") {
        at = std::max(after_angles(at + 1), at + 1);
        continue;
      }
      if (token.is("operator")) {
        head.names.emplace("operator");
        if (next == "(") at += 2;
        while (at < tokens_.size() && !tokens_[at].is("(") && !tokens_[at].is(";")) ++at;
        continue;
      }
      is_type_name = is_type_name || token.is("typedef") || token.is("using");
      if (is_one_of(token.text, {"struct", "class", "union", "enum"}) && !head.is_function) {
        awaits_class_name = true;
        head.is_enum = head.is_enum || token.is("enum");
      } else if (awaits_class_name && next != "(" && !is_attribute(token.text)) {
        awaits_class_name = false;
        head.names.emplace(token.text);
        head.is_class = defines_class(at);
      }
      std::size_t behind = at + 1;
      if (next == "<" && !has_value) behind = after_angles(at + 1);
      const std::string_view follower =
          behind < tokens_.size() ? tokens_[behind].text : std::string_view(";");
      const bool is_declared = !has_value && (is_one_of(follower, {";", "=", "[", ",", "("}) ||
                                              (follower == "{" && !is_qualifier(token.text)) ||
                                              is_next_condition(behind));
      if (is_declared && !is_attribute(token.text)) head.names.emplace(token.text);
      at = std::max(behind, at + 1);
    }
    return std::nullopt;
  }

  bool is_next_condition(std::size_t at) const {
    return at < tokens_.size() && is_condition(tokens_[at]);
  }

  /// Whether the class named at `at` is defined here, not only named.
  bool defines_class(std::size_t at) const {
    constexpr std::size_t longest = 512;
    const std::size_t end = std::min(at + longest, tokens_.size());
    for (++at; at < end; ++at) {
      if (tokens_[at].is("{")) return true;
      if (is_one_of(tokens_[at].text, {";", "(", ")", "=", "*", "&", "["})) return false;
      // The name of a variable or function of this type.
      const bool is_name = tokens_[at].is_word() && !tokens_[at].is("final");
      if (is_name && tokens_[at - 1].is_word()) return false;
      if (tokens_[at].is(":")) return true;
    }
    return false;
  }

  /// Parentheses outside others: those of a function, of an attribute, or of a pointer's name.
  void read_parentheses(std::size_t open, std::size_t end, bool is_type_name, Head& head) const {
    const std::string_view before = open > at_ ? tokens_[open - 1].text : std::string_view();
    const std::string_view behind =
        end < tokens_.size() ? tokens_[end].text : std::string_view(";");
    if (is_at(open + 1, "*") && (is_type_name || behind == "(")) {
      add_all_words(open, end, head.names);
    }
    const bool is_word_behind =
        is_word(behind.front()) && !is_qualifier(behind) && !is_attribute(behind);
    const bool is_of_attribute =
        is_attribute(before) || is_one_of(before, {"alignas", "decltype"}) || is_word_behind;
    // A macro may declare what its arguments say.
    if (macros_.contains(before)) add_all_words(open, end, head.names);
    if (is_of_attribute) return;
    head.is_function = true;
    add_all_words(open, end, head.parameters);
  }

  void add_all_words(std::size_t from, std::size_t to, WordSet& words) const {
    for (std::size_t at = from; at < to; ++at) {
      if (tokens_[at].is_word()) words.emplace(tokens_[at].text);
    }
  }

  bool is_for_device(std::string_view word) const {
    // Libraries of device code have macros of their own for it: CUTLASS_DEVICE, _CCCL_HOST_DEVICE.
    return marks_device(word) || word.ends_with("DEVICE") || device_macros_.contains(word);
  }

  /// Whether the tokens launch a kernel or call what only hosts have.
  bool does_host_work(std::size_t from, std::size_t to) const {
    for (std::size_t at = from; at < to; ++at) {
      const std::string_view text = tokens_[at].text;
      if (text == "<" && is_at(at + 1, "<") && is_at(at + 2, "<")) return true;
      if (is_one_of(text, {"cout", "cerr", "endl", "fprintf", "exit", "malloc", "fopen", "vector",
                           "string", "ostream", "argv", "FILE"})) {
        return true;
      }
      constexpr std::string_view cuda = "cuda";
      if (text.starts_with(cuda) && text.size() > cuda.size() && to_capital(text[4]) == text[4] &&
          text[4] != '_' && is_at(at + 1, "(")) {
        return true;
      }
      if (text.starts_with("cublas") || text.starts_with("cudnn")) return true;
    }
    return false;
  }

  bool read_item() {
    const std::size_t begin = at_;
    const auto head = read_head();
    if (!head) return false;
    at_ = head->end;
    const bool is_explicit_instantiation = is_at(begin, "template") && !is_at(begin + 1, "<");
    const bool names_namespace = is_at(begin, "using") && is_at(begin + 1, "namespace");
    if (names_namespace) return true;
    Item item = {file_, tokens_[begin].offset,
                 tokens_[at_ - 1].offset + tokens_[at_ - 1].text.size()};
    item.names = head->names;
    add_all_words(begin, at_, item.words);
    const bool is_for_device = std::ranges::any_of(
        head->outside, [&](std::string_view word) { return this->is_for_device(word); });
    item.is_for_host =
        is_explicit_instantiation || (head->is_function && !head->is_class && !is_for_device &&
                                      (is_at(begin, "__host__") || does_host_work(begin, at_)));
    item.is_for_device = is_for_device;
    item.is_function = head->is_function && !head->is_class;
    item.is_condition = is_at(begin, "static_assert");
    if (item.is_condition) item.names.clear();
    item.is_type = head->is_class || is_at(begin, "typedef") || is_at(begin, "using");
    if (item.names.erase("operator") > 0) item.operands = head->parameters;
    // What a macro writes at this scope may declare any of its words.
    for (const std::string_view word : head->outside) {
      const auto macro = macros_.find(word);
      if (macro != macros_.end()) item.names.insert(macro->second.begin(), macro->second.end());
    }
    items_.push_back(std::move(item));
    return true;
  }

  std::size_t file_;
  std::string code_;
  const Macros& macros_;
  const WordSet& device_macros_;
  std::vector<Item>& items_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t scopes_ = 0;  ///< that are open
};

/// What calls a function for the host is one, unless it says that it is for the device.
void spread_host(std::vector<Item>& items) {
  constexpr int deepest = 32;  // calls of each other
  bool has_changed = true;
  for (int depth = 0; has_changed && depth < deepest; ++depth) {
    has_changed = false;
    WordSet host;
    for (const Item& item : items) {
      if (item.is_for_host) host.insert(item.names.begin(), item.names.end());
    }
    for (Item& item : items) {
      if (item.is_for_host || item.is_for_device || !item.is_function) continue;
      item.is_for_host = std::ranges::any_of(
          item.words, [&](const std::string& word) { return host.contains(word); });
      has_changed |= item.is_for_host;
    }
  }
}

/// Marks the items that the words need, and those that these need.
void keep(std::vector<Item>& items, const Macros& macros, const WordSet& wanted) {
  WordSet types;
  for (const Item& item : items) {
    if (item.is_type) types.insert(item.names.begin(), item.names.end());
  }
  // An operator is there for the types that it takes: the program's, or vectors.
  for (Item& item : items) {
    for (const std::string& word : item.operands) {
      if (types.contains(word) || is_digit(word.back())) item.names.insert(word);
    }
  }
  std::multimap<std::string_view, Item*> by_name;
  for (Item& item : items) {
    if (item.is_for_host) continue;
    for (const std::string& name : item.names) by_name.emplace(name, &item);
  }
  WordSet known;
  std::vector<std::string> open;
  const auto want = [&](const WordSet& words) {
    for (const std::string& word : words) {
      if (known.insert(word).second) open.push_back(word);
    }
  };
  want(wanted);
  for (Item& item : items) {
    if (item.is_kept) want(item.words);
  }
  while (!open.empty()) {
    const std::string word = std::move(open.back());
    open.pop_back();
    if (const auto macro = macros.find(word); macro != macros.end()) want(macro->second);
    const auto [first, last] = by_name.equal_range(word);
    for (auto each = first; each != last; ++each) {
      if (std::exchange(each->second->is_kept, true)) continue;
      want(each->second->words);
    }
  }
  WordSet left_out;
  for (const Item& item : items) {
    if (!item.is_kept) left_out.insert(item.names.begin(), item.names.end());
  }
  for (Item& item : items) {
    if (!item.is_condition) continue;
    item.is_kept = std::ranges::none_of(
        item.words, [&](const std::string& word) { return left_out.contains(word); });
  }
}

void blank(std::string& text, std::size_t begin, std::size_t end,
           const std::vector<Directive>& directives) {
  auto directive = std::ranges::lower_bound(directives, begin, {}, &Directive::offset);
  for (std::size_t at = begin; at < end; ++at) {
    if (directive != directives.end() && at == directive->offset) {
      at += directive->length - 1;
      ++directive;
    } else if (text[at] != '\n') {
      text[at] = ' ';
    }
  }
}

}  // namespace

WordSet words_in(std::string_view cuda) {
  WordSet words;
  add_words(blank_non_code(cuda), words);
  return words;
}

std::vector<std::string> slice(const std::vector<std::string_view>& files, const WordSet& wanted) {
  Macros macros;
  for (const std::string_view text : files) {
    for (const Directive& directive : find_directives(text)) {
      add_macro(directive, macros);
    }
  }
  const WordSet for_device = device_macros(macros);
  std::vector<Item> items;
  WordSet all_wanted = wanted;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::size_t before = items.size();
    if (ItemReader(i, files[i], macros, for_device, items).read()) continue;
    items.resize(before);
    all_wanted.merge(words_in(files[i]));
  }
  spread_host(items);
  keep(items, macros, all_wanted);
  std::vector<std::string> result(files.begin(), files.end());
  std::vector<std::vector<Directive>> directives;
  for (const std::string_view text : files) directives.push_back(find_directives(text));
  for (const Item& item : items) {
    if (!item.is_kept) blank(result[item.file], item.begin, item.end, directives[item.file]);
  }
  return result;
}

}  // namespace sweep
