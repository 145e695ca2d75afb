#pragma once

#include <filesystem>
#include <string>

namespace sweep {

/// Writes a file whole or not at all: under another name first, then renamed. Throws CommandError
/// with the reason.
void write_output_file(const std::filesystem::path& path, const std::string& text);

/// Makes a folder and those above it. Throws CommandError with the reason.
void make_output_folder(const std::filesystem::path& folder);

}  // namespace sweep
