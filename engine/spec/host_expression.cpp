#include <algorithm>
#include <array>

#include "engine/spec/host_code.h"
#include "engine/text/characters.h"
#include "engine/text/value.h"

namespace sweep {
namespace {

bool is_integer_type_word(std::string_view word) {
  constexpr std::array<std::string_view, 9> words = {
      "int", "unsigned", "signed", "long", "short", "size_t", "const", "double", "float"};
  return std::ranges::find(words, word) != words.end() ||
         (is_name_token(word) && ElementType::find(word));
}

/// Whether a function of two numbers rounds a quotient up, by its name: CEIL_DIV, iDivUp, cdiv.
bool rounds_quotient_up(std::string_view function) {
  const std::string name = in_small_letters(std::string(function));
  return name.find("div") != std::string::npos || name.find("ceil") != std::string::npos;
}

}  // namespace

std::string without_parentheses(std::string text) {
  while (text.starts_with('(')) {
    const std::vector<std::string_view> tokens = cuda_tokens(text);
    if (after_matching(tokens, 0, ")") != tokens.size()) break;
    text = code_of(CudaTokens(tokens).subspan(1, tokens.size() - 2));
  }
  return text;
}

std::vector<KernelLaunch> HostCode::launches(std::string_view kernel) const {
  std::vector<KernelLaunch> found;
  for (const CudaTokens function : functions_) {
    for (std::size_t at = 0; at < function.size(); ++at) {
      if (function[at] != kernel) continue;
      KernelLaunch launch;
      launch.before = function.first(at);
      std::size_t open = at + 1;
      const bool has_arguments = has_at(function, open, "<") && !has_at(function, open + 2, "<");
      if (has_arguments) {
        const auto end = after_matching(function, open, ">");
        if (!end) continue;
        launch.template_arguments = split_at_commas(function.subspan(open + 1, *end - open - 2));
        open = *end;
      }
      if (!has_at(function, open, "<") || !has_at(function, open + 1, "<") ||
          !has_at(function, open + 2, "<")) {
        continue;
      }
      std::size_t close = open + 3;
      int depth = 0;
      for (; close + 2 < function.size(); ++close) {
        if (function[close] == "(") ++depth;
        if (function[close] == ")") --depth;
        const bool is_end =
            function[close] == ">" && function[close + 1] == ">" && function[close + 2] == ">";
        if (is_end && depth == 0) break;
      }
      const auto shape =
          split_at_commas(function.subspan(open + 3, close - open - 3), Angles::are_operators);
      const auto end = after_matching(function, close + 3, ")");
      if (shape.size() < 2 || !has_at(function, close + 3, "(") || !end) continue;
      launch.grid = shape[0];
      launch.block = shape[1];
      if (shape.size() > 2) launch.shared = shape[2];
      launch.arguments =
          split_at_commas(function.subspan(close + 4, *end - close - 5), Angles::are_operators);
      found.push_back(std::move(launch));
    }
  }
  return found;
}

/// Writes expressions of host code in a pattern's language.
class HostCode::Follower {
 public:
  Follower(const HostCode& host, const KernelLaunch& launch, const NamesForHost& names)
      : host_(host), launch_(launch), names_(names) {}

  std::optional<std::string> follow(CudaTokens cuda, int depth = 0) const {
    if (cuda.empty() || depth > deepest || ++steps_ > most_steps) return std::nullopt;
    std::string text;
    for (std::size_t at = 0; at < cuda.size();) {
      const std::string_view token = cuda[at];
      const std::size_t begin = at;
      std::optional<std::string> piece;
      if (is_digit(token.front())) {
        piece = number(cuda, at);
      } else if (is_name_token(token)) {
        piece = named(cuda, at, depth);
      } else if (token == "(" && is_cast(cuda, at)) {
        at = after_matching(cuda, at, ")").value_or(cuda.size());
        continue;
      } else if (std::string_view("()+-*/%<>?:&|!=~^").find(token) != npos) {
        piece = std::string(token);
        ++at;
      }
      if (!piece || text.size() > longest) return std::nullopt;
      const bool joins = begin > 0 && cuda[begin - 1].end() == token.begin();
      if (!text.empty() && !joins && text.back() != '(' && token != ")") text += ' ';
      text += *piece;
    }
    return text;
  }

  /// What a variable may have been given, the latest first.
  std::vector<CudaTokens> values_of(std::string_view name, bool with_constructors) const {
    std::vector<CudaTokens> values;
    const CudaTokens before = launch_.before;
    for (std::size_t at = before.size(); at-- > 0;) {
      if (before[at] != name || (at > 0 && (before[at - 1] == "." || before[at - 1] == ">"))) {
        continue;
      }
      if (has_at(before, at + 1, "=") && !has_at(before, at + 2, "=")) {
        values.push_back(up_to_end(before.subspan(at + 2)));
      } else if (with_constructors &&
                 (has_at(before, at + 1, "(") || has_at(before, at + 1, "{"))) {
        const std::string_view open = before[at + 1];
        const auto end = after_matching(before, at + 1, open == "(" ? ")" : "}");
        const bool is_declared = at > 0 && (is_name_token(before[at - 1]) || before[at - 1] == ",");
        if (end && is_declared) values.push_back(before.subspan(at + 1, *end - at - 1));
      }
    }
    const auto outside = host_.values_.find(name);
    if (outside != host_.values_.end()) values.push_back(outside->second);
    return values;
  }

  std::vector<std::string> extents(CudaTokens cuda, int depth = 0) const {
    if (cuda.empty() || depth > deepest) return {};
    if (cuda[0] == "dim3" && cuda.size() > 2) cuda = cuda.subspan(1);
    const bool is_braced = cuda[0] == "{";
    const bool is_list =
        is_braced || (cuda[0] == "(" && after_matching(cuda, 0, ")") == cuda.size());
    if (is_list) {
      std::vector<std::string> result;
      for (const CudaTokens each :
           split_at_commas(cuda.subspan(1, cuda.size() - 2), Angles::are_operators)) {
        auto one = follow(each);
        if (!one || result.size() == 3) return {};
        result.push_back(std::move(*one));
      }
      while (result.size() > 1 && result.back() == "1") result.pop_back();
      return result;
    }
    if (cuda.size() == 1 && is_name_token(cuda[0]) && !names_.contains(cuda[0])) {
      for (const CudaTokens value : values_of(cuda[0], true)) {
        auto found = extents(value, depth + 1);
        if (!found.empty()) return found;
      }
    }
    auto one = follow(cuda);
    return one ? std::vector{std::move(*one)} : std::vector<std::string>();
  }

  /// The tokens up to the end of the statement, the list or the parentheses that they stand in.
  static CudaTokens up_to_end(CudaTokens tokens) {
    int depth = 0;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at] == "(" || tokens[at] == "{" || tokens[at] == "[") ++depth;
      const bool closes = tokens[at] == ")" || tokens[at] == "}" || tokens[at] == "]";
      if (closes && depth-- == 0) return tokens.first(at);
      if (depth == 0 && (tokens[at] == ";" || tokens[at] == ",")) return tokens.first(at);
    }
    return tokens;
  }

 private:
  static constexpr std::size_t npos = std::string_view::npos;
  static constexpr int deepest = 8;
  static constexpr std::size_t longest = 200;
  static constexpr int most_steps = 500;  ///< a text that names names must not take forever

  static bool is_cast(CudaTokens cuda, std::size_t open) {
    std::size_t at = open + 1;
    while (at < cuda.size() && is_name_token(cuda[at]) && is_integer_type_word(cuda[at])) ++at;
    return at > open + 1 && has_at(cuda, at, ")") && at + 1 < cuda.size() &&
           (is_word(cuda[at + 1].front()) || cuda[at + 1] == "(");
  }

  /// A number without its suffix; 256.0 as 256. Nothing for one that is not whole.
  static std::optional<std::string> number(CudaTokens cuda, std::size_t& at) {
    std::string digits(cuda[at++]);
    if (has_at(cuda, at, ".")) {
      ++at;
      if (at < cuda.size() && is_digit(cuda[at].front())) {
        const std::size_t fraction = cuda[at].find_first_not_of('0');
        if (fraction != npos && cuda[at][fraction] != 'f') return std::nullopt;
        ++at;
      } else if (has_at(cuda, at, "f")) {
        ++at;
      }
    }
    std::erase(digits, '\'');
    const bool is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != npos)
      digits.pop_back();
    if (is_hexadecimal) return digits;
    const std::size_t exponent = digits.find_first_of("eE");
    if (exponent != npos) {
      const std::string zeros = digits.substr(exponent + 1);
      if (zeros.size() != 1 || !is_digit(zeros[0])) return std::nullopt;
      digits =
          digits.substr(0, exponent) + std::string(static_cast<std::size_t>(zeros[0] - '0'), '0');
    }
    if (!std::ranges::all_of(digits, is_digit)) return std::nullopt;
    return digits;
  }

  static std::string in_parentheses(std::string text) {
    text = without_parentheses(std::move(text));
    const bool is_word_alone = std::ranges::all_of(text, is_word);
    const bool is_call = text.find_first_of(" +-*/%<>?&|=") == std::string::npos;
    return is_word_alone || is_call ? text : "(" + text + ")";
  }

  /// What stands in `tokens` for a name, with what belongs to it: arguments or members.
  std::optional<std::string> named(CudaTokens cuda, std::size_t& at, int depth) const {
    while (has_at(cuda, at + 1, ":") && has_at(cuda, at + 2, ":") && at + 3 < cuda.size()) at += 3;
    const std::string_view name = cuda[at++];
    if (name == "static_cast" && has_at(cuda, at, "<")) {
      at = after_matching(cuda, at, ">").value_or(cuda.size());
      return std::string();
    }
    if (has_at(cuda, at, "(")) {
      const std::size_t open = at;
      at = after_matching(cuda, open, ")").value_or(cuda.size());
      return called(name, cuda.subspan(open + 1, at - open - 2), depth);
    }
    if (has_at(cuda, at, ".") && at + 1 < cuda.size()) {
      const std::string_view axis = cuda[at + 1];
      at += 2;
      return member(name, axis, depth);
    }
    if (has_at(cuda, at, "-") && has_at(cuda, at + 1, ">")) return std::nullopt;
    if (has_at(cuda, at, "[")) return std::nullopt;
    if (const auto known = names_.find(name); known != names_.end()) return known->second;
    for (const CudaTokens value : values_of(name, false)) {
      if (auto text = follow(value, depth + 1)) return in_parentheses(std::move(*text));
    }
    const auto macro = host_.macros_.find(name);
    if (macro == host_.macros_.end()) return std::nullopt;
    auto text = follow(cuda_tokens(macro->second), depth + 1);
    if (!text) return std::nullopt;
    return in_parentheses(std::move(*text));
  }

  std::optional<std::string> member(std::string_view name, std::string_view axis, int depth) const {
    const std::string whole = std::string(name) + "." + std::string(axis);
    if (const auto known = names_.find(whole); known != names_.end()) return known->second;
    const std::size_t index = std::string_view("xyz").find(axis);
    if (index == npos) return std::nullopt;
    const CudaTokens variable(&name, 1);
    const auto all = extents(variable, depth + 1);
    if (all.empty()) return std::nullopt;
    return index < all.size() ? in_parentheses(all[index]) : "1";
  }

  std::optional<std::string> called(std::string_view function, CudaTokens inside, int depth) const {
    if (function == "sizeof") {
      const std::string type = host_.type_behind(std::string(code_of(inside)));
      const auto name = names_.find(type);
      if (name != names_.end()) return "sizeof(" + name->second + ")";
      const std::string element = canonical_type(type);
      if (host_.fields_of(type)) return "sizeof(" + type + ")";
      if (!ElementType::find(element)) return std::nullopt;
      return "sizeof(" + (ElementType::find(type) ? type : element) + ")";
    }
    const auto arguments = split_at_commas(inside, Angles::are_operators);
    const bool is_ceiling = function.starts_with("ceil");
    if (arguments.size() == 1 && is_ceiling) {
      const auto slash = std::ranges::find(arguments[0], "/");
      if (slash != arguments[0].end()) {
        return of_two("ceil_div", {arguments[0].begin(), slash}, {slash + 1, arguments[0].end()},
                      depth);
      }
    }
    if (arguments.size() == 1 && (is_ceiling || is_integer_type_word(function))) {
      auto text = follow(arguments[0], depth + 1);
      return text ? std::optional(in_parentheses(std::move(*text))) : std::nullopt;
    }
    if (arguments.size() != 2) return std::nullopt;
    const std::string small = in_small_letters(std::string(function));
    const std::string least_or_most = small.ends_with("min")   ? "min"
                                      : small.ends_with("max") ? "max"
                                                               : "";
    if (!least_or_most.empty()) return of_two(least_or_most, arguments[0], arguments[1], depth);
    if (!rounds_quotient_up(function)) return std::nullopt;
    return of_two("ceil_div", arguments[0], arguments[1], depth);
  }

  std::optional<std::string> of_two(const std::string& function, CudaTokens one, CudaTokens other,
                                    int depth) const {
    const auto first = follow(one, depth + 1);
    const auto second = follow(other, depth + 1);
    if (!first || !second) return std::nullopt;
    return function + "(" + *first + ", " + *second + ")";
  }

  const HostCode& host_;
  const KernelLaunch& launch_;
  const NamesForHost& names_;
  mutable int steps_ = 0;
};

std::optional<std::string> HostCode::expression(CudaTokens cuda, const KernelLaunch& launch,
                                                const NamesForHost& names) const {
  return Follower(*this, launch, names).follow(cuda);
}

std::optional<std::string> HostCode::expression(std::string_view cuda,
                                                const NamesForHost& names) const {
  return expression(cuda_tokens(cuda), {}, names);
}

std::vector<std::string> HostCode::extents(CudaTokens cuda, const KernelLaunch& launch,
                                           const NamesForHost& names) const {
  return Follower(*this, launch, names).extents(cuda);
}

std::optional<std::string> HostCode::allocated_bytes(CudaTokens pointer, const KernelLaunch& launch,
                                                     const NamesForHost& names) const {
  if (pointer.empty() || !is_name_token(pointer.back())) return std::nullopt;
  const auto search = [&](CudaTokens code) -> std::optional<std::string> {
    for (std::size_t at = 0; at + 1 < code.size(); ++at) {
      const bool allocates = code[at].starts_with("cudaMalloc") && code[at] != "cudaMallocHost";
      if (!allocates || code[at + 1] != "(") continue;
      const auto end = after_matching(code, at + 1, ")");
      if (!end) continue;
      const auto arguments =
          split_at_commas(code.subspan(at + 2, *end - at - 3), Angles::are_operators);
      if (arguments.size() < 2 || !has_token(arguments[0], pointer.back())) continue;
      if (auto bytes = expression(arguments[1], launch, names)) return bytes;
    }
    return std::nullopt;
  };
  return search(launch.before);
}

}  // namespace sweep
