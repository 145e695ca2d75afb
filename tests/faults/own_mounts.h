#pragma once

#include <filesystem>
#include <string>

namespace sweep {

/// Whether this process may mount file systems that it alone and its children see; it gets the
/// right when it asks for the first time. It says so once when not.
bool may_mount();

/// A file system of that size in memory, on an empty folder.
void mount_memory(const std::filesystem::path& folder, const std::string& size);
void resize_memory(const std::filesystem::path& folder, const std::string& size);

/// A folder that can only be read, whoever asks.
void mount_read_only(const std::filesystem::path& folder);

void unmount(const std::filesystem::path& folder);

}  // namespace sweep
