#include "engine/cli/data_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/cli/command.h"
#include "engine/loader/cuda_home.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// `option` is the one that names the folder.
void require_folder(const char* option, const std::string& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  throw CommandError(exit_no_input, fmt::format("--{} {}: no such folder", option, folder));
}

/// Adds a folder that is there and was not added before.
void add_folder(std::vector<fs::path>& folders, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  const bool known = std::ranges::any_of(
      folders, [&](const fs::path& other) { return fs::equivalent(other, folder, error); });
  if (!known) folders.push_back(folder);
}

/// The folders that hold the program's own `patterns` and `sweeps`.
std::vector<fs::path> data_roots() {
  const fs::path program = program_folder();
  return {program.parent_path() / "share" / "sweep", program.parent_path()};
}

}  // namespace

std::vector<fs::path> pattern_folders(const std::vector<std::string>& given,
                                      const fs::path& sweep_file) {
  std::vector<fs::path> folders;
  for (const std::string& folder : given) {
    require_folder("patterns", folder);
    add_folder(folders, folder);
  }
  const char* variable = std::getenv("SWEEP_PATH");
  std::string_view rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) add_folder(folders, rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  if (!sweep_file.empty()) {
    const fs::path folder = sweep_file.has_parent_path() ? sweep_file.parent_path() : ".";
    add_folder(folders, folder);
    add_folder(folders, (folder / ".." / "patterns").lexically_normal());
  }
  add_folder(folders, "patterns");
  for (const fs::path& root : data_roots()) add_folder(folders, root / "patterns");
  return folders;
}

std::vector<fs::path> include_folders(const GivenFolders& given) {
  std::vector<fs::path> folders;
  for (const std::string& folder : given.includes) {
    require_folder("include", folder);
    folders.emplace_back(folder);
  }
  return folders;
}

std::vector<fs::path> sweep_folders() {
  std::vector<fs::path> folders;
  add_folder(folders, "sweeps");
  for (const fs::path& root : data_roots()) add_folder(folders, root / "sweeps");
  return folders;
}

}  // namespace sweep
