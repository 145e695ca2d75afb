#include "engine/spec/pattern_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"

namespace sweep {

PatternLibrary::PatternLibrary(std::vector<std::filesystem::path> folders,
                               std::vector<std::filesystem::path> include_folders)
    : folders_(std::move(folders)), include_folders_(std::move(include_folders)) {
  for (const std::filesystem::path& folder : folders_) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() != ".cu" || !entry.is_regular_file(error)) continue;
      files_.emplace(entry.path().stem().string(), entry.path());
    }
  }
}

std::vector<std::string> PatternLibrary::names() const {
  std::vector<std::string> result;
  for (const auto& [name, path] : files_) result.push_back(name);
  return result;
}

std::filesystem::path PatternLibrary::find(const std::string& name) const {
  const auto found = files_.find(name);
  return found != files_.end() ? found->second : std::filesystem::path();
}

PatternPtr PatternLibrary::load(const std::string& name, const Location& where,
                                Diagnostics& diagnostics) const {
  const std::filesystem::path path = find(name);
  if (path.empty()) {
    std::string help = did_you_mean(name, names());
    if (help.empty()) {
      std::vector<std::string> searched;
      for (const std::filesystem::path& folder : folders_) searched.push_back(folder.string());
      help = searched.empty()
                 ? "--patterns DIR adds a folder of pattern files"
                 : fmt::format("searched for {}.cu in: {}; --patterns DIR adds a folder", name,
                               fmt::join(searched, ", "));
    }
    diagnostics.error(where, fmt::format("there is no pattern '{}'", name), help);
    return nullptr;
  }
  const auto holds = [&](const std::filesystem::path& folder) { return lies_in(path, folder); };
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) && !holds(path.parent_path()) &&
      std::ranges::none_of(include_folders_, holds)) {
    diagnostics.error(where, fmt::format("{} is a link out of its folder", path.string()),
                      "--include DIR lets patterns read the files of a folder");
    return nullptr;
  }
  try {
    return parse_pattern(read_source(path), path, diagnostics, include_folders_);
  } catch (const FileError& error) {
    diagnostics.error(where, error.what());
    return nullptr;
  }
}

PatternLookup PatternLibrary::lookup() const {
  return [this](const std::string& name, const Location& where, Diagnostics& diagnostics) {
    return load(name, where, diagnostics);
  };
}

}  // namespace sweep
