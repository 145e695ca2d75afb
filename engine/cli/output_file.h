#pragma once

#include <filesystem>
#include <string>

namespace sweep {

/// Writes a file whole or not at all: under another name first, then renamed. What writers of it
/// left that were killed is removed. Throws CommandError with the reason.
void write_output_file(const std::filesystem::path& path, const std::string& text);

/// Throws CommandError when files cannot be named after the sweep: their names would be too long,
/// or hold control characters or bytes that are no UTF-8.
void require_file_name(const std::string& sweep_name);

/// Makes a folder and those above it. Throws CommandError with the reason.
void make_output_folder(const std::filesystem::path& folder);

}  // namespace sweep
