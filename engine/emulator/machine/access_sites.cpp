#include "engine/emulator/machine/access_sites.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

/// Whether the lanes of a register lie as a layout says.
template <class Word>
[[gnu::always_inline]] inline bool lies_as(const Word* slot, const LaneLayout& layout) {
  const Word* distance = nullptr;
  if constexpr (sizeof(Word) == 8) {
    distance = layout.distance.data();
  } else {
    distance = layout.narrow.data();
  }
  const Word base = slot[layout.first];
  Word differs = 0;
  if (layout.active == full_mask) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      differs |= slot[lane] ^ (base + distance[lane]);
    }
  } else {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const Word is_active = layout.active >> lane & 1;
      differs |= (slot[lane] ^ (base + distance[lane])) & (0 - is_active);
    }
  }
  return differs == 0;
}

/// Of 64 bits or of 32.
struct LayoutTests {
  bool (*wide)(const std::uint64_t*, const LaneLayout&);
  bool (*narrow)(const std::uint32_t*, const LaneLayout&);
};
#if defined(__x86_64__) && defined(__GNUC__)
#define SWEEP_LAYOUT_TEST(level, features)                                  \
  [[gnu::target(features)]] bool wide_##level(const std::uint64_t* slot,    \
                                              const LaneLayout& layout) {   \
    return lies_as(slot, layout);                                           \
  }                                                                         \
  [[gnu::target(features)]] bool narrow_##level(const std::uint32_t* slot,  \
                                                const LaneLayout& layout) { \
    return lies_as(slot, layout);                                           \
  }
SWEEP_LAYOUT_TEST(avx2, "avx2")
SWEEP_LAYOUT_TEST(avx512, "avx512f,avx512vl,avx512dq")
#undef SWEEP_LAYOUT_TEST
#endif

LayoutTests find_layout_tests() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (best_simd() == Simd::avx512) return {wide_avx512, narrow_avx512};
  if (best_simd() == Simd::avx2) return {wide_avx2, narrow_avx2};
#endif
  return {lies_as<std::uint64_t>, lies_as<std::uint32_t>};
}

const LayoutTests layout_tests = find_layout_tests();

bool test_layout(const std::uint64_t* slot, const LaneLayout& layout) {
  return layout_tests.wide(slot, layout);
}
bool test_layout(const std::uint32_t* slot, const LaneLayout& layout) {
  return layout_tests.narrow(slot, layout);
}

}  // namespace

bool LaneLayouts::has(const LaneLayout& layout, const std::byte* slot, bool is_64,
                      std::uint32_t active) {
  if (layout.active != active) return false;
  if (is_64) {
    const auto* const words = reinterpret_cast<const std::uint64_t*>(slot);
    const std::uint64_t distance = words[layout.last] - words[layout.first];
    return distance == layout.distance[layout.last] && test_layout(words, layout);
  }
  const auto* const words = reinterpret_cast<const std::uint32_t*>(slot);
  const std::uint32_t distance = words[layout.last] - words[layout.first];
  return distance == layout.narrow[layout.last] && test_layout(words, layout);
}

const LaneLayout* LaneLayouts::look_up(const std::byte* slot, bool is_64, std::uint32_t active) {
  if (is_64) return look_up(reinterpret_cast<const std::uint64_t*>(slot), active);
  return look_up(reinterpret_cast<const std::uint32_t*>(slot), active);
}

template <class Word>
const LaneLayout* LaneLayouts::look_up(const Word* slot, std::uint32_t active) {
  const unsigned first = lowest_lane(active);
  const auto last = static_cast<unsigned>(31 - std::countl_zero(active));
  const unsigned middle = (first + last) / 2;
  const Word base = slot[first];
  const Word inner = (active >> middle & 1) != 0 ? slot[middle] - base : 0;
  const Word outer = slot[last] - base;
  const std::uint64_t signature =
      ((std::uint64_t{outer} * 3 + inner) * 0x9e3779b97f4a7c15 ^ active) * 0xff51afd7ed558ccd | 1;
  const std::size_t index = signature >> 59;
  const LaneLayout* known = found_[index];
  if (known != nullptr && known->active == active && test_layout(slot, *known)) return known;
  if (std::exchange(seen_[index], signature) != signature) return nullptr;
  for (const auto& layout : all_) {
    if (layout->active != active || !test_layout(slot, *layout)) continue;
    return found_[index] = layout.get();
  }
  if (all_.size() == most) return nullptr;
  auto layout = std::make_unique<LaneLayout>();
  layout->active = active;
  layout->first = first;
  layout->last = last;
  layout->index = all_.size();
  for_each_lane(active, [&](unsigned lane) {
    const Word distance = slot[lane] - base;
    layout->distance[lane] = static_cast<std::uint64_t>(
        static_cast<std::int64_t>(static_cast<std::make_signed_t<Word>>(distance)));
    layout->narrow[lane] = static_cast<std::uint32_t>(distance);
  });
  all_.push_back(std::move(layout));
  return found_[index] = all_.back().get();
}

std::vector<ByteRange> byte_ranges(const LaneLayout& layout, std::uint64_t width) {
  std::vector<std::int64_t> begins;
  for_each_lane(layout.active, [&](unsigned lane) {
    begins.push_back(static_cast<std::int64_t>(layout.distance[lane]));
  });
  std::ranges::sort(begins);
  std::vector<ByteRange> ranges;
  for (const std::int64_t signed_begin : begins) {
    const auto begin = static_cast<std::uint64_t>(signed_begin);
    if (!ranges.empty() && begin - ranges.back().begin <= ranges.back().bytes) {
      ranges.back().bytes = begin + width - ranges.back().begin;
    } else {
      ranges.push_back({begin, width});
    }
  }
  return ranges;
}

std::vector<std::uint32_t> find_address_leaders(const Kernel& kernel) {
  std::vector<AluFunction> sums;
  for (const Simd simd : {Simd::baseline, Simd::avx2, Simd::avx512}) {
    for (const std::string_view type : {"u32", "u64"}) {
      sums.push_back(find_alu_operation(simd, "add", {&type, 1}).function);
    }
  }
  std::vector<bool> is_one_for_all(kernel.register_bytes / 4 + 1, false);
  for (const ConstantSlot& constant : kernel.constants) {
    if (!constant.varies_by_lane) is_one_for_all[constant.slot / 4] = true;
  }
  std::vector<std::uint32_t> leaders(kernel.memory.size());
  for (std::uint32_t i = 0; i < leaders.size(); ++i) leaders[i] = i;
  for (const BasicBlock& block : kernel.blocks) {
    // Registers whose lanes lie alike have a number in common; by that and the guard the leader.
    std::map<std::uint32_t, std::uint32_t> number_of;
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> leader_of;
    std::uint32_t numbers = 0;
    const auto number = [&](std::uint32_t slot) {
      const auto [known, is_new] = number_of.try_emplace(slot, numbers);
      numbers += is_new ? 1 : 0;
      return known->second;
    };
    for (std::uint32_t at = block.first_op; at < block.first_op + block.op_count; ++at) {
      const Op& op = kernel.ops[at];
      if (op.kind == OpKind::load || op.kind == OpKind::store) {
        const std::uint32_t guard = op.guard == none ? none : number(op.guard);
        const std::array<std::uint32_t, 3> key = {number(kernel.memory[op.detail].address.slot),
                                                  guard, op.is_guard_negated ? 1U : 0U};
        leaders[op.detail] = leader_of.try_emplace(key, op.detail).first->second;
      }
      std::uint32_t same = none;
      if (op.alu != nullptr && op.guard == none) {
        const auto& [d, d2, a, b, c, e] = op.operands;
        const bool is_sum = std::ranges::find(sums, op.alu) != sums.end();
        if (op.is_copy || (is_sum && is_one_for_all[b / 4])) same = number(a);
        if (is_sum && is_one_for_all[a / 4]) same = number(b);
      }
      for (const std::uint32_t slot : facts_of(kernel, op).writes) {
        number_of[slot] = same != none ? same : numbers++;
      }
    }
  }
  return leaders;
}

}  // namespace sweep
