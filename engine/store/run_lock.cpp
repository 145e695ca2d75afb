#include "engine/store/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <utility>

#include "engine/store/store.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// One name for the database, through whichever links and folders it is given.
fs::path lock_path(const fs::path& database) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(database, error);
  if (error) path = database;
  path += ".lock";
  return path;
}

/// The lock's file, made if need be; none, with errno, when it cannot be opened. A lock needs no
/// right to write: the file may be another user's.
FileDescriptor open_lock_file(const fs::path& path) {
  constexpr int flags = O_CLOEXEC | O_NOFOLLOW;
  constexpr mode_t for_all = 0666;
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | flags, for_all));
  const int error = errno;
  if (!file && (error == EACCES || error == EPERM || error == EROFS)) {
    file = FileDescriptor(open(path.c_str(), O_RDONLY | flags));
    errno = error;
  }
  return file;
}

/// Whether the database itself cannot be written for this reason either, which opening it tells.
bool is_the_databases_matter(int error) {
  constexpr std::array errors = {EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ENOSPC, EDQUOT};
  return std::ranges::find(errors, error) != errors.end();
}

bool same_file(int file, const fs::path& path) {
  struct stat held = {};
  struct stat named = {};
  return fstat(file, &held) == 0 && lstat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

std::string host_name() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : std::string();
}

/// Three lines: process, host, command. A full disk costs only the words.
void write_holder(int file) {
  std::ifstream arguments("/proc/self/cmdline", std::ios::binary);
  std::string command{std::istreambuf_iterator<char>(arguments), {}};
  while (command.ends_with('\0')) command.pop_back();
  std::ranges::replace_if(
      command, [](char c) { return c == '\0' || c == '\n'; }, ' ');
  const std::string text = fmt::format("{}\n{}\n{}\n", getpid(), host_name(), command);
  if (ftruncate(file, 0) != 0) return;
  [[maybe_unused]] const ssize_t written = pwrite(file, text.data(), text.size(), 0);
}

/// " (process 1234: sweep run ...)"; empty while the holder has not written it.
std::string describe_holder(int file) {
  std::array<char, 4096> bytes = {};
  const ssize_t size = pread(file, bytes.data(), bytes.size(), 0);
  std::istringstream lines(
      std::string(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))));
  std::string process;
  std::string host;
  std::string command;
  if (!std::getline(lines, process) || !std::getline(lines, host) || lines.eof()) return {};
  std::getline(lines, command);
  const std::string where = host == host_name() ? "" : fmt::format(" on {}", host);
  return fmt::format(" (process {}{}: {})", process, where, command);
}

[[noreturn]] void fail_as_locked(const fs::path& database, int file) {
  // The holder writes who it is just after it has the lock.
  std::string holder = describe_holder(file);
  for (int i = 0; holder.empty() && i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    holder = describe_holder(file);
  }
  throw StoreError(database,
                   fmt::format("is in use by another run{}; wait for it or give this one its own "
                               "folder with -o DIR",
                               holder),
                   StoreFault::locked);
}

[[noreturn]] void fail_as_unusable(const fs::path& lock, int error) {
  throw StoreError(
      fmt::format("the lock file '{}' cannot be used: {}", lock.string(), std::strerror(error)),
      StoreFault::inaccessible);
}

/// 0, or why the lock is not taken.
int try_lock(int file) {
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// Whether the file system has no locks; NFS has exclusive ones only for who may write: EBADF.
bool lacks_locks(int error) {
  constexpr std::array errors = {ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL, EBADF};
  return std::ranges::find(errors, error) != errors.end();
}

}  // namespace

RunLock::RunLock(const fs::path& database) : path_(lock_path(database)) {
  // A holder that ends removes the file; a lock on a file that has no name any more excludes
  // nobody, and the next try makes a new one.
  do {
    file_ = open_lock_file(path_);
    if (!file_) {
      if (is_the_databases_matter(errno)) return;
      fail_as_unusable(path_, errno);
    }
    const int error = try_lock(file_.get());
    if (error == EWOULDBLOCK) fail_as_locked(database, file_.get());
    if (lacks_locks(error)) {
      file_ = {};
      unlink(path_.c_str());
      return;
    }
    if (error != 0) fail_as_unusable(path_, error);
  } while (!same_file(file_.get(), path_));
  write_holder(file_.get());
}

// The file goes while the lock is still held: whoever opened it meanwhile finds that it has no
// name.
RunLock::~RunLock() {
  if (file_ && same_file(file_.get(), path_)) unlink(path_.c_str());
}

}  // namespace sweep
