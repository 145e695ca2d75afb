#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/command.h"
#include "engine/cli/options/find_sources.h"
#include "engine/space/enumerate.h"

namespace sweep {

/// What the command line of `sweep run` asks for.
struct RunOptions {
  std::string sweep;  ///< a file, or a name
  std::vector<std::string> set;
  SpaceLimits limits;
  GivenFolders folders;
  std::string device;
  std::filesystem::path output;
  bool fresh = false;
  bool exact = false;
  bool timing = false;
  bool quiet = false;  ///< no progress, and of the results only the best
  bool json = false;   ///< standard output has events (see run_events.h)
  std::uint64_t seed = 1;
  std::optional<std::vector<std::string>> counters;  ///< in the place of the sweep's
  /// All of them, for those that other files read: the emulator's and the cache's.
  boost::program_options::variables_map values;

  /// Whether only errors, warnings and failed points are told to people.
  bool is_silent() const { return quiet || json; }
};

/// Nothing when --help was asked for and printed. Throws UsageError.
std::optional<RunOptions> read_run_options(const Arguments& arguments);

}  // namespace sweep
