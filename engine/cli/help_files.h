#pragma once

#include <span>
#include <string_view>

namespace sweep {

/// A file of engine/cli/help, which is part of the program (cmake/EmbedHelp.cmake).
struct HelpFile {
  std::string_view name;  ///< without folder and ending
  std::string_view text;
};

/// In the order in which `sweep help` lists them.
std::span<const HelpFile> help_files();

}  // namespace sweep
