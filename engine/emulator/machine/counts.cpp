// What the accesses of memory instructions cost.

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/emulator/machine/block_run.h"

namespace sweep {
namespace {

/// `access` has the addresses within a thread's local memory, which the lanes' memories interleave
/// word by word: does something with each row of words as addresses from the warp's on.
template <class Do>
void for_each_row(const WarpAccess& access, Do&& act) {
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
    act(words);
  }
}

/// What one request has added.
RequestCost cost_between(const SiteCount& before, const SiteCount& now) {
  RequestCost cost = {now.shared.wavefronts - before.shared.wavefronts,
                      now.shared.ideal - before.shared.ideal};
  for (const auto memory : {&SiteCount::global, &SiteCount::local}) {
    const GlobalCount& was = before.*memory;
    const GlobalCount& is = now.*memory;
    const std::uint64_t sectors = is.sectors - was.sectors;
    cost.cost += sectors;
    cost.ideal +=
        ideal_sectors(is.bytes_wanted - was.bytes_wanted, is.requests - was.requests, sectors);
  }
  return cost;
}

}  // namespace

LaunchCount& LaunchCount::operator+=(const LaunchCount& other) {
  if (sites.size() < other.sites.size()) sites.resize(other.sites.size());
  for (std::size_t i = 0; i < other.sites.size(); ++i) sites[i] += other.sites[i];
  WorkCount::operator+=(other);
  atomics += other.atomics;
  longest_block = std::max(longest_block, other.longest_block);
  add_shapes(other);
  return *this;
}

void LaunchCount::add_shapes(const LaunchCount& other) {
  if (shapes.size() < other.shapes.size()) shapes.resize(other.shapes.size());
  for (std::size_t i = 0; i < other.shapes.size(); ++i) shapes[i] += other.shapes[i];
}

void AccessUnit::note_shape(const WarpAccess& access, const Spread& spread,
                            const RequestCost& cost) {
  const std::size_t sites = kernel_.memory.size();
  visits_.resize(std::size_t{launch_.warps()} * sites);
  count_.shapes[op_->detail].note(access, spread, cost,
                                  visits_[warp_->index * sites + op_->detail]);
}

void AccessUnit::count_access(const WarpAccess& access, const Spread& spread, AccessKind kind,
                              ptx::Space space) {
  if (!launch_.is_kernel() || !memory_->is_counted) return;
  if (is_repeated_poll_ && op_->may_wait) return;
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
  SiteCount& site = count_.sites[op_->detail];
  const std::uint64_t sectors_before = site.global.sectors;
  if (launch_.only_tells_requests && !is_atomic(kind)) {
    // Nobody asks for the counts.
  } else if (launch_.notes_shapes) {
    const SiteCount before = site;
    add_count(access, spread, kind, space, site);
    note_shape(access, spread, cost_between(before, site));
  } else {
    add_count(access, spread, kind, space, site);
  }
  if (launch_.has_far_buffers && space == ptx::Space::global && access.active != 0) {
    // A request is of one buffer.
    const Allocation* buffer = launch_.memory->find(spread.low);
    if (buffer != nullptr && buffer->is_far) {
      site.global.far_sectors += site.global.sectors - sectors_before;
    }
  }
  if (space == ptx::Space::global && is_atomic(kind) && !launch_.only_tells_requests) {
    note_atomics(access, spread);
  }
  if (space == ptx::Space::global && launch_.on_request) {
    report_request(access, spread, kind, site.global.sectors - sectors_before);
  }
  if (space == ptx::Space::local && launch_.on_request) {
    const std::uint64_t begin = launch_.local_begin + warp_->index * local_bytes_of_warp(kernel_);
    for_each_row(access, [&](WarpAccess row) {
      for_each_lane(row.active, [&](unsigned lane) { row.address[lane] += begin; });
      report_request(row, spread_of(row.address.data(), row.active),
                     is_atomic(kind) ? AccessKind::store : kind, 0);
    });
  }
}

void AccessUnit::add_count(const WarpAccess& access, const Spread& spread, AccessKind kind,
                           ptx::Space space, SiteCount& site) {
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
  if (space == ptx::Space::global) add(global_counters_[op_->detail], site.global);
  if (space == ptx::Space::shared) add(shared_counters_[op_->detail], site.shared);
  if (space == ptx::Space::local) {
    for_each_row(access, [&](const WarpAccess& row) {
      site.local += count_global(launch_.model, row, is_atomic(kind) ? AccessKind::store : kind);
    });
  }
}

void AccessUnit::report_request(const WarpAccess& access, const Spread& spread, AccessKind kind,
                                std::uint64_t counted_sectors) const {
  const bool is_range =
      spread.is_affine && spread.delta == access.width && access.active == full_mask;
  const std::uint64_t range = std::uint64_t{access.width} * warp_size;
  if (is_range && spread.low % sector_bytes == 0 && range % sector_bytes == 0) {
    return report_range(spread.low / sector_bytes, range / sector_bytes, kind, counted_sectors);
  }
  struct Touched {
    std::uint64_t sector;
    std::uint32_t bytes;  ///< a bit for each of them
  };
  std::array<Touched, std::size_t{2} * warp_size> touched;  // NOLINT: as far as `end`
  auto end = touched.begin();
  for_each_lane(access.active, [&](unsigned lane) {
    const std::uint64_t address = access.address[lane];
    const std::uint64_t bytes = ((std::uint64_t{1} << access.width) - 1) << address % sector_bytes;
    *end++ = {address / sector_bytes, static_cast<std::uint32_t>(bytes)};
    if (bytes >> 32U != 0) {
      *end++ = {address / sector_bytes + 1, static_cast<std::uint32_t>(bytes >> 32U)};
    }
  });
  const auto is_before = [](const Touched& a, const Touched& b) { return a.sector < b.sector; };
  if (!std::is_sorted(touched.begin(), end, is_before)) std::sort(touched.begin(), end, is_before);
  std::array<std::uint64_t, touched.size()> whole;          // NOLINT: as far as their ends
  std::array<std::uint64_t, touched.size()> partial;        // NOLINT
  std::array<std::uint32_t, touched.size()> partial_bytes;  // NOLINT
  auto whole_end = whole.begin();
  std::size_t partial_count = 0;
  for (auto at = touched.begin(); at != end;) {
    const std::uint64_t sector = at->sector;
    std::uint32_t bytes = 0;
    for (; at != end && at->sector == sector; ++at) bytes |= at->bytes;
    if (kind == AccessKind::store && ~bytes != 0) {
      partial[partial_count] = sector;
      partial_bytes[partial_count++] = bytes;
    } else {
      *whole_end++ = sector;
    }
  }
  GlobalRequest request = {
      block_index_, warp_->index, kind, op_->detail, {whole.begin(), whole_end}};
  if (is_atomic(kind)) request.repeats = counted_sectors - request.sectors.size();
  if (!request.sectors.empty()) launch_.on_request(request);
  request.sectors = std::span(partial).first(partial_count);
  request.partial_bytes = std::span(partial_bytes).first(partial_count);
  if (!request.sectors.empty()) launch_.on_request(request);
}

void AccessUnit::note_atomics(const WarpAccess& access, const Spread& spread) {
  // A line takes so much longer for floats, as measured on an H100.
  const std::uint64_t passes_of_lane = ptx::is_floating(memory_->type) ? 2 : 1;
  if (spread.low == spread.high) {
    // One lane acts for all.
    const bool is_one = memory_->is_aggregated;
    const auto lanes = static_cast<unsigned>(std::popcount(access.active));
    return count_.atomics.add(spread.low, (is_one ? 1 : lanes) * passes_of_lane, block_index_);
  }
  std::array<std::uint64_t, warp_size> addresses;  // NOLINT: as far as `end`
  auto end = addresses.begin();
  for_each_lane(access.active, [&](unsigned lane) { *end++ = access.address[lane]; });
  std::sort(addresses.begin(), end);
  for (auto at = addresses.begin(); at != end;) {
    const std::uint64_t sector = *at / sector_bytes;
    std::ptrdiff_t passes = 0;
    while (at != end && *at / sector_bytes == sector) {
      const auto next = std::find_if(at, end, [&](std::uint64_t other) { return other != *at; });
      passes = std::max(passes, next - at);
      at = next;
    }
    count_.atomics.add(sector * sector_bytes, static_cast<std::uint64_t>(passes) * passes_of_lane,
                       block_index_);
  }
}

/// A request for whole sectors that lie side by side.
void AccessUnit::report_range(std::uint64_t first, std::uint64_t count, AccessKind kind,
                              std::uint64_t counted_sectors) const {
  std::array<std::uint64_t, std::size_t{2} * warp_size> sectors;  // NOLINT: as far as `count`
  std::iota(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count), first);
  GlobalRequest request = {block_index_, warp_->index, kind, op_->detail,
                           std::span(sectors).first(static_cast<std::size_t>(count))};
  if (is_atomic(kind)) request.repeats = counted_sectors - count;
  launch_.on_request(request);
}

}  // namespace sweep
