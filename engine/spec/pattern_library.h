#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/spec/sweep.h"

namespace sweep {

/// The pattern files of some folders, found by name. Earlier folders win.
class PatternLibrary {
 public:
  /// Folders that are not there are skipped. `include_folders` are those whose files patterns may
  /// include besides those of their own folder.
  explicit PatternLibrary(std::vector<std::filesystem::path> folders,
                          std::vector<std::filesystem::path> include_folders = {});

  /// The names there are, sorted.
  std::vector<std::string> names() const;
  /// The file of a pattern, or an empty path.
  std::filesystem::path find(const std::string& name) const;
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

  /// Reads and parses a pattern. When it is not there or has mistakes, adds to the diagnostics and
  /// returns null; `where` is the place that names it. A link that leads out of its folder and of
  /// `include_folders` is not followed.
  PatternPtr load(const std::string& name, const Location& where, Diagnostics& diagnostics) const;

  /// `load` as parse_sweep wants it. The library must outlive it.
  PatternLookup lookup() const;

 private:
  std::vector<std::filesystem::path> folders_;
  std::vector<std::filesystem::path> include_folders_;
  std::map<std::string, std::filesystem::path> files_;
};

}  // namespace sweep
