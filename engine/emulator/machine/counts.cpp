// What the accesses of memory instructions cost, and how their addresses lie.

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "engine/emulator/machine/block_run.h"

namespace sweep {
namespace {

constexpr std::uint64_t line_bytes = 128;

/// Calls `work(lane, later, bytes)` for the active lanes, each with the next one and how far their
/// addresses are apart, as long as it gives true; whether it always did.
template <class Work>
bool for_neighbours(const WarpAccess& access, std::uint32_t lanes, const Work& work) {
  for (std::uint32_t rest = access.active & lanes; (rest & (rest - 1)) != 0; rest &= rest - 1) {
    const unsigned lane = lowest_lane(rest);
    const unsigned later = lowest_lane(rest & (rest - 1));
    const auto bytes =
        static_cast<std::int64_t>(access.address.at(later) - access.address.at(lane));
    if (!work(lane, later, bytes)) return false;
  }
  return true;
}

/// The step from lane to lane within groups of `group` lanes, where all groups have the same.
std::optional<std::int64_t> step_within(const WarpAccess& access, unsigned group) {
  std::optional<std::int64_t> delta;
  const bool is_same =
      for_neighbours(access, full_mask, [&](unsigned lane, unsigned later, std::int64_t bytes) {
        if (lane / group != later / group) return true;
        const std::int64_t step = bytes / (later - lane);
        if (step * (later - lane) != bytes) return false;
        return std::exchange(delta, step).value_or(step) == step;
      });
  return is_same ? delta : std::nullopt;
}

/// How far the groups' first lanes are apart, where that is constant; 0 else.
std::int64_t pitch_of(const WarpAccess& access, unsigned group) {
  std::uint32_t firsts = 0;
  for (unsigned lane = 0; lane < warp_size; lane += group) firsts |= bit_of(lane);
  std::optional<std::int64_t> pitch;
  const bool is_same =
      for_neighbours(access, firsts, [&](unsigned lane, unsigned later, std::int64_t bytes) {
        return later - lane == group && std::exchange(pitch, bytes).value_or(bytes) == bytes;
      });
  return is_same ? pitch.value_or(0) : 0;
}

std::optional<LaneStep> step_of(const WarpAccess& access) {
  for (const unsigned group : {32U, 16U, 8U, 4U}) {
    const auto delta = step_within(access, group);
    if (delta) return LaneStep{*delta, group, group == warp_size ? 0 : pitch_of(access, group)};
  }
  return std::nullopt;
}

/// `access` has the addresses within a thread's local memory, which the lanes' memories interleave
/// word by word.
void count_local(const MemoryModel& model, const WarpAccess& access, AccessKind kind,
                 GlobalCount& total) {
  constexpr std::uint64_t word = 4;
  WarpAccess words = access;
  words.width = std::min<std::uint32_t>(access.width, word);
  // Each word of a wide access lies in the lane's column of a row of its own, and L1 counts it as
  // a request (measured on 9.0).
  for (std::uint64_t part = 0; part < access.width; part += word) {
    for_each_lane(access.active, [&](unsigned lane) {
      const std::uint64_t offset = access.address[lane] + part;
      words.address[lane] = offset / word * word * warp_size + lane * word + offset % word;
    });
    total += count_global(model, words, kind);
  }
}

}  // namespace

void AddressShape::note(const WarpAccess& access) {
  if (access.active == 0) return;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t greatest = 0;
  for_each_lane(access.active, [&](unsigned lane) {
    least = std::min(least, access.address.at(lane));
    greatest = std::max(greatest, access.address.at(lane));
  });
  ++accesses;
  lanes += static_cast<unsigned>(std::popcount(access.active));
  if (~access.active != 0) ++partial;
  if (least % sector_bytes != 0) ++off_sector;
  if (least % line_bytes != 0) ++off_line;
  low = std::min(low, least);
  high = std::max(high, greatest + access.width - 1);
  if (least == greatest) {
    ++uniform;
  } else if (const auto step = step_of(access)) {
    ++stepped;
    add_step(*step, 1);
  } else {
    ++scattered;
  }
}

void AddressShape::add_step(const LaneStep& step, std::uint64_t count) {
  for (StepCount& known : steps) {
    if (known.accesses != 0 && known.step != step) continue;
    known.step = step;
    known.accesses += count;
    return;
  }
}

AddressShape& AddressShape::operator+=(const AddressShape& other) {
  add_figures(*this, other);
  for (const StepCount& count : other.steps) {
    if (count.accesses != 0) add_step(count.step, count.accesses);
  }
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  return *this;
}

const AddressShape::StepCount& AddressShape::usual_step() const {
  return *std::ranges::max_element(steps, {}, &StepCount::accesses);
}

LaunchCount& LaunchCount::operator+=(const LaunchCount& other) {
  if (sites.size() < other.sites.size()) sites.resize(other.sites.size());
  for (std::size_t i = 0; i < other.sites.size(); ++i) sites[i] += other.sites[i];
  warp_instructions += other.warp_instructions;
  thread_instructions += other.thread_instructions;
  float_operations += other.float_operations;
  add_shapes(other);
  return *this;
}

void LaunchCount::add_shapes(const LaunchCount& other) {
  if (shapes.size() < other.shapes.size()) shapes.resize(other.shapes.size());
  for (std::size_t i = 0; i < other.shapes.size(); ++i) shapes[i] += other.shapes[i];
}

void AccessUnit::count_access(const WarpAccess& access, const Spread& spread, AccessKind kind,
                              ptx::Space space) {
  if (!launch_.is_kernel() || !memory_->is_counted) return;
  if (memory_->issued_bytes == 0) return count_issued(access, spread, kind, space);
  WarpAccess issued = access;
  issued.width = memory_->issued_bytes;
  // The hardware has no access that is not aligned to its width.
  for (std::uint64_t& address : issued.address) {
    address = (address + memory_->issued_offset) & ~std::uint64_t{issued.width - 1U};
  }
  count_issued(issued, spread_of(issued.address.data(), issued.active), kind, space);
}

void AccessUnit::count_issued(const WarpAccess& access, const Spread& spread, AccessKind kind,
                              ptx::Space space) {
  const auto add = [&]<class Count>(std::unique_ptr<AccessCounter<Count>>& counter, Count& total) {
    if (counter == nullptr) {
      counter = std::make_unique<AccessCounter<Count>>(launch_.model, kind);
    }
    if (memory_->is_aggregated && spread.low == spread.high) {
      // One lane acts for all. Lanes that left a loop in different rounds may come to an address
      // that the compiler sees to be one with several.
      counter->add_affine(spread.low, 0, access.width, total, bit_of(lowest_lane(access.active)));
    } else if (spread.is_affine) {
      counter->add_affine(spread.base, spread.delta, access.width, total, access.active);
    } else {
      counter->add(access, total);
    }
  };
  SiteCount& site = count_.sites[op_->detail];
  if (space == ptx::Space::global) add(global_counters_[op_->detail], site.global);
  if (space == ptx::Space::shared) add(shared_counters_[op_->detail], site.shared);
  if (space == ptx::Space::local) {
    count_local(launch_.model, access, is_atomic(kind) ? AccessKind::store : kind, site.local);
  }
  if (launch_.notes_shapes) count_.shapes[op_->detail].note(access);
  if (space != ptx::Space::global || !launch_.on_access) return;
  std::array<std::uint64_t, std::size_t{2} * warp_size> sectors{};
  auto end = sectors.begin();
  for_each_lane(access.active, [&](unsigned lane) {
    const std::uint64_t first = access.address[lane] / sector_bytes;
    const std::uint64_t last = (access.address[lane] + access.width - 1) / sector_bytes;
    for (std::uint64_t at = first; at <= last && end != sectors.end(); ++at) *end++ = at;
  });
  std::sort(sectors.begin(), end);
  end = std::unique(sectors.begin(), end);
  launch_.on_access(kind, static_cast<std::uint32_t>(block_index_ % launch_.multiprocessors),
                    {sectors.begin(), end}, memory_->policy);
}

}  // namespace sweep
