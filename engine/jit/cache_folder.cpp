#include "engine/jit/cache_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <random>
#include <system_error>
#include <thread>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view temporary_beginning = ".part-";
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category());
}

/// Whether a file or folder is not there, or something of another kind has its name.
bool is_absence(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

bool is_hash(std::string_view text) {
  constexpr std::size_t digits = 32;
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_program_name(std::string_view name) {
  return name.ends_with(program_ending) &&
         is_hash(name.substr(0, name.size() - program_ending.size()));
}

bool is_temporary_name(std::string_view name) {
  return name.starts_with(temporary_beginning) && is_hash(name.substr(temporary_beginning.size()));
}

/// Whoever can write into the folder can have his programs run: refuses one that others can.
void require_own(const FileDescriptor& root) {
  struct stat status = {};
  if (fstat(root.get(), &status) != 0) fail(errno);
  const uid_t me = geteuid();
  // With sudo the folder is the user's.
  const bool is_own = status.st_uid == me || status.st_uid == 0 || me == 0;
  if (is_own && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return;
  throw std::system_error(EPERM, std::generic_category(), "others can write into it");
}

/// The group's folder; nothing when it or the root is not there, or for a link.
FileDescriptor open_group(const FileDescriptor& root, const std::string& group) {
  if (!root) return {};
  FileDescriptor folder(openat(root.get(), group.c_str(), folder_flags | O_NOFOLLOW));
  if (!folder && !is_absence(errno)) fail(errno);
  return folder;
}

/// The names of what is in a folder that may not be there.
std::vector<std::string> entries_of(const FileDescriptor& folder) {
  std::vector<std::string> names;
  if (!folder) return names;
  std::error_code error;
  fs::directory_iterator entry(fmt::format("/proc/self/fd/{}", folder.get()), error);
  if (error && is_absence(error.value())) return names;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename());
  }
  if (error) fail(error.value());
  return names;
}

FileDescriptor open_plain_file(const FileDescriptor& folder, const std::string& name) {
  // Without O_NONBLOCK a pipe of that name would be waited for.
  constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  FileDescriptor file(openat(folder.get(), name.c_str(), flags));
  if (!file && !is_absence(errno) && errno != ENXIO) fail(errno);
  struct stat status = {};
  if (file && (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))) return {};
  return file;
}

/// Whether the file begins as the cache's do; a power cut may leave none or zeros of one.
bool bears_mark(const FileDescriptor& folder, const std::string& name) {
  const FileDescriptor file = open_plain_file(folder, name);
  if (!file) return false;
  std::string begin(program_file_magic.size(), '\0');
  const ssize_t got = pread(file.get(), begin.data(), begin.size(), 0);
  if (got < 0) return false;
  begin.resize(static_cast<std::size_t>(got));
  const bool is_blank = begin.find_first_not_of('\0') == std::string::npos;
  return is_blank || program_file_magic.starts_with(begin);
}

/// A name that no other file has, of this process or another, on this machine or another.
std::string temporary_name() {
  static std::atomic<std::uint64_t> count = 0;
  std::random_device random;
  const std::uint64_t chosen = (std::uint64_t{random()} << 32U) | random();
  return fmt::format("{}{:016x}{:016x}", temporary_beginning, chosen, count++);
}

/// 0, or why the file is not there now.
int write_file(const FileDescriptor& folder, const std::string& name, std::string_view bytes) {
  const std::string temporary = temporary_name();
  FileDescriptor file(
      openat(folder.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return errno;
  int error = 0;
  while (error == 0 && !bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    if (written == 0) error = EIO;
    if (written < 0 && errno != EINTR) error = errno;
  }
  if (file.close() != 0 && error == 0) error = errno;
  if (error == 0 && renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) unlinkat(folder.get(), temporary.c_str(), 0);
  return error;
}

/// Makes a folder and those above it.
void make_folders(const fs::path& path) {
  fs::path folder;
  for (const fs::path& part : path) {
    folder /= part;
    if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) continue;
    const int error = errno;
    // Whoever may not write in a folder may still go through it.
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) fail(error);
  }
}

}  // namespace

FileDescriptor CacheFolder::open_root() const {
  FileDescriptor root(::open(path_.c_str(), folder_flags));
  if (!root && errno != ENOENT) fail(errno);
  if (root) require_own(root);
  return root;
}

std::vector<std::string> CacheFolder::programs(const std::string& group) const {
  std::vector<std::string> names = entries_of(open_group(open_root(), group));
  std::erase_if(names, [](const std::string& name) { return !is_program_name(name); });
  return names;
}

std::vector<CacheFile> CacheFolder::files() const {
  std::vector<CacheFile> files;
  const FileDescriptor root = open_root();
  for (const std::string& group : entries_of(root)) {
    if (!is_hash(group)) continue;
    const FileDescriptor folder = open_group(root, group);
    for (const std::string& name : entries_of(folder)) {
      const bool is_temporary = is_temporary_name(name);
      struct stat status = {};
      if (!is_program_name(name) && !is_temporary) continue;
      if (fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (!S_ISREG(status.st_mode)) continue;
      const std::int64_t used_ns =
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
      files.push_back(
          {group, name, static_cast<std::uint64_t>(status.st_size), used_ns, is_temporary});
    }
  }
  return files;
}

FileDescriptor CacheFolder::open(const std::string& group, const std::string& name) const {
  const FileDescriptor folder = open_group(open_root(), group);
  return folder ? open_plain_file(folder, name) : FileDescriptor();
}

void CacheFolder::write(const std::string& group, const std::string& name,
                        std::string_view bytes) const {
  // Writing past the limit on a file's size would end the process with a signal.
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes.size() > limit.rlim_cur) fail(EFBIG);
  constexpr int tries = 100;
  int error = 0;
  for (int i = 0; i < tries; ++i) {
    make_folders(path_ / group);
    const FileDescriptor folder = open_group(open_root(), group);
    error = folder ? write_file(folder, name, bytes) : ENOTDIR;
    // Another process may remove an empty folder in between.
    if (error != ENOENT && error != ENOTDIR) break;
    std::this_thread::sleep_for(std::chrono::microseconds(10 * i));
  }
  if (error != 0) fail(error);
}

FileDescriptor CacheFolder::open_claims() const {
  constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  make_folders(path_);
  FileDescriptor file(::open((path_ / "claims").c_str(), flags, 0600));
  if (!file) fail(errno);
  return file;
}

bool CacheFolder::remove(const std::string& group, const std::string& name) const {
  if (!is_program_name(name) && !is_temporary_name(name)) return false;
  const FileDescriptor root = open_root();
  const FileDescriptor folder = open_group(root, group);
  if (!folder || !bears_mark(folder, name)) return false;
  if (unlinkat(folder.get(), name.c_str(), 0) != 0) {
    if (is_absence(errno)) return false;
    fail(errno);
  }
  unlinkat(root.get(), group.c_str(), AT_REMOVEDIR);  // fails while there are others in it
  return true;
}

std::int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

std::uint64_t CacheFolder::clear() const {
  std::uint64_t bytes = 0;
  for (const CacheFile& file : files()) {
    if (remove(file.group, file.name)) bytes += file.bytes;
  }
  const FileDescriptor root = open_root();
  for (const std::string& name : entries_of(root)) {
    if (is_hash(name)) unlinkat(root.get(), name.c_str(), AT_REMOVEDIR);  // if it is empty
  }
  return bytes;
}

std::uint64_t CacheFolder::shrink(std::uint64_t limit) const {
  std::vector<CacheFile> left = files();
  const std::int64_t hour_ago = now_ns() - std::chrono::nanoseconds(std::chrono::hours(1)).count();
  std::erase_if(left, [&](const CacheFile& file) {
    const bool is_stale = file.is_temporary && file.used_ns < hour_ago;
    return is_stale && remove(file.group, file.name);
  });
  std::uint64_t bytes = 0;
  for (const CacheFile& file : left) bytes += file.bytes;
  if (bytes <= limit) return bytes;
  const std::uint64_t goal = limit - limit / 10;
  std::ranges::sort(left, {}, &CacheFile::used_ns);
  for (const CacheFile& file : left) {
    if (bytes <= goal) break;
    if (file.is_temporary) continue;
    remove(file.group, file.name);
    // One that is gone already was removed by another process.
    if (!open(file.group, file.name)) bytes -= file.bytes;
  }
  return bytes;
}

namespace {

/// The byte that stands for a text: of 2^62, so that two seldom share one.
off_t place_of(const std::string& text) {
  return static_cast<off_t>(XXH3_64bits(text.data(), text.size()) >> 2U);
}

/// Takes or gives up the lock on some bytes, 0 of them for all that follow. Whether another process
/// holds it.
bool is_held_by_another(const FileDescriptor& file, short type, off_t begin, off_t bytes) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = begin;
  range.l_len = bytes;
  return fcntl(file.get(), F_OFD_SETLK, &range) != 0 &&
         (errno == EAGAIN || errno == EACCES || errno == EINTR);
}

}  // namespace

CacheClaims::CacheClaims(const CacheFolder& folder, std::span<const std::string> texts) {
  try {
    file_ = folder.open_claims();
  } catch (const std::system_error&) {
    return;
  }
  for (const std::string& text : texts) {
    const off_t place = place_of(text);
    const bool is_held = !is_held_by_another(file_, F_WRLCK, place, 1);
    is_held_.push_back(is_held);
    if (!is_held) others_.push_back(place);
  }
}

bool CacheClaims::holds(std::size_t place) const {
  return place >= is_held_.size() || is_held_[place];
}

void CacheClaims::wait_for_others(std::chrono::milliseconds patience,
                                  const std::atomic<bool>& stopped) {
  constexpr std::chrono::milliseconds longest_pause(16);
  const auto end = std::chrono::steady_clock::now() + patience;
  is_held_by_another(file_, F_UNLCK, 0, 0);
  is_held_.assign(is_held_.size(), false);
  std::chrono::milliseconds pause(1);
  for (const off_t place : others_) {
    while (is_held_by_another(file_, F_WRLCK, place, 1)) {
      if (stopped || std::chrono::steady_clock::now() >= end) return;
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest_pause);
    }
  }
}

}  // namespace sweep
