#include "engine/spec/host_code.h"

#include <algorithm>
#include <array>

#include "engine/text/characters.h"
#include "engine/text/value.h"

namespace sweep {
namespace {

template <std::size_t count>
bool is_listed(std::string_view word, const std::array<std::string_view, count>& words) {
  return std::ranges::find(words, word) != words.end();
}

CudaTokens without_template_head(CudaTokens tokens) {
  while (has_at(tokens, 0, "template") && has_at(tokens, 1, "<")) {
    const auto end = after_matching(tokens, 1, ">");
    if (!end) break;
    tokens = tokens.subspan(*end);
  }
  return tokens;
}

/// Whether what stands before a brace is a function's, not a class's or a value's. Arguments may
/// have default values.
bool is_function_head(CudaTokens head) {
  if (has_token(head, "typedef") || has_at(head, 0, "struct")) return false;
  int depth = 0;
  for (const std::string_view token : head) {
    if (token == "(") ++depth;
    if (token == ")") --depth;
    if (token == "=" && depth == 0) return false;
  }
  return has_token(head, "(");
}

}  // namespace

HostCode::HostCode(std::string_view cuda)
    : code_(blank_non_code(cuda)), tokens_(cuda_tokens(code_)) {
  for (const Directive& directive : find_directives(cuda)) {
    if (directive.name != "define") continue;
    std::string text = blank_non_code(directive.text);
    std::ranges::replace(text, '\\', ' ');
    const std::size_t begin = skip_space(text, 0);
    const std::string name(word_at(text, begin));
    declared_.insert(name);
    const std::string value = text.substr(begin + name.size());
    if (!value.starts_with("(")) macros_.emplace(name, value);
  }
  read_file_scope();
}

void HostCode::read_file_scope() {
  const CudaTokens all = tokens_;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const CudaTokens before = all.subspan(begin, at - begin);
    if (all[at] == ";" || all[at] == "}") {
      if (!before.empty()) read_statement(before);
      begin = at + 1;
    } else if (all[at] == "{") {
      const bool is_scope =
          has_token(before, "namespace") || (before.size() == 1 && before[0] == "extern");
      if (is_scope) {
        begin = at + 1;
        continue;
      }
      const std::size_t end = after_matching(all, at, "}").value_or(all.size());
      const bool is_function = is_function_head(without_template_head(before));
      if (is_function) {
        read_statement(before);
        functions_.push_back(all.subspan(begin, end - begin));
        begin = end;
      }
      at = end - 1;
    }
  }
}

void HostCode::read_statement(CudaTokens statement) {
  statement = without_template_head(statement);
  if (statement.empty()) return;
  if (statement[0] == "using" && has_at(statement, 2, "=")) {
    aliases_.emplace(statement[1], code_of(statement.subspan(3)));
    declared_.emplace(statement[1]);
    return;
  }
  constexpr std::array<std::string_view, 3> classes = {"struct", "class", "union"};
  const bool is_typedef = statement[0] == "typedef";
  const auto open = std::ranges::find(statement, "{");
  const auto keyword = std::find_if(statement.begin(), open, [&](std::string_view word) {
    return is_listed(word, classes) || word == "enum";
  });
  if (keyword == open || open == statement.end()) {
    if (is_typedef && is_name_token(statement.back())) {
      declared_.emplace(statement.back());
      aliases_.emplace(statement.back(), code_of(statement.subspan(1, statement.size() - 2)));
      return;
    }
    read_declared(statement);
    return;
  }
  const auto at = static_cast<std::size_t>(open - statement.begin());
  const std::size_t end = after_matching(statement, at, "}").value_or(statement.size());
  const CudaTokens inside = statement.subspan(at + 1, end - at - 2);
  if (*keyword == "enum") {
    for (const CudaTokens each : split_at_commas(inside, Angles::are_operators)) {
      declared_.emplace(each[0]);
      if (has_at(each, 1, "=")) values_.emplace(each[0], each.subspan(2));
    }
  }
  std::vector<std::string_view> names;
  // The name stands before what it is derived from, and behind attributes.
  const auto colon = std::find(keyword, open, ":");
  if (colon - keyword > 1 && is_name_token(*(colon - 1)) && *(colon - 1) != "final") {
    names.push_back(*(colon - 1));
  }
  if (is_typedef && is_name_token(statement.back())) names.push_back(statement.back());
  for (const std::string_view name : names) {
    declared_.emplace(name);
    if (is_listed(*keyword, classes)) classes_.emplace(name, inside);
  }
}

void HostCode::read_declared(CudaTokens statement) {
  const bool is_constant_memory = has_token(statement, "__constant__");
  for (const CudaTokens each : split_at_commas(statement)) {
    const auto end = std::ranges::find_if(each, [](std::string_view token) {
      return token == "=" || token == "(" || token == "[" || token == "{";
    });
    if (end == each.begin() || !is_name_token(*(end - 1))) continue;
    const std::string name(*(end - 1));
    declared_.insert(name);
    if (is_constant_memory) constant_memory_.insert(name);
    if (end != each.end() && *end == "=") values_.emplace(name, CudaTokens(end + 1, each.end()));
    if (end != each.end() && *end == "(") break;  // a function's parameters
  }
}

bool HostCode::declares(std::string_view name) const {
  return declared_.contains(name);
}

std::string HostCode::type_behind(std::string type) const {
  constexpr int deepest = 8;
  for (int depth = 0; depth < deepest; ++depth) {
    const auto alias = aliases_.find(type);
    const auto macro = macros_.find(type);
    if (alias == aliases_.end() && macro == macros_.end()) break;
    type =
        alias != aliases_.end() ? alias->second : std::string(code_of(cuda_tokens(macro->second)));
  }
  for (const std::string_view word : {"const ", "struct "}) {
    if (type.starts_with(word)) type.erase(0, word.size());
  }
  return type;
}

std::optional<std::vector<ClassField>> HostCode::fields_of(std::string_view type) const {
  const auto found = classes_.find(type);
  if (found == classes_.end()) return std::nullopt;
  std::vector<ClassField> fields;
  const CudaTokens inside = found->second;
  for (std::size_t at = 0; at < inside.size();) {
    const CudaTokens rest = inside.subspan(at);
    const auto end = std::ranges::find(rest, ";");
    const CudaTokens statement(rest.begin(), end);
    at += statement.size() + 1;
    if (statement.empty()) continue;
    if (has_token(statement, "(") || has_token(statement, "{")) return std::nullopt;
    std::string shared;
    for (const CudaTokens each : split_at_commas(statement)) {
      const auto stop = std::ranges::find_if(each, [](std::string_view token) {
        return token == "=" || token == "[" || token == ":";
      });
      CudaTokens words(each.begin(), stop);
      if (words.empty() || !is_name_token(words.back())) return std::nullopt;
      ClassField field{{}, std::string(words.back())};
      words = words.first(words.size() - 1);
      std::string stars;
      for (const std::string_view word : words) {
        constexpr std::array<std::string_view, 5> qualifiers = {"const", "volatile", "__restrict__",
                                                                "struct", "__restrict"};
        if (word == "*") {
          stars += "*";
        } else if (!is_listed(word, qualifiers)) {
          const bool is_apart =
              !field.type.empty() && is_word(field.type.back()) && is_name_token(word);
          field.type += (is_apart ? " " : "") + std::string(word);
        }
      }
      if (field.type.empty()) field.type = shared;
      shared = field.type;
      field.type += stars;
      if (stop != each.end() && *stop == "[") field.type += "[]";
      fields.push_back(std::move(field));
    }
  }
  return fields;
}

}  // namespace sweep
