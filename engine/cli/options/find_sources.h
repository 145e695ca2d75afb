#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/spec/pattern.h"

namespace sweep {

/// Whether there is a file of that name to read, a pipe too. A folder is none: results, or a
/// sweep's own files, may lie in one of the sweep's name.
inline bool file_is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error);
}

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

/// The pattern that a user means: a file, or the name of one in `pattern_folders`. Throws
/// CommandError when there is none, FileError, and InputError for its mistakes.
PatternPtr find_pattern(const std::string& name, const GivenFolders& folders);

/// A sweep that can be run by its name.
struct ListedSweep {
  std::string name;
  std::string summary;  ///< in parentheses what is wrong, where it cannot be read
  std::filesystem::path file;
};

/// The sweeps in `sweep_folders`, by name. Their patterns are not read.
std::vector<ListedSweep> list_sweeps();

/// Their names alone, without reading the files.
std::vector<std::string> sweep_names();

/// The sweep file that a user means: a path, or the name of one in `sweep_folders`, with or without
/// its ending. Throws CommandError when there is none, which names the sweeps there are.
std::filesystem::path find_sweep_file(const std::string& name);

}  // namespace sweep
