#include "engine/cli/compute_capability.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cli/command.h"
#include "engine/text/characters.h"

namespace sweep {

std::string dotted(int compute_capability) {
  return fmt::format("{}.{}", compute_capability / 10, compute_capability % 10);
}

int parse_compute_capability(const std::string& option, const std::string& text) {
  constexpr std::size_t most_digits = 3;
  std::string digits = text;
  // The minor version is one digit, with or without the point before it.
  if (text.size() > 2 && text[text.size() - 2] == '.') digits.erase(text.size() - 2, 1);
  const bool is_one = digits.size() > 1 && digits.size() <= most_digits && digits[0] != '0' &&
                      std::ranges::all_of(digits, is_digit);
  if (!is_one) {
    throw UsageError(fmt::format("{} {}: write a compute capability such as 9.0", option, text));
  }
  return std::stoi(digits);
}

}  // namespace sweep
