#pragma once

#include <filesystem>
#include <vector>

namespace sweep {

/// Whether the kernel can take a thread's files away (Landlock, Linux 5.13 and newer).
bool has_file_sandbox();

/// From now on this thread, and those it starts, open files of these folders for reading and no
/// others; folders that are not there are left out. It cannot be undone. Does nothing where there
/// is no sandbox; throws std::system_error where the kernel refuses it.
void restrict_thread_to(const std::vector<std::filesystem::path>& folders);

}  // namespace sweep
