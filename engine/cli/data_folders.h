#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sweep {

/// Folders that a command line gives.
struct GivenFolders {
  std::vector<std::string> patterns = {};  ///< where to look for patterns first
  std::vector<std::string> includes = {};  ///< whose files patterns may include too
};

/// Where patterns are looked for, in this order: the folders given, those in $SWEEP_PATH
/// (separated by colons), the sweep file's own folder and the `patterns` folder beside it,
/// ./patterns, and what belongs to the program: ../share/sweep/patterns when it is installed,
/// ../patterns when it stands in its build folder. `sweep_file` may be empty. Throws CommandError
/// for a given folder that is not there.
std::vector<std::filesystem::path> pattern_folders(const std::vector<std::string>& given,
                                                   const std::filesystem::path& sweep_file);

/// The folders whose files patterns may include besides those of their own. Throws CommandError
/// where one is not there.
std::vector<std::filesystem::path> include_folders(const GivenFolders& given);

/// Where sweeps are looked for by name: ./sweeps and what belongs to the program.
std::vector<std::filesystem::path> sweep_folders();

}  // namespace sweep
