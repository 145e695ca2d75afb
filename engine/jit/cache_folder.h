#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/system/file_descriptor.h"

namespace sweep {

/// One of the cache's own files.
struct CacheFile {
  std::string group;  ///< the folder in the cache's folder
  std::string name;
  std::uint64_t bytes = 0;
  std::int64_t used_ns = 0;  ///< when it was written or last used, since 1970
  bool is_temporary = false;
};

/// The files of a cache on disk: GROUP/NAME.program, where GROUP and NAME are 32 hexadecimal digits
/// each, GROUP/.part-* for what is being written, and the empty file `claims`, which is there to be
/// locked. Whatever else lies in the folder is never touched, and links are not followed out of it.
/// Several processes may use the folder at once: a file appears whole, and may vanish at any time.
///
/// All functions throw std::system_error for a folder that cannot be used; one that is not there is
/// an empty one.
class CacheFolder {
 public:
  explicit CacheFolder(std::filesystem::path path) : path_(std::move(path)) {}

  /// The names of a group's programs.
  std::vector<std::string> programs(const std::string& group) const;

  /// All of the cache's files.
  std::vector<CacheFile> files() const;

  /// Opens a file for reading; nothing when it is not there or is no plain file.
  FileDescriptor open(const std::string& group, const std::string& name) const;

  /// Writes a file in the place of one of that name. Makes the folders that are missing, for the
  /// user alone.
  void write(const std::string& group, const std::string& name, std::string_view bytes) const;

  /// Removes a file, and its group's folder once that is empty. False when it was not there or its
  /// first bytes are not what such a file begins with.
  bool remove(const std::string& group, const std::string& name) const;

  /// Opens the file whose bytes can be locked for a claim each. Makes it, and the folder, when they
  /// are not there.
  FileDescriptor open_claims() const;

  /// Removes all of the cache's files; gives their bytes.
  std::uint64_t clear() const;

  /// Removes temporary files that are older than an hour, whose process has died. Then, when more
  /// than `limit` bytes are left, removes programs until there are at most 90 % of it, those that
  /// were not used for longest first. Gives the bytes that are left.
  std::uint64_t shrink(std::uint64_t limit) const;

 private:
  FileDescriptor open_root() const;
  std::filesystem::path path_;
};

/// Nanoseconds since 1970.
std::int64_t now_ns();

/// What the files of programs begin with, and what their names end with.
constexpr std::string_view program_file_magic("SWEEPPRG", 8);
constexpr std::string_view program_ending = ".program";

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
