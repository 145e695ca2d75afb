#pragma once

#include <filesystem>
#include <span>

#include "engine/spec/pattern.h"

namespace sweep {

/// Writes what clangd, which editors ask, needs to read these patterns of one folder as sweep does:
/// .sweep/NAME.cuh declares a pattern's parameters with their defaults, .sweep/for-all.cuh what all
/// have in common, and .clangd names both. A .clangd that sweep did not write stays, and what to
/// add to it is printed. Throws CommandError where a file cannot be written.
void write_editor_files(const std::filesystem::path& folder, std::span<const PatternPtr> patterns);

/// The same for all patterns of a folder, or for the one file. Throws CommandError where there are
/// none; what has mistakes is left out with a note.
void write_editor_files_of(const std::filesystem::path& path,
                           const std::vector<std::string>& includes);

/// The first line of a sweep in this folder, by which editors find the schema of sweeps: that
/// beside it, or that in .sweep.
std::string sweep_schema_line(const std::filesystem::path& folder);
/// Writes the latter, where the line names it.
void write_sweep_schema(const std::filesystem::path& folder);

}  // namespace sweep
