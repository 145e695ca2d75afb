#pragma once

#include <filesystem>
#include <memory>

#include "engine/store/sqlite.h"

namespace sweep {

// Both throw StoreError for what is there but is not a results database of this version, and leave
// it as it is.

/// Creates the file when there is none, in a folder that exists.
std::unique_ptr<sqlite::Database> open_for_writing(const std::filesystem::path& path);
/// Throws StoreError for a file that is not there or holds no runs, too.
std::unique_ptr<sqlite::Database> open_for_reading(const std::filesystem::path& path);

}  // namespace sweep
