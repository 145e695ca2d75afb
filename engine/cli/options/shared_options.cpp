#include "engine/cli/options/shared_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "engine/cli/command.h"
#include "engine/system/machine_memory.h"
#include "engine/text/diagnostic.h"
#include "engine/text/source.h"

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

void add_quiet_option(CommandLine& line, const char* help) {
  line.options()("quiet,q", help);
}

bool is_quiet(const boost::program_options::variables_map& values) {
  return values.count("quiet") != 0;
}

Expression read_condition(const std::string& text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"--where", text});
  auto condition = Expression::parse(text, {source, 1, 1, text.size()}, diagnostics);
  if (!condition) throw InputError(diagnostics);
  return std::move(*condition);
}

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

namespace {

namespace po = boost::program_options;

using Words = std::vector<std::string>;

Words given(const po::variables_map& values, const char* option) {
  return values.count(option) != 0 ? values[option].as<Words>() : Words();
}

/// What stands before the equals sign, without spaces around it.
std::string assigned_name(const std::string& assignment) {
  std::string name = assignment.substr(0, assignment.find('='));
  std::erase_if(name, [](char c) { return c == ' ' || c == '\t'; });
  return name;
}

}  // namespace

void add_patterns_option(CommandLine& line) {
  line.options()("patterns", po::value<Words>()->composing()->value_name("DIR"),
                 "a folder with patterns, searched first; may be given several times")(
      "include", po::value<Words>()->composing()->value_name("DIR"),
      "a folder whose files patterns may #include besides\nthose of their own folder; may be given "
      "several times");
}

GivenFolders given_folders(const po::variables_map& values) {
  return {given(values, "patterns"), given(values, "include")};
}

void add_set_option(CommandLine& line) {
  line.options()(
      "set", po::value<Words>()->composing()->value_name("NAME=VALUES"),
      "replace an axis or a default: STRIDE=1,2,4 or\n'STRIDE={from: 1, to: 8}'; may be given "
      "for several names");
}

Words given_set(const po::variables_map& values) {
  Words assignments = given(values, "set");
  Words names;
  for (const std::string& assignment : assignments) {
    std::string name = assigned_name(assignment);
    if (std::ranges::find(names, name) != names.end()) {
      throw UsageError(
          fmt::format("--set gives {0} twice; write all its values at once, for example "
                      "--set {0}=1,2,4",
                      name));
    }
    names.push_back(std::move(name));
  }
  return assignments;
}

}  // namespace sweep
