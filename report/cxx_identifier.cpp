#include "report/cxx_identifier.h"

#include <cctype>

#include "engine/spec/names.h"

namespace sweep {

std::string cxx_identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte < 0x80 && std::isalnum(byte) != 0;
    if (is_plain) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.empty()) return "unnamed";
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, "n");
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
