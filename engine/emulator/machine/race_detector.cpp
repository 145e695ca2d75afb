#include "engine/emulator/machine/race_detector.h"

#include <algorithm>

#include "engine/emulator/lower/kernel.h"

namespace sweep {
namespace {

constexpr std::size_t barrier_count = 16;

}  // namespace

RaceDetector::RaceDetector(std::uint64_t shared_bytes, std::uint32_t warps)
    : warps_(warps), bytes_(static_cast<std::size_t>(shared_bytes)) {
  reset();
}

void RaceDetector::reset() {
  std::ranges::fill(bytes_, Byte{});
  clocks_.assign(warps_, std::vector<Clock>(warps_, 0));
  for (std::uint32_t warp = 0; warp < warps_; ++warp) clocks_[warp][warp] = 1;
  barriers_.assign(barrier_count, std::vector<Clock>(warps_, 0));
  objects_.clear();
}

/// Whether an earlier event is ordered before what a thread does now.
bool RaceDetector::is_before(const Event& event, std::uint32_t thread, std::uint64_t order) const {
  if (event.clock == 0 || event.thread == thread) return true;
  const std::uint32_t warp = event.thread / warp_size;
  if (warp != thread / warp_size) return clocks_[thread / warp_size][warp] >= event.clock;
  // Lanes of one warp: the same instruction is judged by its values, another needs the warp's clock
  // to have moved on.
  return event.order == order || clocks_[warp][warp] > event.clock;
}

std::optional<RaceDetector::Conflict> RaceDetector::access(
    Access kind, std::uint64_t begin, std::uint32_t bytes, std::uint32_t thread,
    std::uint64_t order, std::uint32_t instruction, const std::byte* values) {
  const std::uint32_t warp = thread / warp_size;
  std::optional<Conflict> conflict;
  const bool is_read = kind == Access::read || kind == Access::strong_read;
  const bool is_write = kind == Access::write || kind == Access::strong_write;
  const bool is_strong = kind != Access::read && kind != Access::write;
  const Event now = {clocks_[warp][warp], thread, instruction, order, is_strong};
  const auto note = [&](const Event& earlier, Access what) {
    if (!conflict) conflict = Conflict{false, what, earlier.thread, earlier.instruction};
  };
  for (std::uint32_t i = 0; i < bytes; ++i) {
    Byte& byte = bytes_[static_cast<std::size_t>(begin + i)];
    const bool both_strong = is_strong && byte.write.is_strong;
    const bool is_same_value = kind == Access::write && values != nullptr &&
                               byte.write.clock != 0 && byte.value == values[i] &&
                               !byte.write.is_strong;
    if (!is_write && byte.write.clock == 0 && !conflict) {
      conflict = Conflict{true, Access::write, 0, 0};
    }
    const bool is_one_store = byte.write.order == order && byte.write.thread != thread &&
                              byte.write.clock != 0 && !is_same_value && kind == Access::write;
    if (!both_strong && !is_same_value && (is_one_store || !is_before(byte.write, thread, order))) {
      note(byte.write, byte.write.is_strong ? Access::atomic : Access::write);
    }
    if (is_read) {
      const bool is_other_warp = byte.read.clock != 0 && byte.read.thread / warp_size != warp;
      if (is_other_warp) byte.other_read = byte.read;
      byte.read = now;
      continue;
    }
    for (const Event& read : {byte.read, byte.other_read}) {
      if (is_strong && read.is_strong) continue;
      if (!is_before(read, thread, order)) note(read, Access::read);
    }
    byte.write = now;
    if (values != nullptr) byte.value = values[i];
  }
  return conflict;
}

void RaceDetector::tick(std::uint32_t warp) {
  ++clocks_[warp][warp];
}

void RaceDetector::join(std::vector<Clock>& into, const std::vector<Clock>& from) const {
  for (std::uint32_t warp = 0; warp < warps_; ++warp) into[warp] = std::max(into[warp], from[warp]);
}

void RaceDetector::synchronise_warp(std::uint32_t warp) {
  tick(warp);
}

void RaceDetector::arrive(std::uint32_t barrier, std::uint32_t warp) {
  join(barriers_[barrier], clocks_[warp]);
  tick(warp);
}

void RaceDetector::leave(std::uint32_t barrier, std::uint32_t warp) {
  join(clocks_[warp], barriers_[barrier]);
}

void RaceDetector::release_to(std::uint64_t address, std::uint32_t warp) {
  const auto [object, is_new] = objects_.try_emplace(address, clocks_[warp]);
  if (!is_new) join(object->second, clocks_[warp]);
  tick(warp);
}

void RaceDetector::acquire_from(std::uint64_t address, std::uint32_t warp) {
  const auto found = objects_.find(address);
  if (found != objects_.end()) join(clocks_[warp], found->second);
}

}  // namespace sweep
