#include "engine/jit/cache_size.h"

#include <algorithm>
#include <chrono>

#include "engine/jit/program_file.h"

namespace sweep {
namespace {

/// 0 for a damaged file.
std::uint64_t configurations_in(const CacheFolder& folder, const CacheFile& file) {
  const FileDescriptor open = folder.open(file.group, file.name);
  if (!open) return 0;
  try {
    return read_configuration_count(open.get());
  } catch (const DamagedBytes&) {
    return 0;
  }
}

bool is_stale(const CacheFile& file) {
  using namespace std::chrono;
  const std::int64_t now =
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
  return file.is_temporary && now - file.used_ns > nanoseconds(hours(1)).count();
}

}  // namespace

CacheContents cache_contents(const CacheFolder& folder) {
  CacheContents contents;
  for (const CacheFile& file : folder.files()) {
    contents.bytes += file.bytes;
    if (file.is_temporary) continue;
    ++contents.programs;
    contents.configurations += configurations_in(folder, file);
    contents.oldest_use_ns = std::min(contents.oldest_use_ns.value_or(file.used_ns), file.used_ns);
    contents.newest_use_ns = std::max(contents.newest_use_ns.value_or(file.used_ns), file.used_ns);
  }
  return contents;
}

std::uint64_t clear_cache(const CacheFolder& folder) {
  std::uint64_t bytes = 0;
  for (const CacheFile& file : folder.files()) {
    if (folder.remove(file.group, file.name)) bytes += file.bytes;
  }
  folder.remove_empty_groups();
  return bytes;
}

std::uint64_t shrink_cache(const CacheFolder& folder, std::uint64_t limit) {
  std::vector<CacheFile> files = folder.files();
  std::erase_if(files, [&](const CacheFile& file) {
    return is_stale(file) && folder.remove(file.group, file.name);
  });
  std::uint64_t bytes = 0;
  for (const CacheFile& file : files) bytes += file.bytes;
  if (bytes <= limit) return bytes;
  const std::uint64_t goal = limit - limit / 10;
  std::ranges::sort(files, {}, &CacheFile::used_ns);
  for (const CacheFile& file : files) {
    if (bytes <= goal) break;
    if (file.is_temporary) continue;
    folder.remove(file.group, file.name);
    // One that is gone already was removed by another process.
    const bool is_left = static_cast<bool>(folder.open(file.group, file.name));
    if (!is_left) bytes -= file.bytes;
  }
  return bytes;
}

}  // namespace sweep
