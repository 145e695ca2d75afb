#include "engine/emulator/count/model.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

// The rules before 5.0 as the documents have them.
namespace sweep {
namespace {

std::vector<unsigned> active_lanes(const WarpAccess& access) {
  std::vector<unsigned> lanes;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((access.active >> lane & 1) != 0) lanes.push_back(lane);
  return lanes;
}

/// The groups of `lanes` lanes that have an active one, rising: a half-warp is a group of 16.
std::vector<WarpAccess> active_groups(const WarpAccess& access, unsigned lanes) {
  const std::uint32_t ones = lanes == 32 ? ~0U : (1U << lanes) - 1;
  std::vector<WarpAccess> groups;
  for (unsigned first = 0; first < 32; first += lanes) {
    WarpAccess part = access;
    part.active &= ones << first;
    if (part.active != 0) groups.push_back(part);
  }
  return groups;
}

/// Lanes served together: as many as fill `bytes`, each with a word of `word` bytes at the least.
unsigned lanes_that_fill(std::uint32_t bytes, std::uint32_t word, const WarpAccess& access) {
  return std::min(32U, bytes / std::max(word, access.width));
}

/// The numbers of the different aligned blocks of `block` bytes that an access touches: 1 for its
/// bytes, 32 for its sectors.
std::set<std::uint64_t> touched_blocks(const WarpAccess& access, std::uint64_t block) {
  std::set<std::uint64_t> blocks;
  for (const unsigned lane : active_lanes(access)) {
    const std::uint64_t first = access.address[lane];
    for (std::uint64_t i = first / block; i <= (first + access.width - 1) / block; ++i)
      blocks.insert(i);
  }
  return blocks;
}

/// The most different `thing(number)` of the numbers that lie in one of 32 banks.
template <class Bank, class Thing>
std::uint64_t most_in_a_bank(const std::set<std::uint64_t>& numbers, Bank bank, Thing thing) {
  std::array<std::set<std::uint64_t>, 32> things;
  for (const std::uint64_t number : numbers) things.at(bank(number) % 32).insert(thing(number));
  return std::ranges::max_element(things, {}, &std::set<std::uint64_t>::size)->size();
}

/// Of different words of `word` bytes.
std::uint64_t most_words_in_a_bank(const WarpAccess& access, std::uint64_t word) {
  return most_in_a_bank(touched_blocks(access, word), std::identity(), std::identity());
}

/// The sum of what groups of `lanes` lanes take.
template <class Taken>
Wavefronts sum_of_groups(const WarpAccess& access, unsigned lanes, std::uint64_t ideal,
                         const Taken& taken) {
  Wavefronts sum;
  for (const WarpAccess& group : active_groups(access, lanes)) {
    sum.taken += taken(group);
    sum.ideal += ideal;
  }
  return sum;
}

// CUDA C Programming Guide 4.2, F.3: compute capability 1.x, half-warps and 16 banks.

constexpr unsigned half_warp = 16;

/// Whether lane k of a half-warp accesses word k from an aligned segment on; lanes may be missing.
/// Words of 16 bytes take two segments of 128 bytes in a row.
bool is_in_sequence(const WarpAccess& half) {
  const std::uint64_t width = half.width;
  if (width != 4 && width != 8 && width != 16) return false;
  const std::uint64_t alignment = width == 4 ? 64 : 128;
  const std::vector<unsigned> lanes = active_lanes(half);
  const auto base = [&](unsigned lane) { return half.address[lane] - lane % half_warp * width; };
  return base(lanes.front()) % alignment == 0 && std::ranges::all_of(lanes, [&](unsigned lane) {
           return base(lane) == base(lanes.front());
         });
}

std::vector<unsigned> strict_transactions(const WarpAccess& half) {
  if (!is_in_sequence(half)) return std::vector<unsigned>(half_warp, 32);
  if (half.width == 4) return {64};
  if (half.width == 8) return {128};
  return {128, 128};
}

std::vector<unsigned> segment_transactions(WarpAccess left) {
  std::vector<unsigned> sizes;
  while (left.active != 0) {
    unsigned size = left.width == 1 ? 32 : left.width == 2 ? 64 : 128;
    const std::vector<unsigned> lanes = active_lanes(left);
    WarpAccess served = left;
    for (const unsigned lane : lanes) {
      const bool is_within = left.address[lane] / size == left.address[lanes.front()] / size;
      if (!is_within) served.active &= ~(1U << lane);
    }
    left.active &= ~served.active;
    const std::set<std::uint64_t> bytes = touched_blocks(served, 1);
    while (size > 32 && *bytes.begin() / (size / 2) == *bytes.rbegin() / (size / 2)) size /= 2;
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<unsigned> tesla_transactions(const MemoryModel& model, const WarpAccess& access) {
  std::vector<unsigned> sizes;
  for (const WarpAccess& half : active_groups(access, half_warp)) {
    const std::vector<unsigned> more =
        model.compute_capability < 12 ? strict_transactions(half) : segment_transactions(half);
    sizes.insert(sizes.end(), more.begin(), more.end());
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
      if ((banks >> word % 16 & 1) != 0) left.push_back(word);
      banks |= 1U << word % 16;
    }
    words = std::move(left);
  }
  return steps;
}

Wavefronts tesla_shared(const WarpAccess& access) {
  // Wider accesses are requests of one 32-bit word each.
  const std::uint64_t requests = std::max(1U, access.width / 4);
  return sum_of_groups(access, half_warp, requests, [&](const WarpAccess& half) {
    std::uint64_t steps = 0;
    for (std::uint64_t request = 0; request < requests; ++request) {
      std::vector<std::uint64_t> words;
      for (const unsigned lane : active_lanes(half))
        words.push_back(half.address[lane] / 4 + request);
      steps += broadcast_steps(std::move(words));
    }
    return steps;
  });
}

// CUDA C Programming Guide 4.2, F.4: compute capability 2.x; its global rule holds for 3.x too:
// lines of 128 bytes through L1, else 32 bytes.

std::vector<unsigned> fermi_transactions(const MemoryModel& model, const WarpAccess& access,
                                         AccessKind kind) {
  const unsigned size = model.l1_for_global && kind == AccessKind::load ? 128 : 32;
  std::vector<unsigned> sizes;
  for (const WarpAccess& request : active_groups(access, lanes_that_fill(128, 4, access)))
    sizes.insert(sizes.end(), touched_blocks(request, size).size(), size);
  return sizes;
}

Wavefronts fermi_shared(const WarpAccess& access) {
  return sum_of_groups(access, lanes_that_fill(128, 4, access), 1, [](const WarpAccess& request) {
    if (request.width < 16) return most_words_in_a_bank(request, 4);
    // 128-bit accesses pay one more even without a conflict; lanes meet where theirs begin.
    std::set<std::uint64_t> addresses;
    for (const unsigned lane : active_lanes(request)) addresses.insert(request.address[lane]);
    const auto first_word = [](std::uint64_t address) { return address / 4; };
    return 1 + most_in_a_bank(addresses, first_word, std::identity());
  });
}

// CUDA C Programming Guide 4.2, F.5.3: the shared memory of compute capability 3.x, 32 banks of 8
// bytes.

Wavefronts kepler_shared(const MemoryModel& model, const WarpAccess& access) {
  return sum_of_groups(access, lanes_that_fill(256, 8, access), 1, [&](const WarpAccess& request) {
    if (model.banks_of_64_bits) return most_words_in_a_bank(request, 8);
    // With banks of 32 bits, words i and i + 32 of an aligned segment of 64 words go together.
    const auto segment = [](std::uint64_t word) { return word / 64; };
    return most_in_a_bank(touched_blocks(request, 4), std::identity(), segment);
  });
}

}  // namespace

const std::vector<int>& known_models() {
  static const std::vector<int> models{10, 11, 12, 13, 20, 30,  35,  50,  60, 70,
                                       75, 80, 86, 89, 90, 100, 103, 120, 121};
  return models;
}

bool has_rules(int compute_capability) {
  return std::ranges::any_of(known_models(), [&](int known) {
    return compute_capability < 20 ? known == compute_capability
                                   : known / 10 == compute_capability / 10;
  });
}

MemoryModel default_model(int compute_capability) {
  MemoryModel model;
  model.compute_capability = compute_capability;
  model.l1_for_global = compute_capability / 10 != 3;
  return model;
}

std::vector<unsigned> historic_transactions(const MemoryModel& model, const WarpAccess& access,
                                            AccessKind kind) {
  if (model.compute_capability < 20) return tesla_transactions(model, access);
  return fermi_transactions(model, access, kind);
}

Wavefronts historic_wavefronts(const MemoryModel& model, const WarpAccess& access) {
  if (model.compute_capability < 20) return tesla_shared(access);
  return model.compute_capability < 30 ? fermi_shared(access) : kepler_shared(model, access);
}

}  // namespace sweep
