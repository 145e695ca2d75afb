#include "engine/emulator/count/access_parts.h"

#include <algorithm>
#include <map>

namespace sweep {

WarpAccess lane_group(const WarpAccess& access, unsigned lanes, unsigned index) {
  const std::uint32_t ones = lanes == 32 ? ~0U : (1U << lanes) - 1;
  WarpAccess part = access;
  part.active &= ones << lanes * index;
  return part;
}

std::vector<WarpAccess> active_groups(const WarpAccess& access, unsigned lanes) {
  std::vector<WarpAccess> groups;
  for (unsigned index = 0; index < 32 / lanes; ++index) {
    const WarpAccess part = lane_group(access, lanes, index);
    if (part.active != 0) groups.push_back(part);
  }
  return groups;
}

std::vector<unsigned> active_lanes(const WarpAccess& access) {
  std::vector<unsigned> lanes;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((access.active >> lane & 1) != 0) lanes.push_back(lane);
  return lanes;
}

std::set<std::uint64_t> touched_blocks(const WarpAccess& access, std::uint64_t block) {
  std::set<std::uint64_t> blocks;
  for (const unsigned lane : active_lanes(access)) {
    const std::uint64_t first = access.address[lane];
    for (std::uint64_t i = first / block; i <= (first + access.width - 1) / block; ++i)
      blocks.insert(i);
  }
  return blocks;
}

std::uint64_t most_words_in_a_bank(const WarpAccess& access, std::uint64_t word,
                                   std::uint64_t banks) {
  std::map<std::uint64_t, std::uint64_t> words;
  std::uint64_t most = 0;
  for (const std::uint64_t index : touched_blocks(access, word))
    most = std::max(most, ++words[index % banks]);
  return most;
}

}  // namespace sweep
