#pragma once

#include <string_view>

namespace sweep {

/// A file that is part of the program (cmake/EmbedFiles.cmake).
struct EmbeddedFile {
  std::string_view name;  ///< without folder and ending
  std::string_view text;
};

}  // namespace sweep
