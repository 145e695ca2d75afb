#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/emulator/count/model.h"

namespace sweep {
namespace {

/// Numbers the different keys of at most 32, from 1 on in the order in which they come, without
/// allocation. Only keys that collide take a branch that is hard to predict.
class KeyIndex {  // NOLINT(cppcoreguidelines-pro-type-member-init)
 public:
  struct Place {
    unsigned number = 0;
    bool is_new = false;  ///< the key's first time
  };

  Place find_or_add(std::uint64_t key) {
    auto slot = static_cast<unsigned>(key * 0x9e3779b97f4a7c15ULL >> 56);
    unsigned number = numbers_[slot];
    while (number != 0 && keys_[number] != key) {
      slot = (slot + 1) % slots;
      number = numbers_[slot];
    }
    const bool is_new = number == 0;
    size_ += is_new ? 1 : 0;
    number = is_new ? size_ : number;
    keys_[number] = key;
    numbers_[slot] = static_cast<std::uint8_t>(number);
    return {number, is_new};
  }

  unsigned size() const { return size_; }

 private:
  static constexpr unsigned slots = 256;

  std::array<std::uint8_t, slots> numbers_{};  ///< 0 is a free slot
  std::array<std::uint64_t, 33> keys_;         ///< by number; those given out alone are set
  unsigned size_ = 0;
};

/// What the lanes of an access touch, banks taken over groups of lanes.
struct Touched {
  std::uint64_t bytes = 0;
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;
  std::uint64_t wavefronts = 0;  ///< summed over groups, the most words in a bank
  std::uint64_t groups = 0;      ///< with an active lane
};

/// The groups of lanes that are served together: as many as fill 128 bytes.
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

/// Counts by what each lane is the first to touch. An element lies in one sector and one line;
/// those of a line, those of less than 4 bytes taken by words, are places that stand for banks. A
/// line's bits tell what was touched: from 0 on the banks, one for each group of lanes and element
/// (word, if that is wider) of the line; from 32 on its sectors; from 36 on the elements of 8 bytes
/// and more, whatever the group.
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
  static constexpr std::array by_width = {touch<0>, touch<1>, touch<2>,
                                          touch<3>, touch<4>, touch<5>};
  return by_width[static_cast<unsigned>(std::countr_zero(access.width))](access, log2_lanes);
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

}  // namespace

// These add field by field: a count written and then read as a whole would wait for its stores.

void add_access(const MemoryModel& model, const WarpAccess& access, AccessKind kind,
                GlobalCount& total) {
  if (access.active == 0) return;
  const Touched touched = touch(access, log2_of_lanes(access));
  total.requests += 1;
  total.lanes += static_cast<std::uint64_t>(std::popcount(access.active));
  total.bytes_wanted += touched.bytes;
  total.lines += touched.lines;
  if (model.compute_capability < 50 && !is_atomic(kind)) {
    const std::vector<unsigned> sizes = historic_transactions(model, access, kind);
    total.transactions += sizes.size();
    total.sectors += std::accumulate(sizes.begin(), sizes.end(), 0U) / sector_bytes;
    return;
  }
  const std::uint64_t sectors = is_atomic(kind) ? sectors_in_turns(access) : touched.sectors;
  total.transactions += sectors;
  total.sectors += sectors;
  if (model.compute_capability < 50) return;
  total.tag_wavefronts += (touched.lines + 3) / 4;
  total.data_wavefronts += touched.wavefronts;
}

void add_access(const MemoryModel& model, const WarpAccess& access, AccessKind kind,
                SharedCount& total) {
  if (access.active == 0) return;
  unsigned log2_lanes = is_atomic(kind) ? (access.width > 4 ? 4 : 5) : log2_of_lanes(access);
  // A load whose lanes all pair up with their neighbours, or with those next to them, is served in
  // half as many groups. Stores are not.
  if (kind == AccessKind::load && log2_lanes < 5 &&
      (pairs_match(access, 1) || pairs_match(access, 2)))
    ++log2_lanes;
  const Touched touched = touch(access, log2_lanes);
  total.requests += 1;
  total.lanes += static_cast<std::uint64_t>(std::popcount(access.active));
  total.bytes_wanted += touched.bytes;
  if (is_atomic(kind) && (kind != AccessKind::increment || access.width > 4)) {
    // A compare-and-swap reads in one wavefront and writes in another, and those of 64 bits are
    // compare-and-swaps.
    const bool is_swap = kind == AccessKind::compare_and_swap || access.width > 4;
    const std::uint64_t passes = is_swap ? 2 : 1;
    total.wavefronts += passes * lanes_on_banks(access, log2_lanes);
    total.ideal += passes * touched.groups;
  } else if (model.compute_capability < 50 && !is_atomic(kind)) {
    const Wavefronts wavefronts = historic_wavefronts(model, access);
    total.wavefronts += wavefronts.taken;
    total.ideal += wavefronts.ideal;
  } else {
    total.wavefronts += touched.wavefronts;
    total.ideal += touched.groups;
  }
}

namespace {

/// Whether the lanes' addresses lie so far from the first one's.
[[gnu::always_inline]] inline bool have_distances_inline(
    const std::array<std::uint64_t, 32>& address, const std::array<std::uint64_t, 32>& distances) {
  std::uint64_t differs = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    differs |= (address[lane] - address[0]) ^ distances[lane];
  }
  return differs == 0;
}
#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("avx2")]] bool have_distances_avx2(const std::array<std::uint64_t, 32>& address,
                                                 const std::array<std::uint64_t, 32>& distances) {
  return have_distances_inline(address, distances);
}
bool have_distances(const std::array<std::uint64_t, 32>& address,
                    const std::array<std::uint64_t, 32>& distances) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return has_avx2 ? have_distances_avx2(address, distances)
                  : have_distances_inline(address, distances);
}
#else
bool have_distances(const std::array<std::uint64_t, 32>& address,
                    const std::array<std::uint64_t, 32>& distances) {
  return have_distances_inline(address, distances);
}
#endif

}  // namespace

/// What comes again is noticed when it comes for the second time: addresses that never do should
/// not cost much more for that.
template <class Count>
void AccessCounter<Count>::add(const WarpAccess& access, Count& total) {
  constexpr std::size_t forms = 16;
  constexpr unsigned last = 31;
  if (forms_.empty()) forms_.resize(forms);
  const std::uint64_t place = access.address[0] & (period_ - 1);
  const std::uint64_t key =
      place << 40 | static_cast<std::uint64_t>(access.width) << 32 | access.active;
  const std::uint64_t distance = access.address[last] - access.address[0];
  Form& form = forms_[(place / 8 + distance / 4) % forms];
  const bool is_again = form.key == key && form.distances[last] == distance;
  if (is_again && form.is_known && have_distances(access.address, form.distances)) {
    total += form.count;
    return;
  }
  if (!is_again) {
    form.key = key;
    form.distances[last] = distance;
    form.is_known = false;
    return add_access(model_, access, kind_, total);
  }
  form.is_known = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    form.distances[lane] = access.address[lane] - access.address[0];
  }
  form.count = Count{};
  add_access(model_, access, kind_, form.count);
  total += form.count;
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
  add_access(model_, access, kind_, known.count);
}

template class AccessCounter<GlobalCount>;
template class AccessCounter<SharedCount>;

}  // namespace sweep
