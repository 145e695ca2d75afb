/// A library that is loaded before all others (LD_PRELOAD) and makes calls of the C library fail.
/// The environment says which:
///
/// - SWEEP_FAULT=CALL:PATH:FIRST:ERRNO[:COUNT]: from the FIRST call on, counted from 1, COUNT calls
///   (all when it is missing) return the error with this number. CALL is write, sync, rename, map,
///   truncate, remove, load, spawn or thread; only those count whose file's name contains PATH,
///   which is empty for a thread. With SWEEP_FAULT_SPARES=TEXT the names that contain TEXT do not.
/// - SWEEP_FAULT_SIGNAL=NUMBER: such a call raises this signal and then goes on as it should.
/// - SWEEP_FAULT_CLOCK=SECONDS,...: what the clock of the day is wrong by; each time that it is
///   asked the next number, over and over.

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

namespace {

struct Fault {
  std::string call;
  std::string path;
  long first = 0;
  int error = 0;
  long count = 0;  ///< 0: all
  int signal = 0;
  std::string spared;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string cut_field(std::string& text) {
  const std::size_t end = text.find(':');
  std::string field = text.substr(0, end);
  text.erase(0, end == std::string::npos ? end : end + 1);
  return field;
}

const Fault& fault() {
  static const Fault read = [] {
    Fault result;
    std::string text = variable("SWEEP_FAULT");
    result.call = cut_field(text);
    result.path = cut_field(text);
    result.first = std::atol(cut_field(text).c_str());
    result.error = std::atoi(cut_field(text).c_str());
    result.count = std::atol(cut_field(text).c_str());
    result.spared = variable("SWEEP_FAULT_SPARES");
    result.signal = std::atoi(variable("SWEEP_FAULT_SIGNAL").c_str());
    return result;
  }();
  return read;
}

/// Whether this call is one of those that fail; errno is set then.
bool fails(std::string_view call, std::string_view path) {
  static std::atomic<long> seen = 0;
  const Fault& wanted = fault();
  if (call != wanted.call || path.find(wanted.path) == std::string_view::npos) return false;
  if (!wanted.spared.empty() && path.find(wanted.spared) != std::string_view::npos) return false;
  const long number = ++seen;
  const bool is_due =
      number >= wanted.first && (wanted.count == 0 || number < wanted.first + wanted.count);
  if (!is_due) return false;
  if (wanted.signal != 0) {
    raise(wanted.signal);
    return false;
  }
  errno = wanted.error;
  return true;
}

bool fails(std::string_view call, int file) {
  if (call != fault().call) return false;
  std::array<char, 4096> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = readlink(link.c_str(), target.data(), target.size());
  return size > 0 && fails(call, std::string_view(target.data(), static_cast<std::size_t>(size)));
}

/// The function that this library stands before.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Seconds that the clock of the day is wrong by this time.
long clock_error() {
  static const std::string all = variable("SWEEP_FAULT_CLOCK");
  static std::atomic<std::size_t> at = 0;
  if (all.empty()) return 0;
  std::size_t begin = at;
  const std::size_t end = all.find(',', begin);
  at = end == std::string::npos ? 0 : end + 1;
  return std::atol(all.c_str() + begin);
}

}  // namespace

#define NEXT(name) static auto* const next_##name = next<decltype(::name)>(#name)

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  NEXT(write);
  return fails("write", file) ? -1 : next_write(file, bytes, size);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  NEXT(writev);
  return fails("write", file) ? -1 : next_writev(file, pieces, count);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  NEXT(pwrite);
  return fails("write", file) ? -1 : next_pwrite(file, bytes, size, at);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  NEXT(pwrite64);
  return fails("write", file) ? -1 : next_pwrite64(file, bytes, size, at);
}

int fsync(int file) {
  NEXT(fsync);
  return fails("sync", file) ? -1 : next_fsync(file);
}

int fdatasync(int file) {
  NEXT(fdatasync);
  return fails("sync", file) ? -1 : next_fdatasync(file);
}

int ftruncate64(int file, off64_t size) noexcept {
  NEXT(ftruncate64);
  return fails("truncate", file) ? -1 : next_ftruncate64(file, size);
}

int rename(const char* from, const char* to) noexcept {
  NEXT(rename);
  return fails("rename", to) ? -1 : next_rename(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  NEXT(renameat);
  return fails("rename", to) ? -1 : next_renameat(from_folder, from, to_folder, to);
}

int unlink(const char* path) noexcept {
  NEXT(unlink);
  return fails("remove", path) ? -1 : next_unlink(path);
}

void* dlopen(const char* name, int flags) noexcept {
  NEXT(dlopen);
  return name != nullptr && fails("load", name) ? nullptr : next_dlopen(name, flags);
}

void* mmap64(void* address, size_t size, int protection, int flags, int file, off64_t at) noexcept {
  NEXT(mmap64);
  const bool refused = (flags & MAP_ANONYMOUS) == 0 && fails("map", file);
  return refused ? MAP_FAILED : next_mmap64(address, size, protection, flags, file, at);
}

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t at) noexcept {
  return mmap64(address, size, protection, flags, file, at);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) noexcept {
  NEXT(pthread_create);
  if (fails("thread", std::string_view())) return errno;
  return next_pthread_create(thread, attributes, routine, argument);
}

int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments,
                char* const* environment) {
  NEXT(posix_spawn);
  if (fails("spawn", path)) return errno;
  return next_posix_spawn(process, path, actions, attributes, arguments, environment);
}

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  NEXT(clock_gettime);
  const int result = next_clock_gettime(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += clock_error();
  return result;
}

int gettimeofday(timeval* now, void* zone) noexcept {
  NEXT(gettimeofday);
  const int result = next_gettimeofday(now, zone);
  if (result == 0) now->tv_sec += clock_error();
  return result;
}

time_t time(time_t* now) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now != nullptr) *now = precise.tv_sec;
  return precise.tv_sec;
}

}  // extern "C"
