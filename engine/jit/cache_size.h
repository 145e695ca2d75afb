#pragma once

#include <cstdint>
#include <optional>

#include "engine/jit/cache_folder.h"

namespace sweep {

/// What is in a cache.
struct CacheContents {
  std::uint64_t programs = 0;
  std::uint64_t configurations = 0;
  std::uint64_t bytes = 0;                    ///< temporary files included
  std::optional<std::int64_t> oldest_use_ns;  ///< since 1970
  std::optional<std::int64_t> newest_use_ns;
};

// All throw std::system_error for a folder that cannot be used.

CacheContents cache_contents(const CacheFolder& folder);

/// Removes all of the cache's files; gives their bytes.
std::uint64_t clear_cache(const CacheFolder& folder);

/// Removes temporary files that are older than an hour, whose process has died. Then, when more
/// than `limit` bytes are left, removes programs until there are at most 90 % of it, those that
/// were not used for longest first. Gives the bytes that are left.
std::uint64_t shrink_cache(const CacheFolder& folder, std::uint64_t limit);

}  // namespace sweep
