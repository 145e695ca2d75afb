#include "engine/spec/cuda_items.h"

#include <algorithm>
#include <optional>

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

/// Divides one file into items.
class ItemReader {
 public:
  ItemReader(std::size_t file, std::string_view text, const Macros& macros,
             const WordSet& device_macros, CudaItems& result)
      : file_(file),
        code_(blank_non_code(text)),
        macros_(macros),
        device_macros_(device_macros),
        result_(result) {
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
        if (scopes_ == 0) return false;
        leave_scope();
      } else if (const auto open = opens_scope()) {
        enter_scope(*open);
      } else if (!read_item(result_.items)) {
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

  std::size_t end_of(std::size_t at) const { return tokens_[at].offset + tokens_[at].text.size(); }

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

  /// Goes on within a namespace.
  void enter_scope(std::size_t open) {
    if (!is_at(at_, "extern")) add_all_words(at_, open, result_.namespaces);
    ++scopes_;
    if (std_scope_ == 0 && is_at(at_, "namespace") && is_at(at_ + 1, "std")) {
      std_scope_ = scopes_;
      result_.in_std.push_back({file_, tokens_[at_].offset, end_of(open)});
    }
    at_ = open + 1;
  }

  void leave_scope() {
    if (scopes_ == std_scope_) {
      result_.in_std.back().end = end_of(at_);
      std_scope_ = 0;
    }
    --scopes_;
    ++at_;
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
    std::optional<std::pair<std::size_t, std::size_t>> body = {};  ///< of a class, without braces
    WordSet names = {};
    WordSet parameters = {};                     ///< the words of a function's
    std::vector<std::string_view> outside = {};  ///< words
  };

  static bool is_qualifier(std::string_view word) {
    return is_one_of(word, {"const", "volatile", "noexcept", "override", "final", "requires"});
  }

  /// Reads the words of one item, token by token.
  std::optional<Head> read_head() const {
    Head head;
    bool is_type_name = false;  // declared behind typedef or using
    bool has_value = false;     // what follows initialises a variable
    bool is_result = false;     // what follows is a function's type, behind ->
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
        if (head.is_class && !head.is_enum && !head.body) head.body = {at + 1, *end - 1};
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
        if (token.is("(") && ends_item(at - 1, head)) return head;
        continue;
      }
      has_value = has_value || token.is("=");
      is_result = is_result || (head.is_function && token.is("-") && next == ">");
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
        head.is_class = head.is_class || (next == "{" && !head.is_enum);
      } else if (awaits_class_name && next != "(" && !is_attribute(token.text)) {
        awaits_class_name = false;
        head.names.emplace(token.text);
        head.is_class = defines_class(at);
      }
      std::size_t behind = at + 1;
      if (next == "<" && !has_value) behind = after_angles(at + 1);
      const std::string_view follower =
          behind < tokens_.size() ? tokens_[behind].text : std::string_view(";");
      const bool is_declared =
          !has_value && !is_result &&
          (is_one_of(follower, {";", "=", "[", ",", "("}) ||
           (follower == "{" && !is_qualifier(token.text)) || is_next_condition(behind));
      if (is_declared && !is_attribute(token.text) && !is_builtin_type(token.text)) {
        head.names.emplace(token.text);
      }
      at = std::max(behind, at + 1);
    }
    return std::nullopt;
  }

  /// Whether the item is the use of a macro that closes at `close` and that needs no semicolon.
  bool ends_item(std::size_t close, Head& head) const {
    const auto macro = macros_.find(tokens_[at_].text);
    const bool is_use = macro != macros_.end() && macro->second.ends_item && is_at(at_ + 1, "(") &&
                        head.outside.size() == 1 && !is_at(close + 1, ";") &&
                        !is_at(close + 1, "{");
    if (is_use) head.end = close + 1;
    return is_use;
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

  /// Whether the tokens launch a kernel or name what only hosts have.
  bool does_host_work(std::size_t from, std::size_t to) const {
    for (std::size_t at = from; at < to; ++at) {
      if (tokens_[at].is("<") && is_at(at + 1, "<") && is_at(at + 2, "<")) return true;
      if (!tokens_[at].is_word()) continue;
      const std::string_view next =
          at + 1 < to && !is_member(at) ? tokens_[at + 1].text : std::string_view();
      if (is_host_word(tokens_[at].text, next)) return true;
    }
    return false;
  }

  /// Whether the word stands behind `.` or `->`.
  bool is_member(std::size_t at) const {
    if (at == 0) return false;
    return tokens_[at - 1].is(".") ||
           (at > 1 && tokens_[at - 1].is(">") && tokens_[at - 2].is("-"));
  }

  void note_uses(std::size_t from, std::size_t to, Item& item) const {
    add_all_words(from, to, item.words);
    for (std::size_t at = from; at < to; ++at) {
      if (!tokens_[at].is_word()) continue;
      if ((is_at(at + 1, "(") || is_at(at + 1, "<")) && !is_member(at)) {
        item.calls.emplace(tokens_[at].text);
      }
      const bool is_first = at == 0 || !tokens_[at - 1].is(":");
      if (is_first && is_at(at + 1, ":") && is_at(at + 2, ":") && at + 3 < to) {
        item.scopes.emplace(tokens_[at].text, tokens_[at + 3].text);
      }
    }
  }

  bool read_item(std::vector<Item>& items) {
    const std::size_t begin = at_;
    const auto head = read_head();
    if (!head) return false;
    at_ = head->end;
    Item item = {file_, tokens_[begin].offset, end_of(at_ - 1)};
    item.names = head->names;
    const auto [body_begin, body_end] = head->body.value_or(std::pair(at_, at_));
    note_uses(begin, body_begin, item);
    note_uses(body_end, head->end, item);
    if (head->body) read_members(body_begin, body_end, item);
    const bool is_type_alias = is_at(begin, "typedef") || is_at(begin, "using");
    item.is_function = head->is_function && !head->is_class && !is_type_alias;
    item.is_for_device = std::ranges::any_of(
        head->outside, [&](std::string_view word) { return this->is_for_device(word); });
    item.is_kernel = std::ranges::find(head->outside, "__global__") != head->outside.end();
    const bool is_marked = std::ranges::find(head->outside, "__host__") != head->outside.end();
    const bool declares_nothing = instantiates(begin, *head);
    item.is_for_host = declares_nothing || (item.is_function && !item.is_for_device &&
                                            (is_marked || does_host_work(begin, at_)));
    item.is_condition = is_at(begin, "static_assert");
    item.is_directive = is_at(begin, "using") && is_at(begin + 1, "namespace");
    const bool is_alias = is_at(begin, "namespace");
    for (std::size_t at = begin + (is_alias ? 3 : 2);
         (item.is_directive || is_alias) && at + 1 < at_; ++at) {
      item.space += tokens_[at].text;
    }
    item.is_type = head->is_class || is_type_alias;
    if (item.names.erase("operator") > 0) item.operands = head->parameters;
    // What a macro writes at this scope may declare any of its words.
    for (const std::string_view word : head->outside) {
      const auto macro = macros_.find(word);
      if (macro == macros_.end()) continue;
      item.names.insert(macro->second.words.begin(), macro->second.words.end());
    }
    if (declares_nothing || item.is_condition || item.is_directive) item.names.clear();
    items.push_back(std::move(item));
    return true;
  }

  /// Whether the item is an explicit instantiation, or registers something; by a macro or not.
  bool instantiates(std::size_t begin, const Head& head) const {
    const auto macro = macros_.find(tokens_[begin].text);
    if (macro == macros_.end()) return is_at(begin, "template") && !is_at(begin + 1, "<");
    const bool is_all = is_at(begin + 1, "(") && head.outside.size() == 1;
    return is_all && (macro->second.is_instantiation || macro->second.is_call);
  }

  /// Reads what stands between a class's braces; where that cannot be divided, it is the class's.
  void read_members(std::size_t begin, std::size_t end, Item& owner) {
    constexpr int deepest = 16;  // of classes in each other
    const std::size_t behind = std::exchange(at_, ++depth_ > deepest ? end : begin);
    while (at_ < end) {
      if (is_condition(tokens_[at_]) || tokens_[at_].is(";")) {
        ++at_;
      } else if (is_one_of(tokens_[at_].text, {"public", "protected", "private"}) &&
                 is_at(at_ + 1, ":")) {
        at_ += 2;
      } else if (!read_item(owner.members) || at_ > end) {
        owner.members.clear();
        break;
      }
    }
    --depth_;
    at_ = behind;
    if (owner.members.empty()) note_uses(begin, end, owner);
  }

  std::size_t file_;
  std::string code_;
  const Macros& macros_;
  const WordSet& device_macros_;
  CudaItems& result_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t scopes_ = 0;     ///< that are open
  std::size_t std_scope_ = 0;  ///< which of them is std, from 1
  int depth_ = 0;              ///< of classes in each other
};

}  // namespace

CudaItems read_items(const std::vector<std::string_view>& files, const Macros& macros) {
  const WordSet for_device = device_macros(macros);
  CudaItems result;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::size_t before = result.items.size();
    if (ItemReader(i, files[i], macros, for_device, result).read()) continue;
    result.items.resize(before);
    std::erase_if(result.in_std, [&](const StdBlock& block) { return block.file == i; });
    result.whole.push_back(i);
  }
  return result;
}

}  // namespace sweep
