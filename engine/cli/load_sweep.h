#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/cli/data_folders.h"
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

}  // namespace sweep
