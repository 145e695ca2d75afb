#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sweep {

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

}  // namespace sweep
