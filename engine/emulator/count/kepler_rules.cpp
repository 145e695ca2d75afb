#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "engine/emulator/count/access_parts.h"
#include "engine/emulator/count/family_rules.h"

// CUDA C Programming Guide 4.2, F.5.3: the shared memory of compute capability 3.x.
namespace sweep {
namespace {

/// With banks of 32 bits, words i and i + 32 of an aligned segment of 64 words go together.
std::uint64_t most_segments_in_a_bank(const WarpAccess& access) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> in_banks;
  for (const std::uint64_t word : touched_blocks(access, 4)) in_banks.emplace(word % 32, word / 64);
  std::array<std::uint64_t, 32> segments{};
  for (const auto& place : in_banks) ++segments.at(place.first);
  return *std::max_element(segments.begin(), segments.end());
}

}  // namespace

Wavefronts kepler_shared(const MemoryModel& model, const WarpAccess& access) {
  Wavefronts result;
  for (const WarpAccess& request :
       active_groups(access, std::min(32U, 256 / std::max(8U, access.width)))) {
    result.taken += model.banks_of_64_bits ? most_words_in_a_bank(request, 8, 32)
                                           : most_segments_in_a_bank(request);
    result.ideal += 1;
  }
  return result;
}

}  // namespace sweep
