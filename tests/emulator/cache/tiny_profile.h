#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/emulator/cache/cache_model.h"

namespace sweep::testing {

/// Two multiprocessors; an L1 of `l1_lines` and an L2 of `l2_lines` lines, fully associative.
inline DeviceProfile tiny_profile(unsigned l1_lines, unsigned l2_lines, unsigned granularity) {
  DeviceProfile profile;
  profile.name = "tiny";
  profile.multiprocessors = 2;
  profile.l1_bytes = std::uint64_t{l1_lines} * 128;
  profile.l1_ways = l1_lines;
  profile.l2_bytes = std::uint64_t{l2_lines} * 128;
  profile.l2_ways = l2_lines;
  profile.dram_granularity = granularity;
  return profile;
}

/// The model of such a profile.
inline CacheModel tiny_model(unsigned l1_lines, unsigned l2_lines, unsigned granularity) {
  const DeviceProfile profile = tiny_profile(l1_lines, l2_lines, granularity);
  return CacheModel(profile);
}

inline Request request_of(RequestKind kind, const std::vector<std::uint64_t>& sectors) {
  Request request;
  request.kind = kind;
  request.count = sectors.size();
  std::ranges::copy(sectors, request.sectors.begin());
  return request;
}

/// Sector numbers `first`, `first + stride`, ...
inline std::vector<std::uint64_t> sectors_from(std::uint64_t first, unsigned count,
                                               std::uint64_t stride = 1) {
  std::vector<std::uint64_t> sectors(count);
  for (unsigned i = 0; i < count; ++i) sectors[i] = first + i * stride;
  return sectors;
}

}  // namespace sweep::testing
