#include "engine/emulator/count/fast_count.h"

#include <algorithm>
#include <bit>

#include "engine/emulator/count/family_rules.h"
#include "engine/emulator/count/key_index.h"

namespace sweep {
namespace {

constexpr std::uint32_t all_lanes = ~0U;

/// What the lanes of an access touch, banks taken over groups of lanes.
struct Touched {
  std::uint64_t bytes = 0;
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;
  std::uint64_t wavefronts = 0;  ///< summed over groups, the most words in a bank
  std::uint64_t groups = 0;      ///< with an active lane
};

/// Addresses are multiples of the width: then an element lies in one sector and one line, and the
/// elements of a line, those of less than 4 bytes taken by words, are places that stand for banks.
bool is_aligned(const WarpAccess& access) {
  std::uint64_t bits = 0;
  if (access.active == all_lanes)
    for (const std::uint64_t address : access.address) bits |= address;
  else
    for (std::uint32_t left = access.active; left != 0; left &= left - 1)
      bits |= access.address[static_cast<unsigned>(std::countr_zero(left))];
  return std::has_single_bit(access.width) && access.width <= 32 &&
         (bits & (access.width - 1)) == 0;
}

unsigned log2_of_lanes(const WarpAccess& access) {
  return access.width <= 4 ? 5 : 7 - static_cast<unsigned>(std::countr_zero(access.width));
}

std::uint64_t active_group_count(std::uint32_t active, unsigned log2_lanes) {
  if (log2_lanes == 5) return 1;
  const unsigned lanes = 1U << log2_lanes;
  const std::uint32_t ones = (1U << lanes) - 1;
  std::uint64_t groups = 0;
  for (unsigned first = 0; first < 32; first += lanes) groups += (active >> first & ones) != 0;
  return groups;
}

/// The sum of the largest of each `places` counters in a row.
template <unsigned places>
std::uint64_t sum_of_most(const std::array<std::uint8_t, 32>& counters) {
  std::uint64_t sum = 0;
  for (unsigned first = 0; first < 32; first += places) {
    std::uint8_t most = 0;
    for (unsigned i = 0; i < places; ++i) most = std::max(most, counters[first + i]);
    sum += most;
  }
  return sum;
}

/// The bytes of a line seen before, for elements of less than 4 bytes.
class SmallElements {
 public:
  /// 1 if the element is new.
  std::uint64_t add(unsigned line, unsigned element, bool is_new_line) {
    std::array<std::uint64_t, 2>& seen = seen_[line];
    if (is_new_line) seen = {};
    const std::uint64_t fresh = ~(seen[element / 64] >> element % 64) & 1;
    seen[element / 64] |= std::uint64_t{1} << element % 64;
    return fresh;
  }

 private:
  std::array<std::array<std::uint64_t, 2>, 33> seen_;
};

/// Counts by what each lane is the first to touch. A line's bits tell what was touched: from 0 on
/// the banks, one for each group of lanes and element (word, if that is wider) of the line; from 32
/// on its sectors; from 36 on the elements of 8 bytes and more, whatever the group.
template <unsigned element_shift>
Touched touch(const WarpAccess& access, unsigned log2_lanes) {
  constexpr unsigned place_shift = std::max(element_shift, 2U);
  constexpr unsigned places = 128U >> place_shift;
  constexpr unsigned sector_bits = 32;
  constexpr unsigned element_bits = 36;
  KeyIndex index;
  // An entry is written before it is read; clearing them all would cost as much as ten lanes.
  std::array<std::uint64_t, 33> lines;   // NOLINT(cppcoreguidelines-pro-type-member-init)
  [[maybe_unused]] SmallElements small;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::array<std::uint8_t, 32> words{};
  Touched touched;
  for (std::uint32_t left = access.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.address[lane];
    const auto [line, is_new] = index.find_or_add(address / 128);
    const auto in_line = static_cast<unsigned>(address % 128);
    const unsigned in_group = in_line >> place_shift;
    const unsigned place = (lane >> log2_lanes) * places + in_group;
    const unsigned sector = sector_bits + in_line / 32;

    const std::uint64_t seen = is_new ? 0 : lines[line];
    std::uint64_t now = std::uint64_t{1} << place | std::uint64_t{1} << sector;
    if constexpr (element_shift > 2) now |= std::uint64_t{1} << (element_bits + in_group);
    const std::uint64_t fresh = now & ~seen;
    lines[line] = seen | now;

    words[place] = static_cast<std::uint8_t>(words[place] + (fresh >> place & 1));
    touched.sectors += fresh >> sector & 1;
    if constexpr (element_shift < 2)
      touched.bytes += small.add(line, in_line >> element_shift, is_new);
    else if constexpr (element_shift == 2)
      touched.bytes += fresh >> place & 1;
    else
      touched.bytes += fresh >> (element_bits + in_group) & 1;
  }
  touched.bytes <<= element_shift;
  touched.lines = index.size();
  touched.wavefronts = sum_of_most<places>(words);
  touched.groups = active_group_count(access.active, log2_lanes);
  return touched;
}

Touched touch(const WarpAccess& access, unsigned log2_lanes) {
  switch (access.width) {
    case 1:
      return touch<0>(access, log2_lanes);
    case 2:
      return touch<1>(access, log2_lanes);
    case 4:
      return touch<2>(access, log2_lanes);
    case 8:
      return touch<3>(access, log2_lanes);
    case 16:
      return touch<4>(access, log2_lanes);
    default:
      return touch<5>(access, log2_lanes);
  }
}

bool pairs_match(const WarpAccess& access, unsigned distance) {
  const bool first_pair_active = (access.active & access.active >> distance & 1) != 0;
  if (first_pair_active && access.address[0] != access.address[distance]) return false;
  std::uint64_t differ = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint32_t both = access.active >> lane & access.active >> (lane ^ distance) & 1;
    differ |= (access.address[lane] ^ access.address[lane ^ distance]) & (0 - std::uint64_t{both});
  }
  return differ == 0;
}

/// Each lane that is the nth of its address makes its sector turn at least n times.
std::uint64_t sectors_in_turns(const WarpAccess& access) {
  KeyIndex addresses;
  KeyIndex sectors;
  std::array<std::uint8_t, 33> lanes{};
  std::array<std::uint8_t, 33> turns{};
  std::uint64_t sum = 0;
  for (std::uint32_t left = access.active; left != 0; left &= left - 1) {
    const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(left))];
    const std::uint8_t nth = ++lanes[addresses.find_or_add(address).number];
    std::uint8_t& most = turns[sectors.find_or_add(address / 32).number];
    sum += nth > most ? 1 : 0;
    most = std::max(most, nth);
  }
  return sum;
}

/// The most lanes on a bank, summed over groups.
std::uint64_t lanes_on_banks(const WarpAccess& access, unsigned log2_lanes) {
  std::array<std::array<std::uint8_t, 32>, 2> lanes{};
  std::array<std::uint8_t, 2> most{};
  for (std::uint32_t left = access.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const unsigned group = lane >> log2_lanes;
    const std::uint8_t on_bank = ++lanes[group][access.address[lane] / 4 % 32];
    most[group] = std::max(most[group], on_bank);
  }
  return std::uint64_t{most[0]} + most[1];
}

bool is_atomic(AccessKind kind) {
  return kind != AccessKind::load && kind != AccessKind::store;
}

/// Finds base and delta if the active lanes are at base + lane * delta. Where the two lowest active
/// lanes are no neighbours it does not look.
bool find_affine(const WarpAccess& access, std::uint64_t& base, std::uint64_t& delta) {
  const auto& address = access.address;
  const auto first = static_cast<unsigned>(std::countr_zero(access.active));
  const std::uint32_t others = access.active & (access.active - 1);
  if (others != 0 && (first == 31 || (others >> (first + 1) & 1) == 0)) return false;
  delta = others == 0 ? 0 : address[first + 1] - address[first];
  base = address[first] - first * delta;
  std::uint64_t differ = 0;
  if (access.active == all_lanes) {
    if (address[31] != base + 31 * delta) return false;
    std::uint64_t expected = base;
    for (unsigned lane = 0; lane < 32; ++lane, expected += delta)
      differ |= address[lane] ^ expected;
  } else {
    for (std::uint32_t left = others; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      differ |= address[lane] ^ (base + lane * delta);
    }
  }
  return differ == 0;
}

// These add field by field: a count written and then read as a whole would wait for its stores.

void accumulate(const MemoryModel& model, const WarpAccess& access, AccessKind kind,
                GlobalCount& total) {
  if (model.compute_capability < 50 || access.active == 0 || !is_aligned(access)) {
    total += count_global(model, access, kind);
    return;
  }
  const Touched touched = touch(access, log2_of_lanes(access));
  const std::uint64_t sectors = is_atomic(kind) ? sectors_in_turns(access) : touched.sectors;
  total.requests += 1;
  total.lanes += static_cast<std::uint64_t>(std::popcount(access.active));
  total.bytes_wanted += touched.bytes;
  total.transactions += sectors;
  total.sectors += sectors;
  total.lines += touched.lines;
  total.tag_wavefronts += (touched.lines + 3) / 4;
  total.data_wavefronts += touched.wavefronts;
}

void accumulate(const MemoryModel& model, const WarpAccess& access, AccessKind kind,
                SharedCount& total) {
  if (model.compute_capability < 50 || access.active == 0 || !is_aligned(access) ||
      (is_atomic(kind) && access.width > 8)) {
    total += count_shared(model, access, kind);
    return;
  }
  unsigned log2_lanes = log2_of_lanes(access);
  if (kind == AccessKind::load && log2_lanes < 5 &&
      (pairs_match(access, 1) || pairs_match(access, 2)))
    ++log2_lanes;
  const Touched touched = touch(access, log2_lanes);
  total.requests += 1;
  total.lanes += static_cast<std::uint64_t>(std::popcount(access.active));
  total.bytes_wanted += touched.bytes;
  if (is_atomic(kind) && (kind != AccessKind::increment || access.width > 4)) {
    const std::uint64_t passes = shared_atomic_passes(kind, access.width);
    total.wavefronts += passes * lanes_on_banks(access, log2_lanes);
    total.ideal += passes * touched.groups;
  } else {
    total.wavefronts += touched.wavefronts;
    total.ideal += touched.groups;
  }
}

}  // namespace

GlobalCount fast_count_global(const MemoryModel& model, const WarpAccess& access, AccessKind kind) {
  GlobalCount count;
  accumulate(model, access, kind, count);
  return count;
}

SharedCount fast_count_shared(const MemoryModel& model, const WarpAccess& access, AccessKind kind) {
  SharedCount count;
  accumulate(model, access, kind, count);
  return count;
}

template <class Count>
void AccessCounter<Count>::add(const WarpAccess& access, Count& total) {
  if (access.active == 0) return;
  std::uint64_t base = 0;
  std::uint64_t delta = 0;
  if (find_affine(access, base, delta))
    add_affine(base, static_cast<std::int64_t>(delta), access.width, total, access.active);
  else
    accumulate(model_, access, kind_, total);
}

template <class Count>
void AccessCounter<Count>::learn(Known& known, std::uint64_t key, std::int64_t delta) const {
  WarpAccess access;
  access.active = static_cast<std::uint32_t>(key);
  access.width = static_cast<std::uint32_t>(key >> 32 & 0xff);
  // Far from 0, so that a falling access does not wrap.
  std::uint64_t address = (key >> 40) + (std::uint64_t{1} << 62);
  for (std::uint64_t& lane : access.address) {
    lane = address;
    address += static_cast<std::uint64_t>(delta);
  }
  known.key = key;
  known.delta = delta;
  known.count = Count{};
  accumulate(model_, access, kind_, known.count);
}

template class AccessCounter<GlobalCount>;
template class AccessCounter<SharedCount>;

}  // namespace sweep
