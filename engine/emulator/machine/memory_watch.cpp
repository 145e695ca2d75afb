#include "engine/emulator/machine/memory_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/units.h"

namespace sweep {
namespace {

/// A look at the machine's memory takes as long as touching a small part of this.
constexpr std::uint64_t bytes_between_looks = 16U << 20U;

/// What other processes, and this one's other needs, are left.
std::uint64_t reserve_of(const MachineMemory& memory) {
  constexpr std::uint64_t share = 16;
  constexpr std::uint64_t most = std::uint64_t{1} << 30U;
  return std::min(memory.total / share, most);
}

std::string what_is_left(const MachineMemory& memory) {
  return fmt::format("of this machine's {} are {} free", format_bytes(memory.total),
                     format_bytes(memory.available));
}

}  // namespace

MemoryWatch& MemoryWatch::of_process() {
  static MemoryWatch watch([] { return machine_memory(); });
  return watch;
}

void MemoryWatch::note(std::uint64_t bytes) {
  const std::uint64_t before = noted_.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes < bytes_between_looks) return;
  noted_.store(0, std::memory_order_relaxed);
  const MachineMemory memory = source_();
  if (memory.available >= reserve_of(memory)) return;
  throw MemoryShortage(what_is_left(memory));
}

void MemoryWatch::require(std::uint64_t bytes) const {
  if (bytes < bytes_between_looks) return;
  const MachineMemory memory = source_();
  const std::uint64_t usable = memory.available - std::min(memory.available, reserve_of(memory));
  if (bytes > usable) throw MemoryShortage(what_is_left(memory));
}

}  // namespace sweep
