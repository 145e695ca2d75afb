#include "report/cxx_identifier.h"

#include "engine/spec/pattern_names.h"
#include "engine/text/characters.h"

namespace sweep {

std::string cxx_identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (is_letter_or_digit(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.empty()) return "unnamed";
  if (is_digit(name.front())) name.insert(0, "n");
  if (!why_not_a_name(name).empty()) name += '_';
  return name;
}

std::string ScopeNames::take(const std::string& name) {
  std::string result = name;
  for (int number = 2; !taken_.insert(result).second; ++number) {
    result = name + (name.ends_with('_') ? "" : "_") + std::to_string(number);
  }
  return result;
}

}  // namespace sweep
