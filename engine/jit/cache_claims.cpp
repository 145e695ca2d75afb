#include "engine/jit/cache_claims.h"

#include <fcntl.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>

namespace sweep {
namespace {

/// The byte that stands for a text: of 2^62, so that two seldom share one.
off_t place_of(const std::string& text) {
  return static_cast<off_t>(XXH3_64bits(text.data(), text.size()) >> 2U);
}

/// 0, or why the lock on this byte is not taken or given up now.
int set_lock(const FileDescriptor& file, off_t place, short type) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = place;
  range.l_len = 1;
  return fcntl(file.get(), F_OFD_SETLK, &range) == 0 ? 0 : errno;
}

bool is_held_by_another(int error) {
  return error == EAGAIN || error == EACCES || error == EINTR;
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
    const bool is_held = !is_held_by_another(set_lock(file_, place, F_WRLCK));
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
  struct flock everything = {};
  everything.l_type = F_UNLCK;
  everything.l_whence = SEEK_SET;
  if (file_) fcntl(file_.get(), F_OFD_SETLK, &everything);
  is_held_.assign(is_held_.size(), false);
  std::chrono::milliseconds pause(1);
  for (const off_t place : others_) {
    while (is_held_by_another(set_lock(file_, place, F_WRLCK))) {
      if (stopped || std::chrono::steady_clock::now() >= end) return;
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest_pause);
    }
  }
}

}  // namespace sweep
