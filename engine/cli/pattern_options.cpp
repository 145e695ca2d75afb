#include "engine/cli/pattern_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {
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
