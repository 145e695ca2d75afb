#include <algorithm>
#include <array>
#include <map>

#include "engine/emulator/count/access_parts.h"
#include "engine/emulator/count/family_rules.h"

// Atomics as 9.0 counts them (tests/emulator/count/calibration).
namespace sweep {
namespace {

/// The most lanes of a group on one bank, whether or not their words differ.
std::uint64_t most_lanes_of_a_bank(const WarpAccess& group) {
  std::array<std::uint64_t, 32> lanes{};
  std::uint64_t most = 0;
  for (const unsigned lane : active_lanes(group))
    most = std::max(most, ++lanes.at(group.address[lane] / 4 % 32));
  return most;
}

}  // namespace

std::uint64_t atomic_sectors(const WarpAccess& access) {
  std::map<std::uint64_t, std::uint64_t> lanes_of_address;
  for (const unsigned lane : active_lanes(access)) ++lanes_of_address[access.address[lane]];
  // Lanes of different addresses share a sector; those of one address take it in turn.
  std::map<std::uint64_t, std::uint64_t> turns;
  for (const auto& [address, lanes] : lanes_of_address) {
    std::uint64_t& most = turns[address / 32];
    most = std::max(most, lanes);
  }
  std::uint64_t sectors = 0;
  for (const auto& sector : turns) sectors += sector.second;
  return sectors;
}

Wavefronts atomic_shared(const WarpAccess& access, AccessKind kind) {
  const std::uint64_t passes = shared_atomic_passes(kind, access.width);
  Wavefronts result;
  for (const WarpAccess& group : active_groups(access, access.width > 4 ? 16 : 32)) {
    const std::uint64_t most = kind == AccessKind::increment && access.width <= 4
                                   ? most_words_in_a_bank(group, 4, 32)
                                   : most_lanes_of_a_bank(group);
    result.taken += passes * most;
    result.ideal += passes;
  }
  return result;
}

}  // namespace sweep
