#include "engine/cli/find_pattern.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/cli/command.h"
#include "engine/cli/data_folders.h"
#include "engine/spec/pattern_library.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"

namespace sweep {

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

}  // namespace sweep
