#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/cli/options/find_sources.h"
#include "engine/space/enumerate.h"

namespace sweep {

/// A sweep with its space.
struct LoadedSweep {
  Sweep sweep;
  Space space;
  SpaceLimits limits = {};  ///< under which it was enumerated
};

/// The arguments of `--set` as parse_sweep takes them.
std::vector<Override> overrides_of(const std::vector<std::string>& set_arguments);

/// Reads a sweep file, its patterns (see pattern_folders) and the `--set` arguments, and
/// enumerates. Throws FileError and InputError.
LoadedSweep load_sweep(const std::filesystem::path& file, const GivenFolders& folders,
                       const std::vector<std::string>& set_arguments, SpaceLimits limits);

/// Enumerates the sweep again, after it was changed.
void enumerate_again(LoadedSweep& loaded);

/// What a sweep is about to do, in a few lines: how many configurations there are, which axes
/// make them up, and how many each constraint removed.
std::string describe_plan(const LoadedSweep& loaded);

/// What a tuned sweep is about to search, in a line: "  searches 270 configurations for the highest
/// bandwidth, at most 100 of each of 2 groups".
std::string describe_search_plan(const TuneRules& rules, const std::vector<TuningGroup>& groups);

}  // namespace sweep
