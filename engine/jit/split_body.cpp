#include "engine/jit/split_body.h"

#include <algorithm>

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

}  // namespace sweep
