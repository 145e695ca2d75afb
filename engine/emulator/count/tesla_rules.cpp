#include <algorithm>
#include <set>

#include "engine/emulator/count/access_parts.h"
#include "engine/emulator/count/family_rules.h"

// CUDA C Programming Guide 4.2, F.3: compute capability 1.x.
namespace sweep {
namespace {

constexpr unsigned half_warp = 16;

/// Whether lane k of a half-warp accesses word k from an aligned segment on; lanes may be missing.
/// Words of 16 bytes take two segments of 128 bytes in a row.
bool in_sequence(const WarpAccess& half, unsigned first_lane) {
  const std::uint64_t width = half.width;
  if (width != 4 && width != 8 && width != 16) return false;
  const std::uint64_t alignment = width == 4 ? 64 : 128;
  const std::vector<unsigned> lanes = active_lanes(half);
  const auto base = [&](unsigned lane) { return half.address[lane] - (lane - first_lane) * width; };
  return base(lanes.front()) % alignment == 0 &&
         std::all_of(lanes.begin(), lanes.end(),
                     [&](unsigned lane) { return base(lane) == base(lanes.front()); });
}

std::vector<unsigned> strict_transactions(const WarpAccess& half, unsigned first_lane) {
  if (!in_sequence(half, first_lane)) return std::vector<unsigned>(half_warp, 32);
  if (half.width == 4) return {64};
  if (half.width == 8) return {128};
  return {128, 128};
}

/// The lanes of an access whose bytes begin in [first, first + size).
std::uint32_t lanes_within(const WarpAccess& access, std::uint64_t first, std::uint64_t size) {
  std::uint32_t within = 0;
  for (const unsigned lane : active_lanes(access))
    if (access.address[lane] / size == first / size) within |= 1U << lane;
  return within;
}

std::vector<unsigned> segment_transactions(WarpAccess left) {
  std::vector<unsigned> sizes;
  while (left.active != 0) {
    unsigned size = left.width == 1 ? 32 : left.width == 2 ? 64 : 128;
    WarpAccess served = left;
    served.active = lanes_within(left, left.address[active_lanes(left).front()], size);
    left.active &= ~served.active;
    const std::set<std::uint64_t> bytes = touched_blocks(served, 1);
    while (size > 32 && *bytes.begin() / (size / 2) == *bytes.rbegin() / (size / 2)) size /= 2;
    sizes.push_back(size);
  }
  return sizes;
}

/// Steps until every lane's word is served. A step serves all lanes of one word, that of the lowest
/// lane left, and one lane of each other bank.
std::uint64_t broadcast_steps(std::vector<std::uint64_t> words) {
  std::uint64_t steps = 0;
  for (; !words.empty(); ++steps) {
    const std::uint64_t broadcast = words.front();
    std::uint32_t banks = 1U << broadcast % 16;
    std::vector<std::uint64_t> left;
    for (const std::uint64_t word : words) {
      if (word == broadcast) continue;
      if ((banks >> word % 16 & 1) != 0)
        left.push_back(word);
      else
        banks |= 1U << word % 16;
    }
    words = std::move(left);
  }
  return steps;
}

}  // namespace

std::vector<unsigned> tesla_transactions(const MemoryModel& model, const WarpAccess& access) {
  std::vector<unsigned> sizes;
  for (unsigned index = 0; index < 2; ++index) {
    const WarpAccess half = lane_group(access, half_warp, index);
    if (half.active == 0) continue;
    const std::vector<unsigned> more = model.compute_capability < 12
                                           ? strict_transactions(half, index * half_warp)
                                           : segment_transactions(half);
    sizes.insert(sizes.end(), more.begin(), more.end());
  }
  return sizes;
}

Wavefronts tesla_shared(const WarpAccess& access) {
  // Wider accesses are requests of one 32-bit word each.
  const std::uint64_t requests = std::max(1U, access.width / 4);
  Wavefronts result;
  for (const WarpAccess& half : active_groups(access, half_warp))
    for (std::uint64_t request = 0; request < requests; ++request) {
      std::vector<std::uint64_t> words;
      for (const unsigned lane : active_lanes(half))
        words.push_back(half.address[lane] / 4 + request);
      result.taken += broadcast_steps(words);
      result.ideal += 1;
    }
  return result;
}

}  // namespace sweep
