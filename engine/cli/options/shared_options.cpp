#include "engine/cli/options/shared_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/system/machine_memory.h"
#include "engine/text/diagnostic.h"

namespace sweep {

void add_patterns_option(CommandLine& line) {
  line.repeatable("patterns", "DIR",
                  "a folder with patterns, searched first; may be given several times");
  line.repeatable("include", "DIR",
                  "a folder whose files patterns may #include besides\nthose of their own folder; "
                  "may be given several times");
}

GivenFolders given_folders(const GivenOptions& given) {
  return {given.all("patterns"), given.all("include")};
}

void add_set_option(CommandLine& line) {
  line.repeatable("set", "NAME=VALUES",
                  "replace an axis or a default: STRIDE=1,2,4 or\n'STRIDE={from: 1, to: 8}'; may "
                  "be given for several names");
}

std::vector<std::string> given_set(const GivenOptions& given) {
  std::vector<std::string> names;
  for (const std::string& assignment : given.all("set")) {
    std::string name = assignment.substr(0, assignment.find('='));
    std::erase_if(name, [](char c) { return c == ' ' || c == '\t'; });
    if (std::ranges::find(names, name) != names.end()) {
      throw UsageError(
          fmt::format("--set gives {0} twice; write all its values at once, for example "
                      "--set {0}=1,2,4",
                      name));
    }
    names.push_back(std::move(name));
  }
  return given.all("set");
}

void add_space_option(CommandLine& line) {
  line.option("max-configurations", "N", "refuse a sweep with more configurations than that",
              "1000000");
}

SpaceLimits given_space_limits(const GivenOptions& given) {
  constexpr std::uint64_t most = 1'000'000'000;
  SpaceLimits limits;
  limits.configurations = given.number("max-configurations", most).value();
  limits.tries = std::max(limits.tries, 4 * limits.configurations);
  limits.memory = machine_memory().available;
  return limits;
}

Expression read_condition(const std::string& text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"--where", text});
  auto condition = Expression::parse(text, {source, 1, 1, text.size()}, diagnostics);
  if (!condition) throw InputError(diagnostics);
  return std::move(*condition);
}

}  // namespace sweep
