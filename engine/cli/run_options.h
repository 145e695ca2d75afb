#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/command.h"

namespace sweep {

/// What the command line of `sweep run` asks for.
struct RunOptions {
  std::string sweep;  ///< a file, or a name
  std::vector<std::string> set;
  std::vector<std::string> folders;  ///< of patterns
  std::string device;
  std::filesystem::path output;
  bool fresh = false;
  bool exact = false;
  bool timing = false;
  std::uint64_t seed = 1;
  std::optional<std::vector<std::string>> counters;  ///< in the place of the sweep's
  /// All of them, for those that other files read: the emulator's and the cache's.
  boost::program_options::variables_map values;
};

/// Nothing when --help was asked for and printed. Throws UsageError.
std::optional<RunOptions> read_run_options(const Arguments& arguments);

}  // namespace sweep
