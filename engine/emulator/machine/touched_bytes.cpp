#include "engine/emulator/machine/touched_bytes.h"

#include <algorithm>
#include <bit>

#include "engine/emulator/machine/memory_watch.h"

namespace sweep {
namespace {

constexpr std::uint64_t all_set = ~std::uint64_t{0};

/// The bits of a word that a range [begin, begin + count) covers, which lie in that word.
std::uint64_t bits_within(std::uint64_t begin, std::uint64_t count) {
  const std::uint64_t ones = count >= 64 ? all_set : (std::uint64_t{1} << count) - 1;
  return ones << (begin % 64);
}

std::atomic_ref<std::uint64_t> shared_word(std::uint64_t& word) {
  return std::atomic_ref<std::uint64_t>(word);
}

}  // namespace

TouchedBytes::TouchedBytes(std::uint64_t bytes, std::uint64_t bytes_per_bit)
    : bytes_(bytes),
      bytes_per_page_(bits_per_page * bytes_per_bit),
      is_page_touched_(static_cast<std::size_t>(bytes / bits_per_page + 1)),
      pages_(is_page_touched_.size() * bits_per_page / 8),
      words_(reinterpret_cast<std::uint64_t*>(pages_.data())) {}

void TouchedBytes::set(std::uint64_t begin, std::uint64_t count) {
  if (!any()) any_.store(true, std::memory_order_relaxed);
  while (count > 0) {
    const std::uint64_t part = std::min(count, 64 - begin % 64);
    const std::uint64_t bits = bits_within(begin, part);
    std::atomic<bool>& page = is_page_touched_[begin / bits_per_page];
    if (!page.load(std::memory_order_relaxed) && !page.exchange(true, std::memory_order_relaxed)) {
      MemoryWatch::of_process().note(bytes_per_page_);
    }
    const auto word = shared_word(words_[begin / 64]);
    if (bits == all_set) {
      word.store(all_set, std::memory_order_release);
    } else if ((word.load(std::memory_order_relaxed) & bits) != bits) {
      word.fetch_or(bits, std::memory_order_release);
    }
    begin += part;
    count -= part;
  }
}

bool TouchedBytes::all(std::uint64_t begin, std::uint64_t count) const {
  while (count > 0) {
    const std::uint64_t part = std::min(count, 64 - begin % 64);
    const std::uint64_t bits = bits_within(begin, part);
    if ((shared_word(words_[begin / 64]).load(std::memory_order_acquire) & bits) != bits) {
      return false;
    }
    begin += part;
    count -= part;
  }
  return true;
}

std::uint64_t TouchedBytes::find_from(std::uint64_t begin) const {
  while (begin < bytes_) {
    if (!is_page_touched_[begin / bits_per_page].load(std::memory_order_relaxed)) {
      begin = (begin / bits_per_page + 1) * bits_per_page;
      continue;
    }
    const std::uint64_t word =
        shared_word(words_[begin / 64]).load(std::memory_order_acquire) & (all_set << (begin % 64));
    if (word != 0) {
      return begin / 64 * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
    }
    begin = (begin / 64 + 1) * 64;
  }
  return bytes_;
}

}  // namespace sweep
