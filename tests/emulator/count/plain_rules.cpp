#include "tests/emulator/count/plain_rules.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace sweep::testing {
namespace {

using Numbers = std::vector<std::uint64_t>;

/// The numbers of the units of `unit` bytes that the active lanes from `first` on, so many of
/// them, touch.
std::set<std::uint64_t> units(const WarpAccess& access, std::uint64_t unit, unsigned first = 0,
                              unsigned lanes = 32) {
  std::set<std::uint64_t> touched;
  for (unsigned lane = first; lane < first + lanes; ++lane) {
    if ((access.active >> lane & 1) == 0) continue;
    const std::uint64_t begin = access.address[lane];
    for (std::uint64_t byte = begin; byte < begin + access.width; ++byte)
      touched.insert(byte / unit);
  }
  return touched;
}

std::uint64_t lane_count(const WarpAccess& access, unsigned first, unsigned lanes) {
  std::uint64_t count = 0;
  for (unsigned lane = first; lane < first + lanes; ++lane) count += access.active >> lane & 1;
  return count;
}

std::uint64_t most_frequent(const Numbers& numbers) {
  std::map<std::uint64_t, std::uint64_t> times;
  std::uint64_t most = 0;
  for (const std::uint64_t number : numbers) most = std::max(most, ++times[number]);
  return most;
}

/// The sum over groups of `lanes` lanes, those without an active one left out, of what is most
/// frequent among what `banks` names.
Wavefronts by_groups(const WarpAccess& access, unsigned lanes,
                     const std::function<Numbers(unsigned first)>& banks) {
  Wavefronts sum;
  for (unsigned first = 0; first < 32; first += lanes) {
    if (lane_count(access, first, lanes) == 0) continue;
    sum.taken += most_frequent(banks(first));
    ++sum.ideal;
  }
  return sum;
}

/// 32 banks of 4 bytes, of which each gives one word at a time.
Wavefronts by_words(const WarpAccess& access, unsigned lanes) {
  return by_groups(access, lanes, [&](unsigned first) {
    Numbers banks;
    for (const std::uint64_t word : units(access, 4, first, lanes)) banks.push_back(word % 32);
    return banks;
  });
}

/// Every lane for itself.
Wavefronts by_lanes(const WarpAccess& access, unsigned lanes) {
  return by_groups(access, lanes, [&](unsigned first) {
    Numbers banks;
    for (unsigned lane = first; lane < first + lanes; ++lane)
      if ((access.active >> lane & 1) != 0) banks.push_back(access.address[lane] / 4 % 32);
    return banks;
  });
}

/// Lanes served together: as many as fill the 128 bytes that the banks give at once.
unsigned lanes_at_once(const WarpAccess& access) {
  return std::min(32U, 128 / std::max(4U, access.width));
}

/// Whether every active lane has its partner's address, lane t's being t xor `distance`; a partner
/// may be inactive.
bool are_paired(const WarpAccess& access, unsigned distance) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned partner = lane ^ distance;
    const bool are_active = (access.active >> lane & access.active >> partner & 1) != 0;
    if (are_active && access.address[lane] != access.address[partner]) return false;
  }
  return true;
}

/// Lanes of different addresses share a sector; those of one address take it in turn.
std::uint64_t atomic_sectors(const WarpAccess& access) {
  std::map<std::uint64_t, Numbers> addresses;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((access.active >> lane & 1) != 0)
      addresses[access.address[lane] / sector_bytes].push_back(access.address[lane]);
  std::uint64_t sectors = 0;
  for (const auto& sector : addresses) sectors += most_frequent(sector.second);
  return sectors;
}

}  // namespace

GlobalCount plain_global(const WarpAccess& access, AccessKind kind) {
  GlobalCount count;
  if (access.active == 0) return count;
  count.requests = 1;
  count.lanes = lane_count(access, 0, 32);
  count.bytes_wanted = units(access, 1).size();
  count.sectors = is_atomic(kind) ? atomic_sectors(access) : units(access, sector_bytes).size();
  count.transactions = count.sectors;
  count.lines = units(access, 128).size();
  count.tag_wavefronts = (count.lines + 3) / 4;
  count.data_wavefronts = by_words(access, lanes_at_once(access)).taken;
  return count;
}

SharedCount plain_shared(const WarpAccess& access, AccessKind kind) {
  SharedCount count;
  if (access.active == 0) return count;
  unsigned lanes = is_atomic(kind) ? (access.width > 4 ? 16 : 32) : lanes_at_once(access);
  const bool is_paired = are_paired(access, 1) || are_paired(access, 2);
  if (kind == AccessKind::load && is_paired) lanes = std::min(32U, 2 * lanes);
  const bool is_by_word = !is_atomic(kind) || (kind == AccessKind::increment && access.width <= 4);
  const bool is_swap = kind == AccessKind::compare_and_swap || access.width > 4;
  const std::uint64_t passes = is_atomic(kind) && is_swap ? 2 : 1;
  const Wavefronts wavefronts = is_by_word ? by_words(access, lanes) : by_lanes(access, lanes);
  count.requests = 1;
  count.lanes = lane_count(access, 0, 32);
  count.bytes_wanted = units(access, 1).size();
  count.wavefronts = passes * wavefronts.taken;
  count.ideal = passes * wavefronts.ideal;
  return count;
}

}  // namespace sweep::testing
