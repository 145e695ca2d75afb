#include "engine/cli/compute_capability.h"

#include <fmt/format.h>

#include <regex>

#include "engine/cli/command.h"

namespace sweep {

std::string dotted(int compute_capability) {
  return fmt::format("{}.{}", compute_capability / 10, compute_capability % 10);
}

int parse_compute_capability(const std::string& option, const std::string& text) {
  static const std::regex form("([1-9][0-9]?)\\.?([0-9])");
  std::smatch parts;
  constexpr std::size_t longest = 4;
  if (text.size() > longest || !std::regex_match(text, parts, form)) {
    throw UsageError(fmt::format("{} {}: write a compute capability such as 9.0", option, text));
  }
  return std::stoi(parts.str(1) + parts.str(2));
}

}  // namespace sweep
