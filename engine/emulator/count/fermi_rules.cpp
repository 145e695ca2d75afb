#include <algorithm>
#include <map>

#include "engine/emulator/count/access_parts.h"
#include "engine/emulator/count/family_rules.h"

// CUDA C Programming Guide 4.2, F.4: compute capability 2.x; its global rule holds for 3.x too.
namespace sweep {
namespace {

/// Lanes whose bytes fill a line make one request.
unsigned lanes_of_request(const WarpAccess& access) {
  return std::min(32U, 128 / std::max(4U, access.width));
}

/// The most lanes of a quarter-warp with different addresses that begin in one bank.
std::uint64_t most_addresses_of_a_bank(const WarpAccess& quarter) {
  std::map<std::uint64_t, std::set<std::uint64_t>> addresses;
  std::size_t most = 0;
  for (const unsigned lane : active_lanes(quarter)) {
    std::set<std::uint64_t>& in_bank = addresses[quarter.address[lane] / 4 % 32];
    in_bank.insert(quarter.address[lane]);
    most = std::max(most, in_bank.size());
  }
  return most;
}

}  // namespace

std::vector<unsigned> fermi_transactions(const MemoryModel& model, const WarpAccess& access,
                                         AccessKind kind) {
  const unsigned size = model.l1_for_global && kind == AccessKind::load ? 128 : 32;
  std::vector<unsigned> sizes;
  for (const WarpAccess& request : active_groups(access, lanes_of_request(access)))
    sizes.insert(sizes.end(), touched_blocks(request, size).size(), size);
  return sizes;
}

Wavefronts fermi_shared(const WarpAccess& access) {
  Wavefronts result;
  for (const WarpAccess& request : active_groups(access, lanes_of_request(access))) {
    // 128-bit accesses pay one more even without a conflict.
    result.taken += access.width < 16 ? most_words_in_a_bank(request, 4, 32)
                                      : 1 + most_addresses_of_a_bank(request);
    result.ideal += 1;
  }
  return result;
}

}  // namespace sweep
