// Loads and stores whose addresses lie as they did before.

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/emulator/machine/block_run.h"

namespace sweep {
namespace {

template <class Count>
void add_times(Count& total, const Count& one, std::uint64_t times) {
  for (const auto figure : Count::figures) total.*figure += one.*figure * times;
}

}  // namespace

void AccessUnit::prepare_sites() {
  const bool is_seen = launch_.on_request || launch_.only_tells_requests || launch_.notes_shapes ||
                       launch_.has_far_buffers || launch_.checks_kernel ||
                       launch_.races != nullptr || launch_.fills != nullptr ||
                       launch_.retires_stale_readers;
  if (is_seen || !launch_.is_kernel() || launch_.cluster.count() > 1) return;
  in_period_ = launch_.model.compute_capability < 50 ? 255 : 127;
  sites_.resize(kernel_.memory.size());
  layouts_.resize(sites_.size());
  uses_.resize(sites_.size());
  for (const Op& op : kernel_.ops) {
    if (op.kind != OpKind::load && op.kind != OpKind::store) continue;
    const MemoryOp& memory = kernel_.memory[op.detail];
    Site& site = sites_[op.detail];
    site.leader = launch_.address_leaders[op.detail];
    site.is_leader = site.leader == op.detail;
    if (site.is_leader) uses_[op.detail].layouts = std::make_unique<LaneLayouts>();
    site.slot = memory.address.slot;
    site.is_64 = memory.address.is_64;
    site.is_load = op.kind == OpKind::load;
    site.is_shared = memory.space == ptx::Space::shared;
    site.is_global = memory.space == ptx::Space::global;
    site.is_counted = memory.is_counted;
    site.width_shift = static_cast<std::uint8_t>(std::countr_zero(memory.bytes()));
    site.offset = static_cast<std::int32_t>(memory.address.offset);
    if (memory.values.size() == 1) site.value = memory.values.front();
    site.is_simple = memory.space != ptx::Space::local && !memory.is_transposed &&
                     !memory.is_of_cluster && !memory.moves_no_data &&
                     !(memory.is_volatile && launch_.has_polls()) &&
                     site.offset == memory.address.offset;
  }
}

/// What follows from another layout than the last one.
void AccessUnit::take_layout(std::uint32_t number, const LaneLayout& layout) {
  Site& site = sites_[number];
  SiteUses& uses = uses_[number];
  note_hits(number);
  if (uses.uses.size() <= layout.index) uses.uses.resize(layout.index + 1);
  auto& use = uses.uses[layout.index];
  if (use == nullptr) {
    use = std::make_unique<LayoutUse>(kernel_.memory[number], bool{site.is_load}, layout);
    use->hits.resize((in_period_ >> site.width_shift) + 1);
  }
  uses.last = use.get();
  site.layout = &layout;
  site.first = site.slot + layout.first * (site.is_64 ? 8 : 4);
  site.is_usable = use->is_usable;
  site.low = use->low;
  site.bytes = use->bytes;
  site.move = use->move;
}

bool AccessUnit::access_as_before(Warp& warp, std::uint32_t number, std::uint32_t lanes) {
  if (sites_.empty()) return false;
  Site& site = sites_[number];
  std::byte* const registers = warp.registers;
  if (site.is_leader) {
    layouts_[number] = uses_[number].layouts->find(registers + site.slot, site.is_64, lanes);
  }
  const LaneLayout* const layout = layouts_[site.leader];
  if (layout == nullptr || !site.is_simple) return false;
  if (site.layout != layout) take_layout(number, *layout);
  std::uint64_t base = 0;
  if (site.is_64) {
    base = *reinterpret_cast<const std::uint64_t*>(registers + site.first) +
           static_cast<std::uint64_t>(std::int64_t{site.offset});
  } else {
    base = *reinterpret_cast<const std::uint32_t*>(registers + site.first) +
           static_cast<std::uint32_t>(site.offset);
  }
  if (!site.is_usable || (base & ~(~std::uint64_t{0} << site.width_shift)) != 0) return false;
  const std::uint64_t begin = base + site.low;
  std::byte* memory = nullptr;
  if (site.is_shared) {
    if (!is_inside(begin, site.bytes, shared_bytes_)) return false;
    memory = shared_.data() + base;
  } else {
    Allocation* const allocation = last_[number];
    if (allocation == nullptr || !allocation->contains(begin, site.bytes)) return false;
    const bool is_free =
        allocation->is_plain() && (site.is_load || allocation->why_read_only.empty());
    if (!is_free && !prepare_as_before(*allocation, number, base - allocation->base)) return false;
    memory = allocation->host + (base - allocation->base);
  }
  if (site.is_counted) {
    const auto place = static_cast<std::uint32_t>((base & in_period_) >> site.width_shift);
    if (site.place != place) note_hits(number);
    site.place = place;
    ++site.times;
  }
  if (!site.is_load) {
    ++writes_;
    if (!site.is_global) ++cluster_.shared_writes;
  }
  if (site.value != none) {
    site.move(registers + site.value, memory, *layout);
    return true;
  }
  const MemoryOp& op = kernel_.memory[number];
  const LayoutUse& use = *uses_[number].last;
  if (use.move_vector != nullptr) {
    use.move_vector(registers, op.values, memory, *layout);
    return true;
  }
  for (std::size_t i = 0; i < op.values.size(); ++i) {
    use.move(registers + op.values[i], memory + i * ptx::bytes_of(op.type), *layout);
  }
  return true;
}

/// What prepare does, for bytes from `base` on; false where there is more to it.
bool AccessUnit::prepare_as_before(Allocation& allocation, std::uint32_t number,
                                   std::uint64_t base) {
  const Site& site = sites_[number];
  if (allocation.lazy != nullptr) return false;
  if (!site.is_load && !allocation.why_read_only.empty()) return false;
  std::vector<ByteRange>& ranges = uses_[number].last->ranges;
  if (ranges.empty()) ranges = byte_ranges(*site.layout, std::uint64_t{1} << site.width_shift);
  if (site.is_load && !allocation.is_initialised) {
    if (allocation.written == nullptr || allocation.has_partial_updates) return false;
    for (const auto& [begin, bytes] : ranges) {
      if (!allocation.written->all(base + begin, bytes)) return false;
    }
  }
  for (const auto& [begin, bytes] : ranges) {
    if (allocation.meetings != nullptr) {
      allocation.meetings->note(block_index_, base + begin, bytes, !site.is_load);
    }
    if (!site.is_load && allocation.written != nullptr) {
      allocation.written->set(base + begin, bytes);
    }
  }
  return true;
}

/// Those of a site's last place.
void AccessUnit::note_hits(std::uint32_t number) {
  Site& site = sites_[number];
  if (site.times == 0) return;
  std::uint64_t& hits = uses_[number].last->hits[site.place];
  if (hits == 0) {
    hits_.push_back({number, static_cast<std::uint32_t>(site.layout->index), site.place});
  }
  hits += std::exchange(site.times, 0);
}

void AccessUnit::count_hits() {
  for (std::uint32_t i = 0; i < sites_.size(); ++i) note_hits(i);
  for (const Hits& hits : hits_) {
    LayoutUse& use = *uses_[hits.site].uses[hits.layout];
    auto cost = std::ranges::find(use.costs, hits.place, &LayoutUse::Cost::place);
    if (cost == use.costs.end()) cost = use.costs.insert(cost, cost_of(hits));
    const std::uint64_t times = std::exchange(use.hits[hits.place], 0);
    SiteCount& site = count_.sites[hits.site];
    if (sites_[hits.site].is_shared) {
      add_times(site.shared, cost->shared, times);
    } else {
      add_times(site.global, cost->global, times);
    }
  }
  hits_.clear();
}

LayoutUse::Cost AccessUnit::cost_of(const Hits& hits) const {
  const Site& site = sites_[hits.site];
  const MemoryOp& memory = kernel_.memory[hits.site];
  const LaneLayout* const layout = uses_[site.leader].layouts->at(hits.layout);
  // Far from 0, so that lower addresses do not wrap around.
  const std::uint64_t base =
      (std::uint64_t{1} << 62) + (std::uint64_t{hits.place} << site.width_shift);
  WarpAccess access;
  access.active = layout->active;
  access.width = memory.issued_bytes != 0 ? memory.issued_bytes : memory.bytes();
  for_each_lane(layout->active, [&](unsigned lane) {
    access.address[lane] = base + layout->distance[lane];
    if (memory.issued_bytes == 0) return;
    access.address[lane] =
        (access.address[lane] + memory.issued_offset) & ~std::uint64_t{access.width - 1U};
  });
  const AccessKind kind = site.is_load ? AccessKind::load : AccessKind::store;
  LayoutUse::Cost cost = {hits.place, {}, {}};
  if (site.is_shared) {
    add_access(launch_.model, access, kind, cost.shared);
  } else {
    add_access(launch_.model, access, kind, cost.global);
  }
  return cost;
}

}  // namespace sweep
