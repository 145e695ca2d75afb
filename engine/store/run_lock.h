#pragma once

#include <filesystem>

#include "engine/system/file_descriptor.h"

namespace sweep {

/// The right to be the one run that measures into a database: an advisory lock (flock) on a file
/// beside it, `NAME.db.lock`, which says who holds it. The lock ends with the process, however that
/// ends, so that a file left behind is in nobody's way. Reading the database needs no lock.
class RunLock {
 public:
  /// Throws StoreError with the fault `locked` when another run holds it, and `inaccessible` when
  /// the lock's file cannot be used. Where there can be no lock, on a file system without locks or
  /// in a folder that cannot be written, none is held.
  explicit RunLock(const std::filesystem::path& database);
  /// Removes the file.
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  bool held() const { return static_cast<bool>(file_); }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace sweep
