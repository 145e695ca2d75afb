#pragma once

#include <filesystem>
#include <string>

namespace sweep {

/// The sweep file that a user means: a path, or the name of one in `sweep_folders`, with or without
/// its ending. Throws CommandError when there is none, which names the sweeps there are.
std::filesystem::path find_sweep_file(const std::string& name);

}  // namespace sweep
