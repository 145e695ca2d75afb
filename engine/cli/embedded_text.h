#pragma once

#include <span>
#include <string_view>

namespace sweep {

/// A text file that is part of the program.
struct EmbeddedText {
  std::string_view name;  ///< the file's, without folder and ending
  std::string_view text;
};

/// The files of engine/cli/help, in the order in which `sweep help` lists them.
std::span<const EmbeddedText> help_texts();

}  // namespace sweep
