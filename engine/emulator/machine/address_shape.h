#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/emulator/count/model.h"

namespace sweep {

/// How the addresses of one warp instruction lie: those of `group` neighbouring lanes `delta` bytes
/// apart from lane to lane, and the groups `pitch` bytes apart; a group of 32 is the whole warp.
struct LaneStep {
  std::int64_t delta = 0;
  std::uint32_t group = 32;
  std::int64_t pitch = 0;

  friend bool operator==(const LaneStep&, const LaneStep&) = default;
};

struct Spread;

/// What a request costs: sectors, or wavefronts of shared memory.
struct RequestCost {
  std::uint64_t cost = 0;
  std::uint64_t ideal = 0;  ///< if the lanes' bytes lay as densely as possible

  std::uint64_t excess() const { return cost - ideal; }
};

/// Sectors that so many bytes need at the least in so many requests, each of which needs one.
constexpr std::uint64_t ideal_sectors(std::uint64_t bytes, std::uint64_t requests,
                                      std::uint64_t sectors) {
  const std::uint64_t dense = (bytes + sector_bytes - 1) / sector_bytes;
  return std::min(sectors, std::max(dense, requests));
}

/// Of a warp, what a memory instruction remembers from one time to the next.
struct WarpVisits {
  std::uint32_t count = 0;
  std::uint32_t lane = ~0U;  ///< the lowest one that was active, and its address
  std::uint64_t address = 0;
};

/// What the warps' addresses of one static memory instruction looked like, over all its accesses.
/// An access has one of three forms: uniform (one address for all lanes), stepped (a LaneStep), or
/// scattered.
struct AddressShape {
  struct StepCount {
    LaneStep step;
    std::uint64_t accesses = 0;
    std::uint64_t excess = 0;  ///< beyond these accesses' ideal cost

    friend bool operator==(const StepCount&, const StepCount&) = default;
  };
  /// What the warps do at the same time round a loop.
  struct Visit {
    std::uint64_t requests = 0;
    std::uint64_t cost = 0;

    friend bool operator==(const Visit&, const Visit&) = default;
  };
  static constexpr std::size_t most_visits = 64;

  std::uint64_t accesses = 0;
  std::uint64_t uniform = 0;
  std::uint64_t stepped = 0;
  std::uint64_t scattered = 0;
  // What the accesses of each form cost beyond their ideal.
  std::uint64_t uniform_excess = 0;
  std::uint64_t stepped_excess = 0;
  std::uint64_t scattered_excess = 0;
  /// The first steps seen; what comes after them is in `stepped` alone.
  std::array<StepCount, 8> steps{};
  std::uint64_t off_sector = 0;  ///< accesses whose lowest address is no multiple of 32
  std::uint64_t off_line = 0;    ///< accesses whose lowest address is no multiple of 128
  std::uint64_t partial = 0;     ///< accesses of fewer than 32 lanes
  std::uint64_t lanes = 0;       ///< active lanes of all accesses
  /// Accesses after which the same lane was the lowest again, and of these those where its address
  /// was another one at most a sector away.
  std::uint64_t repeated = 0;
  std::uint64_t onward = 0;
  /// By how often the warp has come by before; the last one has all that come later, too.
  std::vector<Visit> visits;
  std::uint64_t low = ~std::uint64_t{0};  ///< the lowest byte that any access reached
  std::uint64_t high = 0;                 ///< the highest

  static constexpr auto figures = std::to_array<std::uint64_t AddressShape::*>(
      {&AddressShape::accesses, &AddressShape::uniform, &AddressShape::stepped,
       &AddressShape::scattered, &AddressShape::uniform_excess, &AddressShape::stepped_excess,
       &AddressShape::scattered_excess, &AddressShape::off_sector, &AddressShape::off_line,
       &AddressShape::partial, &AddressShape::lanes, &AddressShape::repeated,
       &AddressShape::onward});
  /// An access of at least one lane.
  void note(const WarpAccess& access, const Spread& spread, const RequestCost& cost,
            WarpVisits& visits);
  AddressShape& operator+=(const AddressShape& other);
  /// The step that costs most beyond the ideal, and where none does that seen most; no accesses
  /// when there was none.
  const StepCount& usual_step() const;

  friend bool operator==(const AddressShape&, const AddressShape&) = default;

 private:
  void add_step(const StepCount& more);
};

}  // namespace sweep
