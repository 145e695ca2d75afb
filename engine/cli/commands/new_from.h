#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/cli/options/command_line.h"

namespace sweep {

/// A pattern file for a kernel that exists.
struct DraftedPattern {
  std::filesystem::path folder;  ///< where it goes
  std::string text;
  std::vector<std::string> includes;  ///< what --include has to name for it
};

/// The pattern `name` for the kernel of --kernel, or the only one, of the file of --from. It goes
/// into the folder of --output, or else beside that file. Throws FileError, InputError and, where
/// the kernel is not said, UsageError with those there are.
DraftedPattern pattern_from_kernel(const GivenOptions& given, const std::string& name);

/// The kernels of a CUDA file and of those that it includes, each name once.
std::vector<std::string> kernel_names(const std::filesystem::path& file);

}  // namespace sweep
