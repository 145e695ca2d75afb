#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/text/read_source.h"

namespace sweep {

/// Reads a file whole, or what comes through a pipe until its end, as the shell's `<(command)`
/// gives one. `kind` says what may have at most `most` bytes: "a pattern or sweep". Throws
/// FileError when it is not there, is a folder, a device or a socket, cannot be read, is larger, or
/// when nothing comes through the pipe for 10 s (text_limits.h).
std::string read_bounded(const std::filesystem::path& path, std::uintmax_t most,
                         std::string_view kind);

/// Throws the FileErrors of `read_bounded` for what is no file to open and read at any place: a
/// pipe among them.
void require_regular_file(const std::filesystem::path& path);

}  // namespace sweep
