#include "engine/spec/cuda_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "engine/text/characters.h"
#include "engine/text/value.h"

namespace sweep {
namespace {

constexpr std::size_t npos = std::string_view::npos;

// What is not code -------------------------------------------------------------------------------

/// The place after the next `mark` from `at` on; the text's end when there is none.
std::size_t after(std::string_view text, std::size_t at, std::string_view mark) {
  const std::size_t found = text.find(mark, at);
  return found == npos ? text.size() : found + mark.size();
}

/// The length of the backslash and line break at `at`, which join two lines; 0 when there is none.
std::size_t joint(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  return rest.starts_with("\\\n") ? 2 : rest.starts_with("\\\r\n") ? 3 : 0;
}

/// The end of the word or number at `at`; a number takes its separators along: 1'000.
std::size_t end_of_token(std::string_view text, std::size_t at) {
  const bool is_number = is_digit(text[at]);
  while (at < text.size()) {
    const bool separates = is_number && text[at] == '\'' && at + 1 < text.size();
    if (!is_word(text[at]) && !(separates && is_word(text[at + 1]))) break;
    ++at;
  }
  return at;
}

/// The end of the literal in quotes at `at`, which ends with its line at the latest.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != '\n') {
    if (text[at] == quote) return at + 1;
    const std::size_t joined = joint(text, at);
    at += joined > 0 ? joined : text[at] == '\\' ? 2 : 1;
  }
  return std::min(at, text.size());
}

/// The end of the raw string whose quote is at `at`: "delimiter( ... )delimiter".
std::size_t end_of_raw_string(std::string_view text, std::size_t at) {
  const std::size_t open = text.find('(', at);
  if (open == npos) return text.size();
  const std::string end = ')' + std::string(text.substr(at + 1, open - at - 1)) + '"';
  return after(text, open, end);
}

/// The end of the comment at `at`; `at` itself when none starts there.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("/*")) return after(text, at + 2, "*/");
  if (!rest.starts_with("//")) return at;
  while (at < text.size() && text[at] != '\n') at += std::max<std::size_t>(joint(text, at), 1);
  return std::min(at, text.size());
}

/// The end of the preprocessor line at `at`, with the lines it is continued on.
std::size_t end_of_directive(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '\n') {
    if (const std::size_t end = end_of_comment(text, at); end > at) {
      at = end;
    } else if (is_word(text[at])) {
      at = end_of_token(text, at);
    } else if (text[at] == '"' || text[at] == '\'') {
      at = end_of_literal(text, at);
    } else {
      at += std::max<std::size_t>(joint(text, at), 1);
    }
  }
  return std::min(at, text.size());
}

/// Calls `visit` with the begin and end of every comment, literal and preprocessor line.
template <class Visit>
void for_each_non_code(std::string_view cuda, Visit visit) {
  constexpr std::array<std::string_view, 5> raw_prefixes = {"R", "LR", "uR", "UR", "u8R"};
  bool line_start = true;
  for (std::size_t at = 0; at < cuda.size();) {
    const bool is_literal = cuda[at] == '"' || cuda[at] == '\'';
    const std::size_t end = cuda[at] == '#' && line_start ? end_of_directive(cuda, at)
                            : is_literal                  ? end_of_literal(cuda, at)
                                                          : end_of_comment(cuda, at);
    if (end > at) {
      visit(at, end);
      line_start = line_start && !is_literal;
      at = end;
    } else if (is_word(cuda[at])) {
      const std::size_t stop = end_of_token(cuda, at);
      const std::string_view word = cuda.substr(at, stop - at);
      const bool is_raw = cuda.substr(stop).starts_with('"') &&
                          std::ranges::find(raw_prefixes, word) != raw_prefixes.end();
      at = is_raw ? end_of_raw_string(cuda, stop) : stop;
      if (is_raw) visit(stop, at);
      line_start = false;
    } else {
      line_start = cuda[at] == '\n' || (line_start && is_space(cuda[at]));
      ++at;
    }
  }
}

/// The place after the blanks, comments and joined line breaks at `at` in a preprocessor line.
std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t skipped = std::max(joint(text, at), end_of_comment(text, at) - at);
    if (skipped == 0 && !is_space(text[at])) break;
    at += std::max<std::size_t>(skipped, 1);
  }
  return at;
}

// Kernels ----------------------------------------------------------------------------------------

KernelParameter read_parameter(CudaTokens tokens, std::string_view code) {
  KernelParameter parameter;
  parameter.offset = static_cast<std::size_t>(tokens.front().data() - code.data());
  parameter.length = static_cast<std::size_t>(tokens.back().end() - tokens.front().begin());
  const auto equals = std::ranges::find(tokens, "=");
  if (equals != tokens.end()) parameter.default_value = code_of({equals + 1, tokens.end()});
  tokens = {tokens.begin(), equals};
  std::vector<std::string_view> words;
  bool is_array = false;
  for (std::size_t at = 0; at < tokens.size();) {
    if (tokens[at] == "[") {
      is_array = true;
      at = after_matching(tokens, at, "]").value_or(tokens.size());
    } else {
      words.push_back(tokens[at++]);
    }
  }
  if (words.size() > 1 && is_word(words.back().front())) {
    parameter.name = words.back();
    words.pop_back();
  }
  constexpr std::array qualifiers = {"const",    "volatile",          "__restrict__", "__restrict",
                                     "restrict", "__grid_constant__", "struct"};
  std::string& type = parameter.type;
  for (const std::string_view word : words) {
    if (std::ranges::find(qualifiers, word) != qualifiers.end()) continue;
    if (!type.empty() && is_word(type.back()) && is_word(word.front())) type += ' ';
    type += word;
  }
  if (is_array) type += '*';
  const auto pointee_end = std::ranges::find(words, "*");
  parameter.is_const = type.ends_with('*') && has_token({words.begin(), pointee_end}, "const");
  return parameter;
}

/// The parameters between a kernel's parentheses.
std::vector<KernelParameter> read_parameters(CudaTokens tokens, std::string_view code) {
  std::vector<KernelParameter> result;
  for (const CudaTokens each : split_at_commas(tokens))
    result.push_back(read_parameter(each, code));
  const bool is_void = result.size() == 1 && result.front().type == "void";
  return is_void ? std::vector<KernelParameter>{} : result;
}

/// The parameters between a template's angle brackets.
std::vector<TemplateParameter> read_template_parameters(CudaTokens tokens) {
  std::vector<TemplateParameter> result;
  for (CudaTokens each : split_at_commas(tokens)) {
    TemplateParameter& parameter = result.emplace_back();
    const auto equals = std::ranges::find(each, "=");
    if (equals != each.end()) {
      parameter.default_value = code_of({equals + 1, each.end()});
      each = {each.begin(), equals};
    }
    parameter.is_pack = has_token(each, ".");
    if (each.size() > 1 && is_word(each.back().front())) {
      parameter.name = each.back();
      each = each.first(each.size() - 1);
    }
    const bool is_type = !each.empty() && (each.front() == "class" || each.front() == "typename");
    parameter.type = is_type                       ? "typename"
                     : has_token(each, "template") ? "template"
                                                   : code_of(each);
  }
  return result;
}

/// Reads the name and the parameters after a `__global__`; false when there are none.
bool read_declaration(CudaTokens tokens, std::string_view code, KernelDeclaration& kernel) {
  for (std::size_t at = 0; at < tokens.size();) {
    if (is_word(tokens[at].front())) {
      kernel.name = tokens[at];
      kernel.offset = static_cast<std::size_t>(tokens[at].data() - code.data());
      ++at;
    } else if (tokens[at] == "[" && at + 1 < tokens.size() && tokens[at + 1] == "[") {
      at = after_matching(tokens, at, "]").value_or(tokens.size());
    } else if (tokens[at] == "(" && !kernel.name.empty()) {
      const auto close = after_matching(tokens, at, ")");
      if (!close) return false;
      const std::size_t end = *close;
      const CudaTokens inside = tokens.subspan(at + 1, end - at - 2);
      if (kernel.name == "__launch_bounds__" && !inside.empty()) {
        kernel.launch_bounds = code_of(split_at_commas(inside).front());
      }
      // What follows a kernel's own parentheses is its body or an attribute; others are those of an
      // attribute or a macro.
      const std::string_view next = end < tokens.size() ? tokens[end] : std::string_view("{");
      const bool goes_on = is_word(next.front()) && !next.starts_with("__") && next != "noexcept";
      if (!kernel.name.starts_with("__") && !goes_on) {
        kernel.parameters = read_parameters(inside, code);
        const std::size_t open = end < tokens.size() && next == "noexcept" ? end + 1 : end;
        const bool has_body = open < tokens.size() && tokens[open] == "{";
        const auto body_end = has_body ? after_matching(tokens, open, "}") : std::nullopt;
        if (body_end) kernel.body = code_of(tokens.subspan(open, *body_end - open));
        return true;
      }
      at = end;
    } else {
      return false;
    }
  }
  return false;
}

}  // namespace

std::size_t skip_space(std::string_view code, std::size_t at) {
  while (at < code.size() && is_space(code[at])) ++at;
  return at;
}

std::size_t end_of_word(std::string_view code, std::size_t at) {
  while (at < code.size() && is_word(code[at])) ++at;
  return at;
}

std::string_view word_at(std::string_view code, std::size_t at) {
  at = std::min(at, code.size());
  return code.substr(at, end_of_word(code, at) - at);
}

std::vector<std::string_view> cuda_tokens(std::string_view code) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = skip_space(code, 0); at < code.size(); at = skip_space(code, at)) {
    tokens.push_back(code.substr(at, std::max<std::size_t>(end_of_word(code, at) - at, 1)));
    at += tokens.back().size();
  }
  return tokens;
}

bool is_name_token(std::string_view token) {
  return is_word(token.front()) && !is_digit(token.front());
}

bool has_at(CudaTokens tokens, std::size_t at, std::string_view text) {
  return at < tokens.size() && tokens[at] == text;
}

bool has_token(CudaTokens tokens, std::string_view text) {
  return std::ranges::find(tokens, text) != tokens.end();
}

std::optional<std::size_t> after_matching(CudaTokens tokens, std::size_t open,
                                          std::string_view closing) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    if (tokens[at] == tokens[open]) ++depth;
    if (tokens[at] == closing && --depth == 0) return at + 1;
  }
  return std::nullopt;
}

std::vector<CudaTokens> split_at_commas(CudaTokens tokens, Angles angles) {
  const bool counts_angles = angles == Angles::are_brackets;
  const std::string_view opening = counts_angles ? "([{<" : "([{";
  const std::string_view closing = counts_angles ? ")]}>" : ")]}";
  std::vector<CudaTokens> result;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= tokens.size(); ++at) {
    if (at < tokens.size()) {
      if (opening.find(tokens[at]) != npos) ++depth;
      if (closing.find(tokens[at]) != npos) --depth;
      if (tokens[at] != "," || depth != 0) continue;
    }
    if (begin < at) result.push_back(tokens.subspan(begin, at - begin));
    begin = at + 1;
  }
  return result;
}

std::string_view code_of(CudaTokens tokens) {
  if (tokens.empty()) return {};
  return {tokens.front().data(),
          static_cast<std::size_t>(tokens.back().data() - tokens.front().data()) +
              tokens.back().size()};
}

std::string blank_non_code(std::string_view cuda) {
  std::string result(cuda);
  for_each_non_code(cuda, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (result[i] != '\n') result[i] = ' ';
    }
  });
  return result;
}

std::optional<std::size_t> find_open_comment(std::string_view cuda) {
  std::optional<std::size_t> open;
  for_each_non_code(cuda, [&](std::size_t begin, std::size_t end) {
    const std::string_view text = cuda.substr(begin, end - begin);
    const bool is_closed = text.size() >= 4 && text.ends_with("*/");
    if (end == cuda.size() && text.starts_with("/*") && !is_closed) open = begin;
  });
  return open;
}

std::vector<Extent> find_comments(std::string_view cuda) {
  std::vector<Extent> comments;
  for_each_non_code(cuda, [&](std::size_t begin, std::size_t end) {
    if (cuda[begin] == '/') comments.push_back({begin, end});
  });
  return comments;
}

std::vector<Directive> find_directives(std::string_view cuda) {
  std::vector<Directive> result;
  for_each_non_code(cuda, [&](std::size_t begin, std::size_t end) {
    if (cuda[begin] != '#') return;
    const std::string_view whole = cuda.substr(begin, end - begin);
    const std::size_t name = skip_blanks(whole, 1);
    const std::string_view word = word_at(whole, name);
    result.push_back(
        {std::string(word), begin, end - begin, std::string(whole.substr(name + word.size()))});
  });
  return result;
}

std::string defined_macro(const Directive& directive) {
  if (directive.name != "define") return {};
  const std::string code = blank_non_code(directive.text);
  return std::string(word_at(code, skip_space(code, 0)));
}

std::vector<std::string> kernel_macros(std::string_view cuda) {
  std::vector<std::string> macros;
  for (const Directive& directive : find_directives(cuda)) {
    std::string name = defined_macro(directive);
    const bool is_function = directive.text.find(name + "(") != npos;
    const bool has_word = directive.text.find("__global__") != npos;
    if (!name.empty() && has_word && !is_function) macros.push_back(std::move(name));
  }
  return macros;
}

std::vector<KernelDeclaration> find_kernels(std::string_view cuda,
                                            std::vector<std::string> macros) {
  for (std::string& macro : kernel_macros(cuda)) macros.push_back(std::move(macro));
  std::vector<KernelDeclaration> kernels = find_kernels_in(blank_non_code(cuda), macros);
  for (KernelDeclaration& kernel : kernels) kernel.body = {};
  return kernels;
}

std::vector<KernelDeclaration> find_kernels_in(std::string_view code,
                                               std::span<const std::string> macros) {
  const std::vector<std::string_view> all = cuda_tokens(code);
  const CudaTokens tokens = all;
  std::vector<KernelDeclaration> result;
  std::vector<CudaTokens> scopes;  // what stands before the braces that are open
  std::size_t begin = 0;           // of the statement
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const CudaTokens before = tokens.subspan(begin, at - begin);
    if (tokens[at] == "{") scopes.push_back(before);
    if (tokens[at] == "}" && !scopes.empty()) scopes.pop_back();
    if (tokens[at] == "{" || tokens[at] == "}" || tokens[at] == ";") begin = at + 1;
    KernelDeclaration kernel;
    const bool is_marked =
        tokens[at] == "__global__" || std::ranges::find(macros, tokens[at]) != macros.end();
    if (!is_marked || !read_declaration(tokens.subspan(at + 1), code, kernel)) continue;
    const auto keyword = std::ranges::find(before, "template");
    kernel.is_template = keyword != before.end();
    const CudaTokens of_template(keyword, before.end());
    const auto angle = of_template.size() > 1 ? after_matching(of_template, 1, ">") : std::nullopt;
    if (angle && of_template[1] == "<") {
      kernel.template_parameters = read_template_parameters(of_template.subspan(2, *angle - 3));
    }
    const auto bounds = std::ranges::find(before, "__launch_bounds__");
    if (before.end() - bounds > 2) kernel.launch_bounds = *(bounds + 2);
    kernel.is_extern_c = has_token(before, "extern");
    for (const CudaTokens scope : scopes) {
      kernel.is_extern_c = kernel.is_extern_c || has_token(scope, "extern");
      const auto space = std::ranges::find(scope, "namespace");
      if (space == scope.end()) continue;
      kernel.is_in_namespace = true;
      if (scope.end() - space < 2) continue;
      kernel.scope +=
          (kernel.scope.empty() ? "" : "::") + std::string(code_of({space + 1, scope.end()}));
    }
    result.push_back(std::move(kernel));
  }
  return result;
}

std::string canonical_type(std::string_view type) {
  const auto element = ElementType::find(type);
  return element ? element->name() : std::string(type);
}

}  // namespace sweep
