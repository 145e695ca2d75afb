#include "engine/cli/sweep_list.h"

#include <fmt/format.h>

#include <map>

#include "engine/cli/data_folders.h"
#include "engine/text/read_source.h"
#include "engine/text/yaml.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

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

}  // namespace sweep
