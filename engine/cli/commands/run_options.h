#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/options/command_line.h"
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
  GivenOptions given;  ///< all of them, for the emulator's and the cache's

  /// Whether only errors, warnings and failed points are told to people.
  bool is_silent() const { return quiet || json; }
};

/// Throws UsageError.
RunOptions read_run_options(const GivenOptions& given);

}  // namespace sweep
