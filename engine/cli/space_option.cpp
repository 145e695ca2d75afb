#include "engine/cli/space_option.h"

#include <algorithm>

#include "engine/cli/number_option.h"
#include "engine/memory/machine_memory.h"

namespace sweep {

void add_space_option(CommandLine& line) {
  line.options()(
      "max-configurations",
      boost::program_options::value<std::string>()->default_value("1000000")->value_name("N"),
      "refuse a sweep with more configurations than that");
}

SpaceLimits given_space_limits(const boost::program_options::variables_map& values) {
  constexpr std::uint64_t most = 1'000'000'000;
  SpaceLimits limits;
  limits.configurations =
      read_whole_number("max-configurations", values["max-configurations"].as<std::string>(), most);
  limits.tries = std::max(limits.tries, 4 * limits.configurations);
  limits.memory = machine_memory().available;
  return limits;
}

}  // namespace sweep
