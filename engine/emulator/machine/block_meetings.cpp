#include "engine/emulator/machine/block_meetings.h"

namespace sweep {
namespace {

constexpr std::uint32_t untouched = 0;
constexpr std::uint32_t written = 1U << 31U;
constexpr std::uint32_t several_readers = written - 1;
/// Block numbers wrap below these marks: few of so many blocks are executed when this is asked.
constexpr std::uint64_t most_blocks = several_readers - 1;

}  // namespace

BlockMeetings::BlockMeetings(std::uint64_t bytes, std::uint32_t element_bytes)
    : element_bytes_(element_bytes),
      pages_(static_cast<std::size_t>((bytes / element_bytes + 1) * sizeof(std::uint32_t))),
      elements_(reinterpret_cast<std::uint32_t*>(pages_.data())) {}

void BlockMeetings::note(std::uint64_t block, std::uint64_t begin, std::uint64_t count,
                         bool writes) {
  if (have_met() || count == 0) return;
  const auto own = static_cast<std::uint32_t>(block % most_blocks) + 1;
  const std::uint64_t last = (begin + count - 1) / element_bytes_;
  for (std::uint64_t at = begin / element_bytes_; at <= last; ++at) {
    note_element(elements_[at], own, writes);
  }
}

void BlockMeetings::note_element(std::uint32_t& element, std::uint32_t block, bool writes) {
  const std::atomic_ref<std::uint32_t> state(element);
  std::uint32_t known = state.load(std::memory_order_relaxed);
  for (;;) {
    const bool is_own = (known & ~written) == block;
    if (is_own && (!writes || (known & written) != 0)) return;
    const bool is_foreign = known != untouched && !is_own;
    if (is_foreign && (writes || (known & written) != 0)) {
      have_met_.store(true, std::memory_order_relaxed);
      return;
    }
    const std::uint32_t next = writes ? block | written : is_foreign ? several_readers : block;
    if (next == known || state.compare_exchange_weak(known, next, std::memory_order_relaxed)) {
      return;
    }
  }
}

}  // namespace sweep
