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
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <thread>

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

bool is_among(int error, std::initializer_list<int> errors) {
  return std::ranges::find(errors, error) != errors.end();
}

/// The lock's file, made if need be; none, with errno, when it cannot be opened. A lock needs no
/// right to write: the file may be another user's.
FileDescriptor open_lock_file(const fs::path& path) {
  constexpr int flags = O_CLOEXEC | O_NOFOLLOW;
  constexpr mode_t for_all = 0666;
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | flags, for_all));
  const int error = errno;
  if (!file && is_among(error, {EACCES, EPERM, EROFS})) {
    file = FileDescriptor(open(path.c_str(), O_RDONLY | flags));
    errno = error;
  }
  return file;
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
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(pread(file, text.data(), 4096, 0), 0)));
  std::istringstream lines(text);
  std::string process;
  std::string host;
  std::string command;
  if (!std::getline(lines, process) || !std::getline(lines, host) || lines.eof()) return {};
  std::getline(lines, command);
  const std::string where = host == host_name() ? "" : fmt::format(" on {}", host);
  return fmt::format(" (process {}{}: {})", process, where, command);
}

/// 0, or why the lock is not taken.
int try_lock(int file) {
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

RunLock::RunLock(const fs::path& database) : path_(lock_path(database)) {
  // A holder that ends removes the file; a lock on a file that has no name any more excludes
  // nobody, and the next try makes a new one.
  do {
    file_ = open_lock_file(path_);
    const int error = file_ ? try_lock(file_.get()) : errno;
    if (file_ && error == EWOULDBLOCK) {
      // The holder writes who it is just after it has the lock.
      std::string holder = describe_holder(file_.get());
      for (int i = 0; holder.empty() && i < 20; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        holder = describe_holder(file_.get());
      }
      throw StoreError(database,
                       fmt::format("is in use by another run{}; wait for it or give this one its "
                                   "own folder with -o DIR",
                                   holder),
                       StoreFault::locked);
    }
    // The database itself cannot be written for the same reason, which opening it tells.
    if (!file_ && is_among(error, {EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ENOSPC, EDQUOT})) return;
    // The file system has no locks; NFS has exclusive ones only for who may write: EBADF.
    if (file_ && is_among(error, {ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL, EBADF})) {
      file_ = {};
      unlink(path_.c_str());
      return;
    }
    if (error != 0) {
      throw StoreError(fmt::format("the lock file '{}' cannot be used: {}", path_.string(),
                                   std::strerror(error)),
                       StoreFault::inaccessible);
    }
  } while (!same_file(file_.get(), path_));
  write_holder(file_.get());
}

// The file goes while the lock is still held: whoever opened it meanwhile finds that it has no
// name.
RunLock::~RunLock() {
  if (file_ && same_file(file_.get(), path_)) unlink(path_.c_str());
}

}  // namespace sweep
