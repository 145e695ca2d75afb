#include "engine/cli/number_option.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/cli/command.h"

namespace sweep {

std::uint64_t read_whole_number(std::string_view option, const std::string& text,
                                std::uint64_t largest) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0 || number > largest) {
    throw UsageError(
        fmt::format("--{} {}: write a whole number from 1 to {}", option, text, largest));
  }
  return number;
}

}  // namespace sweep
