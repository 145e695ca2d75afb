#pragma once

#include <filesystem>
#include <string>

namespace sweep {

/// The texts of the files that CUDA source at `path` includes with quotes, and that those include
/// in turn, each once after a line with its name. Files that are not found beside the one that
/// includes them are left out: they come from the toolkit, or the compiler complains.
std::string included_text(const std::filesystem::path& path, const std::string& text);

}  // namespace sweep
