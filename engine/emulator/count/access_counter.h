#pragma once

#include "engine/emulator/count/model.h"

namespace sweep {

/// Counts one static instruction's accesses, many times over, as count_global and count_shared do.
/// Addresses of the form base + lane * delta are looked up among those seen
/// before, since a count depends on the base only up to whole lines. Not for several threads.
template <class Count>
class AccessCounter {
 public:
  AccessCounter(const MemoryModel& model, AccessKind kind)
      : model_(model), kind_(kind), period_(model.compute_capability < 50 ? 256 : 128) {}

  /// Adds one warp's access to `total`.
  void add(const WarpAccess& access, Count& total) const;

  /// As `add`, for active lanes t at base + t * delta (modulo 2^64), without looking at addresses.
  void add_affine(std::uint64_t base, std::int64_t delta, std::uint32_t width, Count& total,
                  std::uint32_t active = ~0U) {
    const std::uint64_t place = base & (period_ - 1);
    const std::uint64_t key = place << 40 | static_cast<std::uint64_t>(width) << 32 | active;
    // Words that follow each other, as the rows of a pitched array begin, do not collide.
    Known& known = known_[(place / 4 + static_cast<std::uint64_t>(delta) * 5) % known_.size()];
    if (known.key != key || known.delta != delta) learn(known, key, delta);
    total += known.count;
  }

 private:
  struct Known {
    std::uint64_t key = 0;  ///< base mod period_, width, active lanes; 0 is no access
    std::int64_t delta = 0;
    Count count;
  };

  void learn(Known& known, std::uint64_t key, std::int64_t delta) const;

  MemoryModel model_;
  AccessKind kind_;
  std::uint64_t period_;  ///< bytes after which the rules repeat, a power of 2
  std::array<Known, 32> known_{};
};

using GlobalCounter = AccessCounter<GlobalCount>;
using SharedCounter = AccessCounter<SharedCount>;

}  // namespace sweep
