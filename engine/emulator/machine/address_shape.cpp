#include "engine/emulator/machine/address_shape.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "engine/emulator/count/access.h"

namespace sweep {
namespace {

constexpr std::uint32_t warp_lanes = 32;
constexpr std::uint64_t line_bytes = 128;

/// The active lanes' addresses, in the order of the lanes.
struct ActiveLanes {
  std::array<std::uint32_t, warp_lanes> lane{};
  std::array<std::uint64_t, warp_lanes> address{};
  unsigned count = 0;
};

ActiveLanes active_lanes(const WarpAccess& access) {
  ActiveLanes active;
  for (std::uint32_t rest = access.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    active.lane.at(active.count) = lane;
    active.address.at(active.count) = access.address.at(lane);
    ++active.count;
  }
  return active;
}

/// The step from lane to lane within groups of `group` lanes, where all groups have the same.
std::optional<std::int64_t> step_within(const ActiveLanes& active, std::uint32_t group) {
  std::optional<std::int64_t> delta;
  for (unsigned i = 1; i < active.count; ++i) {
    if (active.lane.at(i) / group != active.lane.at(i - 1) / group) continue;
    const auto lanes = static_cast<std::int64_t>(active.lane.at(i) - active.lane.at(i - 1));
    const auto bytes = static_cast<std::int64_t>(active.address.at(i) - active.address.at(i - 1));
    if (bytes % lanes != 0 || (delta && *delta != bytes / lanes)) return std::nullopt;
    delta = bytes / lanes;
  }
  return delta;
}

/// How far the groups' first lanes are apart, where that is constant; 0 else.
std::int64_t pitch_of(const ActiveLanes& active, std::uint32_t group) {
  std::optional<std::int64_t> pitch;
  std::optional<unsigned> last;
  for (unsigned i = 0; i < active.count; ++i) {
    if (active.lane.at(i) % group != 0) continue;
    if (last) {
      const auto bytes = static_cast<std::int64_t>(active.address.at(i) - active.address.at(*last));
      const bool is_next = active.lane.at(i) - active.lane.at(*last) == group;
      if (!is_next || (pitch && *pitch != bytes)) return 0;
      pitch = bytes;
    }
    last = i;
  }
  return pitch.value_or(0);
}

std::optional<LaneStep> step_of(const ActiveLanes& active) {
  for (const std::uint32_t group : {32U, 16U, 8U, 4U}) {
    const auto delta = step_within(active, group);
    if (delta) return LaneStep{*delta, group, group == warp_lanes ? 0 : pitch_of(active, group)};
  }
  return std::nullopt;
}

}  // namespace

void AddressShape::note(const WarpAccess& access) {
  const ActiveLanes active = active_lanes(access);
  if (active.count == 0) return;
  const auto begin = active.address.begin();
  const auto [least, greatest] = std::minmax_element(begin, begin + active.count);
  ++accesses;
  lanes += active.count;
  if (active.count < warp_lanes) ++partial;
  if (*least % sector_bytes != 0) ++off_sector;
  if (*least % line_bytes != 0) ++off_line;
  low = std::min(low, *least);
  high = std::max(high, *greatest + access.width - 1);
  if (*least == *greatest) {
    ++uniform;
  } else if (const auto step = step_of(active)) {
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
  accesses += other.accesses;
  uniform += other.uniform;
  stepped += other.stepped;
  scattered += other.scattered;
  for (const StepCount& count : other.steps) {
    if (count.accesses != 0) add_step(count.step, count.accesses);
  }
  off_sector += other.off_sector;
  off_line += other.off_line;
  partial += other.partial;
  lanes += other.lanes;
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  return *this;
}

const AddressShape::StepCount& AddressShape::usual_step() const {
  return *std::ranges::max_element(steps, {}, &StepCount::accesses);
}

}  // namespace sweep
