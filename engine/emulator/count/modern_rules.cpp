#include <algorithm>

#include "engine/emulator/count/access_parts.h"
#include "engine/emulator/count/family_rules.h"

// Compute capability 5.0 on; measured on 9.0 (tests/emulator/count/calibration).
namespace sweep {
namespace {

/// Lanes served together: as many as fill the 128 bytes that the banks give at once.
unsigned lanes_of_wavefront(const WarpAccess& access) {
  return std::min(32U, 128 / std::max(4U, access.width));
}

/// Whether every active lane has its partner's address, lane t's being t xor `distance`; a partner
/// may be inactive.
bool pairs_match(const WarpAccess& access, unsigned distance) {
  const std::vector<unsigned> lanes = active_lanes(access);
  return std::all_of(lanes.begin(), lanes.end(), [&](unsigned lane) {
    const unsigned partner = lane ^ distance;
    return (access.active >> partner & 1) == 0 || access.address[lane] == access.address[partner];
  });
}

}  // namespace

std::uint64_t modern_data_wavefronts(const WarpAccess& access) {
  std::uint64_t wavefronts = 0;
  for (const WarpAccess& group : active_groups(access, lanes_of_wavefront(access)))
    wavefronts += most_words_in_a_bank(group, 4, 32);
  return wavefronts;
}

Wavefronts modern_shared(const WarpAccess& access, AccessKind kind) {
  unsigned lanes = lanes_of_wavefront(access);
  // A load whose lanes all pair up with their neighbours, or with those next to them, is served in
  // half as many groups. Stores are not.
  if (kind == AccessKind::load && lanes < 32 && (pairs_match(access, 1) || pairs_match(access, 2)))
    lanes *= 2;
  Wavefronts result;
  for (const WarpAccess& group : active_groups(access, lanes)) {
    result.taken += most_words_in_a_bank(group, 4, 32);
    result.ideal += 1;
  }
  return result;
}

}  // namespace sweep
