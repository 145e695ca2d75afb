// Loads and stores whose addresses lie as they did before.

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/emulator/machine/block_run.h"

namespace sweep {
namespace {

/// Of the first lane's address the bits that decide what an access costs.
std::uint64_t period_of(const MemoryModel& model) {
  return model.compute_capability < 50 ? 256 : 128;
}

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
  sites_.resize(kernel_.memory.size());
  for (const Op& op : kernel_.ops) {
    if (op.kind > OpKind::store || op.alu != nullptr) continue;
    const MemoryOp& memory = kernel_.memory[op.detail];
    Site& site = sites_[op.detail];
    site.leader = launch_.address_leaders[op.detail];
    site.slot = memory.address.slot;
    site.is_64 = memory.address.is_64;
    if (site.leader == op.detail) site.layouts = std::make_unique<LaneLayouts>();
    site.is_load = op.kind == OpKind::load;
    site.is_shared = memory.space == ptx::Space::shared;
    site.is_counted = memory.is_counted;
    site.width_shift = static_cast<std::uint8_t>(std::countr_zero(memory.bytes()));
    site.offset = static_cast<std::uint64_t>(memory.address.offset);
    site.is_simple = memory.space != ptx::Space::local && !memory.is_transposed &&
                     !memory.is_of_cluster && !memory.moves_no_data &&
                     !(memory.is_volatile && launch_.has_polls());
  }
}

void AccessUnit::make_use(Site& site, const MemoryOp& memory, const LaneLayout& layout) const {
  if (site.uses.size() <= layout.index) site.uses.resize(layout.index + 1);
  auto& use = site.uses[layout.index];
  if (use == nullptr) {
    use = std::make_unique<LayoutUse>(memory, site.is_load, layout);
    use->hits.resize(period_of(launch_.model) >> site.width_shift);
  }
  site.used = &layout;
  site.use = use.get();
}

bool AccessUnit::access_as_before(Warp& warp, const Op& op, std::uint32_t lanes) {
  if (sites_.empty()) return false;
  Site& site = sites_[op.detail];
  const std::byte* const slot = warp.registers + site.slot;
  if (site.layouts != nullptr) site.current = site.layouts->find(slot, site.is_64, lanes);
  const LaneLayout* const layout = sites_[site.leader].current;
  if (layout == nullptr || !site.is_simple) return false;
  const MemoryOp& memory = kernel_.memory[op.detail];
  if (site.used != layout) make_use(site, memory, *layout);
  LayoutUse& use = *site.use;
  const std::uint64_t base =
      site.is_64 ? reinterpret_cast<const std::uint64_t*>(slot)[layout->first] + site.offset
                 : std::uint64_t{reinterpret_cast<const std::uint32_t*>(slot)[layout->first] +
                                 static_cast<std::uint32_t>(site.offset)};
  const std::uint64_t in_width = (std::uint64_t{1} << site.width_shift) - 1;
  if (!use.is_aligned || (base & in_width) != 0) return false;
  const std::uint64_t begin = base + use.low;
  std::byte* place = nullptr;
  if (site.is_shared) {
    if (!is_inside(begin, use.bytes, shared_bytes_)) return false;
    place = shared_.data() + base;
  } else {
    Allocation* const allocation = last_[op.detail];
    if (allocation == nullptr || !allocation->contains(begin, use.bytes)) return false;
    const bool is_free =
        allocation->is_plain() && (site.is_load || allocation->why_read_only.empty());
    if (!is_free && !prepare_as_before(*allocation, *layout, use, base - allocation->base, site)) {
      return false;
    }
    place = allocation->host + (base - allocation->base);
  }
  if (site.is_counted) {
    const auto at =
        static_cast<std::uint32_t>((base & (period_of(launch_.model) - 1)) >> site.width_shift);
    if (use.hits[at]++ == 0) {
      hits_.push_back({op.detail, static_cast<std::uint32_t>(layout->index), at});
    }
  }
  if (!site.is_load) {
    ++writes_;
    if (memory.space != ptx::Space::global) ++cluster_.shared_writes;
  }
  if (use.move_vector != nullptr) {
    use.move_vector(warp.registers, memory.values, place, *layout);
    return true;
  }
  const std::size_t size = ptx::bytes_of(memory.type);
  for (std::size_t i = 0; i < memory.values.size(); ++i) {
    use.move(warp.registers + memory.values[i], place + i * size, *layout);
  }
  return true;
}

/// What prepare does, for bytes from `base` on; false where there is more to it.
bool AccessUnit::prepare_as_before(Allocation& allocation, const LaneLayout& layout, LayoutUse& use,
                                   std::uint64_t base, const Site& site) const {
  const bool is_load = site.is_load;
  if (allocation.lazy != nullptr) return false;
  if (use.ranges.empty()) use.ranges = byte_ranges(layout, std::uint64_t{1} << site.width_shift);
  if (!is_load && !allocation.why_read_only.empty()) return false;
  if (is_load && !allocation.is_initialised) {
    if (allocation.written == nullptr || allocation.has_partial_updates) return false;
    for (const ByteRange& range : use.ranges) {
      if (!allocation.written->all(base + range.begin, range.bytes)) return false;
    }
  }
  for (const ByteRange& range : use.ranges) {
    if (allocation.meetings != nullptr) {
      allocation.meetings->note(block_index_, base + range.begin, range.bytes, !is_load);
    }
    if (!is_load && allocation.written != nullptr) {
      allocation.written->set(base + range.begin, range.bytes);
    }
  }
  return true;
}

void AccessUnit::count_hits() {
  for (const Hits& hits : hits_) {
    LayoutUse& use = *sites_[hits.site].uses[hits.layout];
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
  const LaneLayout* const layout = sites_[site.leader].layouts->at(hits.layout);
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
