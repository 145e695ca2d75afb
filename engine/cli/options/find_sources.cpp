#include "engine/cli/options/find_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "engine/cli/options/command_line.h"
#include "engine/spec/pattern.h"
#include "engine/system/dynamic_library.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"
#include "engine/text/yaml.h"

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
  for (const std::string& folder : split(variable != nullptr ? variable : "", ':')) {
    if (!folder.empty()) add_folder(folders, folder);
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

PatternPtr find_pattern(const std::string& name, const GivenFolders& folders) {
  const std::filesystem::path path = name;
  Diagnostics diagnostics;
  PatternPtr pattern;
  if (path.extension() == ".cu") {
    pattern = parse_pattern(read_source(path), path, diagnostics, include_folders(folders));
  } else {
    const PatternLibrary library(pattern_folders(folders.patterns, {}), include_folders(folders));
    if (library.find(name).empty()) {
      const std::vector<std::string> names = library.names();
      const std::string file = name + ".cu";
      std::error_code error;
      if (std::filesystem::exists(file, error)) {
        throw CommandError(
            exit_no_input,
            fmt::format("there is no pattern '{}' in the folders of patterns; for the "
                        "file here write {}",
                        name, file));
      }
      const std::string help = names.empty() ? "no folder has any: name one with --patterns"
                                             : suggest(name, names, "the patterns are");
      throw CommandError(exit_no_input, fmt::format("there is no pattern '{}'; {}", name, help));
    }
    pattern = library.load(name, {}, diagnostics);
  }
  if (pattern == nullptr) throw InputError(diagnostics);
  return pattern;
}

namespace {

/// By name; earlier folders win.
std::map<std::string, fs::path> sweep_files() {
  std::map<std::string, fs::path> files;
  for (const fs::path& folder : sweep_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() != ".yaml") continue;
      files.emplace(entry.path().stem().string(), entry.path());
    }
  }
  return files;
}

std::string summary_of(const fs::path& file) {
  try {
    Diagnostics diagnostics;
    const auto root = read_yaml(read_source(file), diagnostics);
    if (!root || !root->is_map()) {
      return fmt::format("(has mistakes: sweep check {})", file.string());
    }
    const YamlNode* summary = root->find("summary");
    return summary != nullptr ? summary->text : std::string();
  } catch (const FileError& error) {
    return fmt::format("({})", error.what());
  }
}

}  // namespace

std::vector<ListedSweep> list_sweeps() {
  std::vector<ListedSweep> sweeps;
  for (const auto& [name, file] : sweep_files()) sweeps.push_back({name, summary_of(file), file});
  return sweeps;
}

std::vector<std::string> sweep_names() {
  std::vector<std::string> names;
  for (const auto& [name, file] : sweep_files()) names.push_back(name);
  return names;
}

fs::path find_sweep_file(const std::string& name) {
  if (file_is_there(name)) return name;
  for (const fs::path& folder : sweep_folders()) {
    for (const fs::path& candidate :
         {folder / name, folder / (name + ".yaml"), folder.parent_path() / name}) {
      if (file_is_there(candidate)) return candidate;
    }
  }
  for (const fs::path& folder : pattern_folders({}, {})) {
    if (!file_is_there(folder / (name + ".cu"))) continue;
    throw CommandError(
        exit_no_input,
        fmt::format(
            "there is no sweep '{0}', but a pattern: write a sweep with 'pattern: {0}' into "
            "a .yaml file, or see what it costs: sweep explain {0}",
            name));
  }
  const std::string help = suggest(fs::path(name).stem().string(), sweep_names(), "the sweeps are");
  throw CommandError(exit_no_input,
                     fmt::format("{}: no such file{}{}", name, help.empty() ? "" : "; ", help));
}

}  // namespace sweep
