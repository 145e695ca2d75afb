#include "engine/cli/space_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/cli/command.h"
#include "engine/memory/machine_memory.h"

namespace sweep {
namespace {

constexpr const char* option = "max-configurations";
constexpr std::uint64_t most = 1'000'000'000;

}  // namespace

void add_space_option(CommandLine& line) {
  line.options()(
      option,
      boost::program_options::value<std::string>()->default_value("1000000")->value_name("N"),
      "refuse a sweep with more configurations than that");
}

SpaceLimits given_space_limits(const boost::program_options::variables_map& values) {
  const std::string& text = values[option].as<std::string>();
  SpaceLimits limits;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), limits.configurations);
  if (error != std::errc{} || end != text.data() + text.size() || limits.configurations == 0 ||
      limits.configurations > most) {
    throw UsageError(fmt::format("--{} {}: write a whole number from 1 to {}", option, text, most));
  }
  limits.tries = std::max(limits.tries, 4 * limits.configurations);
  limits.memory = machine_memory().available;
  return limits;
}

}  // namespace sweep
