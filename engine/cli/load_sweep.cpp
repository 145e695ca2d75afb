#include "engine/cli/load_sweep.h"

#include "engine/cli/data_folders.h"
#include "engine/spec/pattern_library.h"
#include "engine/text/read_source.h"

namespace sweep {

std::vector<Override> overrides_of(const std::vector<std::string>& set_arguments) {
  std::vector<Override> overrides;
  for (const std::string& argument : set_arguments) {
    overrides.push_back({std::make_shared<Source>(Source{"--set", argument})});
  }
  return overrides;
}

LoadedSweep load_sweep(const std::filesystem::path& file, const GivenFolders& folders,
                       const std::vector<std::string>& set_arguments, SpaceLimits limits) {
  const PatternLibrary library(pattern_folders(folders.patterns, file), include_folders(folders));
  Sweep sweep = parse_sweep(read_source(file), file, library.lookup(), overrides_of(set_arguments));
  Space space = enumerate(sweep, limits);
  return {std::move(sweep), std::move(space), limits};
}

void enumerate_again(LoadedSweep& loaded) {
  loaded.space = {};
  loaded.space = enumerate(loaded.sweep, loaded.limits);
}

}  // namespace sweep
