#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "engine/emulator/count/access.h"

namespace sweep {

/// The part of an access that lies in the `index`-th group of `lanes` lanes: a half-warp is a group
/// of 16.
WarpAccess lane_group(const WarpAccess& access, unsigned lanes, unsigned index);

/// The groups of `lanes` lanes that have an active one, rising.
std::vector<WarpAccess> active_groups(const WarpAccess& access, unsigned lanes);

/// The lanes of a warp's access, rising.
std::vector<unsigned> active_lanes(const WarpAccess& access);

/// The numbers of the different aligned blocks of `block` bytes that an access touches: 1 for its
/// bytes, 32 for its sectors.
std::set<std::uint64_t> touched_blocks(const WarpAccess& access, std::uint64_t block);

/// The largest number of different words of `word` bytes in one of `banks` banks, word i lying in
/// bank i mod `banks`; 0 without active lanes.
std::uint64_t most_words_in_a_bank(const WarpAccess& access, std::uint64_t word,
                                   std::uint64_t banks);

}  // namespace sweep
