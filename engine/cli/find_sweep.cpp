#include "engine/cli/find_sweep.h"

#include <fmt/format.h>

#include "engine/cli/command.h"
#include "engine/cli/data_folders.h"
#include "engine/cli/file_is_there.h"
#include "engine/cli/sweep_list.h"
#include "engine/text/diagnostic.h"

namespace sweep {

namespace fs = std::filesystem;

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
