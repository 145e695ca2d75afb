#include "engine/emulator/machine/race_detector.h"

#include <algorithm>

#include "engine/emulator/lower/kernel.h"

namespace sweep {
namespace {

void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

RaceDetector::RaceDetector(std::uint64_t shared_bytes, std::uint32_t warps)
    : warps_(warps), bytes_(static_cast<std::size_t>(shared_bytes)) {
  reset();
}

void RaceDetector::reset() {
  std::ranges::fill(bytes_, Byte{});
  clocks_.assign(warps_, Clocks(warps_, 0));
  for (std::uint32_t warp = 0; warp < warps_; ++warp) clocks_[warp][warp] = 1;
  barriers_.fill(Clocks(warps_, 0));
  objects_.clear();
}

/// Whether an earlier event is ordered before what a thread does now.
bool RaceDetector::is_before(const Event& event, const Access& access) const {
  if (event.clock == 0 || event.thread == access.thread) return true;
  const std::uint32_t warp = event.thread / warp_size;
  const std::uint32_t own = access.thread / warp_size;
  if (warp != own) return clocks_[own][warp] >= event.clock;
  // Lanes of one warp: the same instruction is judged by its values, another needs the warp's clock
  // to have moved on.
  return event.order == access.order || clocks_[warp][warp] > event.clock;
}

std::optional<RaceDetector::Conflict> RaceDetector::note(const Access& access) {
  std::optional<Conflict> first;
  for (std::uint32_t i = 0; i < access.bytes; ++i) {
    const std::byte* value = access.values == nullptr ? nullptr : access.values + i;
    const auto conflict =
        note_byte(bytes_[static_cast<std::size_t>(access.begin + i)], access, value);
    if (!first) first = conflict;
  }
  return first;
}

std::optional<RaceDetector::Conflict> RaceDetector::note_byte(Byte& byte, const Access& access,
                                                              const std::byte* value) {
  const std::uint32_t warp = access.thread / warp_size;
  const bool is_strong = access.is_strong || is_atomic(access.kind);
  const bool is_plain_store = access.kind == AccessKind::store && !is_strong;
  const Event now = {clocks_[warp][warp], access.thread, access.instruction, access.order,
                     is_strong};
  std::optional<Conflict> conflict;
  const auto meet = [&](const Event& earlier, const char* what) {
    if (!conflict) conflict = Conflict{false, what, earlier.thread, earlier.instruction};
  };
  const bool is_written = byte.write.clock != 0;
  if (!is_written && access.kind != AccessKind::store) conflict = Conflict{true};
  const bool is_same_value = is_plain_store && value != nullptr && is_written &&
                             byte.value == *value && !byte.write.is_strong;
  const bool is_one_store = is_plain_store && is_written && !is_same_value &&
                            byte.write.order == access.order && byte.write.thread != access.thread;
  if (!(is_strong && byte.write.is_strong) && !is_same_value &&
      (is_one_store || !is_before(byte.write, access))) {
    meet(byte.write, byte.write.is_strong ? "updates" : "writes");
  }
  if (access.kind == AccessKind::load) {
    const bool is_other_warp = byte.read.clock != 0 && byte.read.thread / warp_size != warp;
    if (is_other_warp) byte.other_read = byte.read;
    byte.read = now;
    return conflict;
  }
  for (const Event& read : {byte.read, byte.other_read}) {
    if (!(is_strong && read.is_strong) && !is_before(read, access)) meet(read, "reads");
  }
  byte.write = now;
  if (value != nullptr) byte.value = *value;
  return conflict;
}

void RaceDetector::arrive(std::uint32_t barrier, std::uint32_t warp) {
  join(barriers_.at(barrier), clocks_[warp]);
  synchronise_warp(warp);
}

void RaceDetector::leave(std::uint32_t barrier, std::uint32_t warp) {
  join(clocks_[warp], barriers_.at(barrier));
}

void RaceDetector::release_to(std::uint64_t address, std::uint32_t warp) {
  const auto [object, is_new] = objects_.try_emplace(address, clocks_[warp]);
  if (!is_new) join(object->second, clocks_[warp]);
  synchronise_warp(warp);
}

void RaceDetector::acquire_from(std::uint64_t address, std::uint32_t warp) {
  const auto found = objects_.find(address);
  if (found != objects_.end()) join(clocks_[warp], found->second);
}

}  // namespace sweep
