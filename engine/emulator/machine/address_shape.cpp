#include "engine/emulator/machine/address_shape.h"

#include <bit>
#include <optional>
#include <utility>

#include "engine/emulator/machine/launch.h"

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

}  // namespace

void AddressShape::note(const WarpAccess& access, const Spread& spread, const RequestCost& cost,
                        WarpVisits& warp) {
  const std::uint64_t least = spread.low;
  const std::uint64_t greatest = spread.high;
  ++accesses;
  lanes += static_cast<unsigned>(std::popcount(access.active));
  if (~access.active != 0) ++partial;
  if (least % sector_bytes != 0) ++off_sector;
  if (least % line_bytes != 0) ++off_line;
  low = std::min(low, least);
  high = std::max(high, greatest + access.width - 1);
  if (least == greatest) {
    ++uniform;
    uniform_excess += cost.excess();
  } else if (const auto step = spread.is_affine ? LaneStep{spread.delta} : step_of(access)) {
    ++stepped;
    stepped_excess += cost.excess();
    add_step({*step, 1, cost.excess()});
  } else {
    ++scattered;
    scattered_excess += cost.excess();
  }
  const unsigned first = lowest_lane(access.active);
  const std::uint64_t address = access.address.at(first);
  if (warp.lane == first) {
    ++repeated;
    const std::uint64_t way = std::max(address, warp.address) - std::min(address, warp.address);
    if (way != 0 && way <= sector_bytes) ++onward;
  }
  warp.lane = first;
  warp.address = address;
  const std::size_t number = std::min<std::size_t>(warp.count++, most_visits - 1);
  if (visits.size() <= number) visits.resize(number + 1);
  ++visits[number].requests;
  visits[number].cost += cost.cost;
}

void AddressShape::add_step(const StepCount& more) {
  for (StepCount& known : steps) {
    if (known.accesses != 0 && known.step != more.step) continue;
    known.step = more.step;
    known.accesses += more.accesses;
    known.excess += more.excess;
    return;
  }
}

AddressShape& AddressShape::operator+=(const AddressShape& other) {
  add_figures(*this, other);
  for (const StepCount& count : other.steps) {
    if (count.accesses != 0) add_step(count);
  }
  if (visits.size() < other.visits.size()) visits.resize(other.visits.size());
  for (std::size_t i = 0; i < other.visits.size(); ++i) {
    visits[i].requests += other.visits[i].requests;
    visits[i].cost += other.visits[i].cost;
  }
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  return *this;
}

const AddressShape::StepCount& AddressShape::usual_step() const {
  return *std::ranges::max_element(
      steps, {}, [](const StepCount& step) { return std::pair(step.excess, step.accesses); });
}

}  // namespace sweep
