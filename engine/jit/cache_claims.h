#pragma once

#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "engine/jit/cache_folder.h"

namespace sweep {

/// The word of one process to the others with the same cache that it is compiling some
/// configurations, so that they take them from the cache and do not compile them too: advisory
/// locks (fcntl's, of an open file), each on one byte of the cache's file of claims. They end with
/// this object, and with the process, however that ends. Where the folder's file system has no
/// locks or cannot be written, everything can be claimed by everyone.
class CacheClaims {
 public:
  /// Claims everything.
  CacheClaims() = default;
  /// Claims those of the texts that nobody else does now.
  CacheClaims(const CacheFolder& folder, std::span<const std::string> texts);

  /// Whether the text at this place is claimed by this object.
  bool holds(std::size_t place) const;
  /// Gives up the claims, so that two that wait for each other both go on, and then waits until
  /// nobody claims the others' texts: for so long, or until `stopped`.
  void wait_for_others(std::chrono::milliseconds patience, const std::atomic<bool>& stopped);

 private:
  FileDescriptor file_;  ///< closing it gives up the locks
  std::vector<off_t> others_;
  std::vector<bool> is_held_;  ///< by place; without a file all are
};

}  // namespace sweep
