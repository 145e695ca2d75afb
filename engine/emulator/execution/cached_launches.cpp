#include "engine/emulator/execution/cached_launches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

RequestKind request_kind(const GlobalRequest& request, CachePolicy policy) {
  if (is_atomic(request.kind)) return RequestKind::atomic;
  if (!request.partial_bytes.empty()) return RequestKind::partial_store;
  if (request.kind == AccessKind::store) return RequestKind::store;
  if (policy == CachePolicy::prefetch) return RequestKind::prefetch;
  return policy == CachePolicy::level_2_only ? RequestKind::bypassing_load : RequestKind::load;
}

constexpr auto all_sent =
    std::to_array({&SentSectors::loads, &SentSectors::stores, &SentSectors::atomics});

/// 0 where there is nothing to divide by.
double ratio_of(std::uint64_t value, std::uint64_t base) {
  return base != 0 ? static_cast<double>(value) / static_cast<double>(base) : 0;
}

template <class Counts, class Figures>
Counts scaled(Counts counts, const Figures& figures, std::uint64_t times, std::uint64_t over) {
  const double factor = ratio_of(times, over);
  for (const auto figure : figures) {
    counts.*figure =
        static_cast<std::uint64_t>(std::llround(factor * static_cast<double>(counts.*figure)));
  }
  return counts;
}

}  // namespace

CacheProgress& CacheProgress::operator-=(const CacheProgress& other) {
  for (const auto figure : all_sent) sent.*figure -= other.sent.*figure;
  count -= other.count;
  return *this;
}

CacheCount CacheProgress::extrapolated(const CacheProgress& rate, const SentSectors& whole) const {
  SentSectors left = whole;
  for (const auto figure : all_sent) left.*figure -= std::min(left.*figure, sent.*figure);
  const SentSectors& part = rate.sent;
  const double loads = ratio_of(left.loads, part.loads);
  const double stores = ratio_of(left.stores, part.stores);
  const double atomics = ratio_of(left.atomics, part.atomics);
  const double reads = ratio_of(left.loads + left.atomics, part.loads + part.atomics);
  const double writes = ratio_of(left.stores + left.atomics, part.stores + part.atomics);
  CacheCount result = count;
  const auto add = [&](std::uint64_t CacheCount::*figure, double times) {
    result.*figure += static_cast<std::uint64_t>(times * static_cast<double>(rate.count.*figure));
  };
  add(&CacheCount::l1_load_sectors, loads);
  add(&CacheCount::l1_load_hits, loads);
  add(&CacheCount::l2_read_sectors, loads);
  add(&CacheCount::l2_read_hits, loads);
  add(&CacheCount::l2_write_sectors, stores);
  add(&CacheCount::dram_fill_bytes, stores);
  add(&CacheCount::l2_atomic_sectors, atomics);
  add(&CacheCount::l2_atomic_hits, atomics);
  add(&CacheCount::dram_read_bytes, reads);
  add(&CacheCount::dram_write_bytes, writes);
  add(&CacheCount::dram_write_lines, writes);
  add(&CacheCount::dram_read_regions, reads);
  add(&CacheCount::dram_write_regions, writes);
  // Where a part is too short to come to a block's stores, each of them is taken for one that goes
  // to a place of its own.
  if (part.stores == 0) result.l2_write_sectors += left.stores;
  if (part.stores + part.atomics == 0) {
    result.dram_write_bytes += left.stores * sector_bytes;
    result.dram_write_lines += left.stores * sector_bytes / CacheCount::line_bytes;
    result.dram_write_regions += left.stores * sector_bytes / CacheCount::region_bytes;
  }
  return result;
}

bool have_same_rates(const CacheProgress& a, const CacheProgress& b) {
  constexpr double tolerance = 0.01;
  const auto rates = [](const CacheProgress& of) {
    const auto& [sent, count] = of;
    return std::array{
        ratio_of(count.l1_load_hits, sent.loads),
        // Few reads that miss in L1 have no rate of their own.
        ratio_of(count.l2_read_hits, std::max(count.l2_read_sectors, sent.loads / 100)),
        ratio_of(count.l2_read_sectors, sent.loads), ratio_of(count.l2_write_sectors, sent.stores),
        ratio_of(count.l2_atomic_hits, sent.atomics),
        ratio_of(count.dram_read_bytes, (sent.loads + sent.atomics) * sector_bytes),
        ratio_of(count.dram_write_bytes, (sent.stores + sent.atomics) * sector_bytes)};
  };
  return std::ranges::equal(rates(a), rates(b), [&](double one, double other) {
    return std::abs(one - other) <= tolerance;
  });
}

SentSectors sent_sectors(const Kernel& kernel, const LaunchCount& count) {
  SentSectors sent;
  for (const Op& op : kernel.ops) {
    const bool is_load =
        op.kind == OpKind::load || op.kind == OpKind::async_copy || op.kind == OpKind::texture;
    const SiteCount& site = count.sites[op.detail];
    if (is_load) sent.loads += site.global.sectors + site.local.sectors;
    if (op.kind == OpKind::store) sent.stores += site.global.sectors + site.local.sectors;
    if (op.kind == OpKind::atomic) sent.atomics += site.global.sectors;
  }
  return sent;
}

std::vector<bool> find_waits(const Kernel& kernel) {
  std::vector<bool> waits(kernel.memory.size());
  std::unordered_set<std::uint32_t> loaded;  // slots, and those computed from them
  for (const BasicBlock& block : kernel.blocks) {
    loaded.clear();
    bool is_first = true;
    std::uint32_t waited_at = 0;  // the place in the machine code of what waited last
    for (std::uint32_t at = block.first_op; at < block.first_op + block.op_count; ++at) {
      const Op& op = kernel.ops[at];
      const OpFacts facts = facts_of(kernel, op);
      bool uses_loaded = std::ranges::any_of(
          facts.reads, [&](std::uint32_t slot) { return loaded.contains(slot); });
      const bool is_access = op.kind == OpKind::load || op.kind == OpKind::store ||
                             op.kind == OpKind::atomic || op.kind == OpKind::async_copy ||
                             op.kind == OpKind::texture;
      bool is_loaded = uses_loaded;
      if (is_access) {
        const MemoryOp& memory = kernel.memory[op.detail];
        const bool is_cached = op.kind == OpKind::texture || memory.space == ptx::Space::global ||
                               memory.space == ptx::Space::local ||
                               memory.space == ptx::Space::generic;
        if (is_cached && memory.is_counted) {
          waits[op.detail] = is_first || uses_loaded;
          is_first = false;
          if (waits[op.detail]) {
            loaded.clear();
            if (memory.issue_order != none) waited_at = memory.issue_order;
          }
          is_loaded = memory.issue_order >= waited_at;
        }
      }
      for (const std::uint32_t slot : facts.writes) {
        if (is_loaded) {
          loaded.insert(slot);
        } else {
          loaded.erase(slot);
        }
      }
    }
  }
  return waits;
}

/// What the warps of the blocks under way have asked for so far.
class RequestsByBlock {
 public:
  explicit RequestsByBlock(std::uint32_t warps) : warps_(warps) {}

  RequestLog& of(std::uint64_t block, std::uint32_t warp) {
    if (last_ == nullptr || block != last_block_) {
      last_ = &blocks_.try_emplace(block, warps_).first->second;
      last_block_ = block;
    }
    return (*last_)[warp];
  }
  BlockRequests take(std::uint64_t block) {
    last_ = nullptr;
    auto node = blocks_.extract(block);
    return node ? std::move(node.mapped()) : BlockRequests{};
  }

 private:
  std::uint32_t warps_;
  std::unordered_map<std::uint64_t, BlockRequests> blocks_;
  BlockRequests* last_ = nullptr;
  std::uint64_t last_block_ = 0;
};

/// Takes down what the blocks of a launch ask for, and sends it through the caches.
class CachedLaunches::Follower {
 public:
  /// What is executed is `launch`, whose memory ops are those of `kernel`.
  Follower(CachedLaunches& owner, const Launch& launch, const Kernel& kernel,
           std::uint64_t resident_blocks, std::uint64_t shared_bytes)
      : owner_(owner),
        launch_(launch),
        kernel_(kernel),
        waits_(find_waits(kernel)),
        blocks_of_each_(static_cast<unsigned>(resident_blocks / launch.multiprocessors)),
        local_bytes_(local_bytes_of_warp(kernel) * launch.warps()),
        resident_(owner.caches_, owner.profile_.multiprocessors, blocks_of_each_,
                  launch.grid.count(), local_bytes_),
        requests_(launch.warps()) {
    const std::uint64_t l1_bytes = l1_bytes_beside(owner.profile_, blocks_of_each_, shared_bytes);
    if (owner.is_unknown_) owner.hold();
    owner.caches_.begin_launch(l1_bytes);
    if (owner.keeps_requests_) owner.kept_.push_back({l1_bytes, blocks_of_each_, local_bytes_});
    begin_ = owner.caches_.count_at_end();
  }

  void note(const GlobalRequest& request) {
    if (is_cut()) return;
    const CachePolicy policy = kernel_.memory[request.memory_op].policy;
    // As ResidentBlocks counts what it sends.
    if (policy != CachePolicy::prefetch) noted_ += request.sectors.size() + request.repeats;
    requests_.of(request.block, request.warp)
        .add(request_kind(request, policy), waits_[request.memory_op], request.sectors,
             request.partial_bytes, request.repeats);
  }
  /// The requests of a cluster's blocks are sent, as far as there is room.
  void send(std::uint64_t cluster) {
    for (std::uint32_t rank = 0; rank < launch_.cluster.count(); ++rank) {
      BlockRequests block = requests_.take(launch_.block_of(cluster, rank));
      if (owner_.keeps_requests_) owner_.keep(block);
      resident_.add(std::move(block));
    }
  }
  ResidentBlocks& resident() { return resident_; }
  /// Whether there was more than is looked at.
  bool is_cut() const { return noted_ >= owner_.limits_.most_sectors; }
  std::uint64_t noted() const { return noted_; }
  /// Since the launch began.
  CacheProgress progress() const {
    CacheProgress progress = {resident_.sent(), owner_.caches_.count_at_end()};
    progress.count -= begin_;
    return progress;
  }

 private:
  CachedLaunches& owner_;
  const Launch& launch_;
  const Kernel& kernel_;
  std::vector<bool> waits_;
  unsigned blocks_of_each_;
  std::uint64_t local_bytes_;  ///< of a block
  ResidentBlocks resident_;
  RequestsByBlock requests_;
  std::uint64_t noted_ = 0;
  CacheCount begin_;
};

CachedLaunches::CachedLaunches(const DeviceProfile& profile, CacheState state,
                               std::vector<Allocation*> buffers, const CacheLimits& limits)
    : profile_(profile),
      buffers_(std::move(buffers)),
      limits_(limits),
      caches_(profile),
      keeps_requests_(state == CacheState::warm) {
  if (state == CacheState::warm) hold();
}

/// L2 has of the buffers what there is room for. What fits into each of its parts has been read
/// there by the launches before: which block was where changes from one to the next.
void CachedLaunches::hold() {
  caches_ = CacheModel(profile_);
  is_unknown_ = false;
  // What was written last, from the last buffer on: it is what fits.
  std::uint64_t room = profile_.l2_bytes;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
  for (auto buffer = buffers_.rbegin(); buffer != buffers_.rend() && room > 0; ++buffer) {
    const std::uint64_t bytes = std::min((*buffer)->bytes, room);
    const std::uint64_t end = (*buffer)->base + (*buffer)->bytes;
    parts.emplace_back(end - bytes, end);
    room -= bytes;
  }
  const std::uint64_t held = profile_.l2_bytes - room;
  const bool fits_each_part = held * profile_.l2_parts <= profile_.l2_bytes;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    caches_.prefill(part->first / sector_bytes, (part->second + sector_bytes - 1) / sector_bytes,
                    fits_each_part);
  }
}

void CachedLaunches::keep(const BlockRequests& requests) {
  constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20U;
  for (const RequestLog& log : requests) kept_bytes_ += log.bytes();
  keeps_requests_ = kept_bytes_ <= most_bytes;
  if (keeps_requests_) return kept_.back().blocks.push_back(requests);
  kept_.clear();
}

/// Of a launch that was followed up to `last`, the last part of which was `rate`.
void CachedLaunches::extrapolate(const CacheProgress& last, const CacheProgress& rate,
                                 const SentSectors& whole) {
  is_extrapolated_ = true;
  keeps_requests_ = false;
  sum_ += last.extrapolated(rate, whole);
  is_unknown_ = true;
}

GridResult CachedLaunches::run(Launch launch, GridOptions options, std::uint64_t shared_bytes) {
  Follower follower(*this, launch, *launch.kernel, options.resident_blocks, shared_bytes);
  launch.on_request = [&](const GlobalRequest& request) { follower.note(request); };
  launch.local_begin = local_sectors * sector_bytes;
  // The counts when there had been half as many blocks or more, and up to half as many, with the
  // number of these blocks.
  std::pair<CacheCount, std::uint64_t> early;
  std::pair<CacheCount, std::uint64_t> earlier;
  std::uint64_t blocks = 0;
  std::uint64_t next = 2 * options.resident_blocks;
  std::optional<CacheProgress> half;
  const std::uint64_t half_sectors = limits_.most_sectors / 2;
  options.on_end = [&](std::uint64_t cluster) {
    blocks += launch.cluster.count();
    if (blocks >= next) {
      earlier = std::exchange(early, {caches_.count(), blocks});
      next = 2 * blocks;
    }
    follower.send(cluster);
    if (!half && follower.resident().sent().all() >= half_sectors) half = follower.progress();
  };
  const bool follows_all = limits_.most_sectors == CacheLimits{}.most_sectors;
  if (follows_all) options.least_blocks = options.resident_blocks;
  const GridResult result = run_grid(launch, options);
  blocks_ = result.blocks;
  ResidentBlocks& resident = follower.resident();
  if (follower.is_cut()) {
    resident.run_until(half_sectors);
    if (!half) half = follower.progress();
    resident.finish();
    CacheProgress rate = follower.progress();
    rate -= *half;
    extrapolate(follower.progress(), rate, sent_sectors(*launch.kernel, result.count));
    return result;
  }
  const bool is_part = result.blocks < launch.grid.count();
  // What a part of the blocks leaves there is not what they find.
  if (is_part) keeps_requests_ = false;
  if (is_part && blocks >= 3 * options.resident_blocks) {
    const auto& [before, blocks_before] = 4 * blocks < 3 * next ? earlier : early;
    part_ = caches_.count();
    *part_ -= before;
    blocks_ = blocks - blocks_before;
  }
  resident.finish();
  sum_ += follower.progress().count;
  return result;
}

std::uint64_t CachedLaunches::sample(Launch launch, GridOptions options, std::uint64_t shared_bytes,
                                     const SentSectors& whole) {
  const Kernel& kernel = *launch.kernel;
  const Kernel skeleton = request_skeleton(kernel);
  launch.kernel = &skeleton;
  plan_execution(launch);
  launch.only_tells_requests = true;
  const std::uint64_t total = launch.grid.count();
  const std::uint64_t in_cluster = launch.cluster.count();
  const std::uint64_t wave = std::min(options.resident_blocks, total);
  std::optional<Follower> follower(std::in_place, *this, launch, kernel, options.resident_blocks,
                                   shared_bytes);
  launch.on_request = [&](const GlobalRequest& request) { follower->note(request); };
  launch.local_begin = local_sectors * sector_bytes;

  std::uint64_t blocks = 0;  // that have ended
  std::vector<CacheProgress> waves = {{}};
  bool is_steady = false;
  options.on_end = [&](std::uint64_t cluster) {
    blocks += in_cluster;
    follower->send(cluster);
    if (blocks / wave == (blocks - in_cluster) / wave || blocks / wave == 1) return;
    waves.push_back(follower->progress());
    const std::size_t count = waves.size();
    if (count < 3) return;
    CacheProgress last = waves[count - 1];
    CacheProgress before = waves[count - 2];
    last -= waves[count - 2];
    before -= waves[count - 3];
    is_steady = have_same_rates(last, before);
  };
  bool is_heavy = false;
  options.least_blocks = in_cluster;
  options.is_enough = [&](const WorkCount& so_far) {
    const std::uint64_t work = so_far.work();
    if (work / blocks * total <= limits_.whole_budget) return false;
    is_heavy = blocks == in_cluster && (work / blocks * wave > limits_.most_instructions ||
                                        follower->noted() / blocks * wave > limits_.most_sectors);
    return is_heavy || is_steady || work > limits_.most_instructions || follower->is_cut();
  };
  run_grid(launch, options);
  std::optional<CacheProgress> half;
  if (is_heavy) {
    // Of all the blocks that are resident together the beginning.
    if (keeps_requests_) kept_.pop_back();
    follower.emplace(*this, launch, kernel, options.resident_blocks, shared_bytes);
    run_side_by_side(launch, wave / in_cluster, [&](const WorkCount& so_far) {
      return so_far.work() > limits_.most_instructions || follower->is_cut();
    });
    blocks = wave / in_cluster * in_cluster;
    for (std::uint64_t cluster = 0; cluster < wave / in_cluster; ++cluster) follower->send(cluster);
    follower->resident().run_until(follower->noted() / 2);
    half = follower->progress();
    follower->resident().finish();
  } else if (blocks == total && !follower->is_cut()) {
    follower->resident().finish();
    sum_ += follower->progress().count;
    return blocks;
  } else if (kernel.local_bytes > 0) {
    // What a block keeps in local memory it loads at other times than the rest: blocks that have
    // ended, all of them, tell the rates.
    follower->resident().finish();
    waves.clear();
    half = CacheProgress{};
  } else if (waves.size() >= 3) {
    half = waves[waves.size() - 2];
  } else {
    half = follower->progress();
    follower->resident().finish();
  }
  const CacheProgress last = waves.size() >= 3 && !is_heavy ? waves.back() : follower->progress();
  CacheProgress rate = last;
  rate -= *half;
  if (is_heavy) {
    extrapolate(last, rate, scaled(whole, all_sent, blocks, total));
    sum_ = scaled(sum_, CacheCount::figures, total, blocks);
  } else {
    extrapolate(last, rate, whole);
  }
  return blocks;
}

CacheCount CachedLaunches::finish() {
  if (is_extrapolated_) return sum_;
  if (part_) return *part_;
  if (keeps_requests_) {
    caches_.forget_count();
    for (Kept& launch : kept_) {
      caches_.begin_launch(launch.l1_bytes);
      ResidentBlocks resident(caches_, profile_.multiprocessors, launch.blocks_of_each,
                              launch.blocks.size(), launch.local_bytes);
      for (BlockRequests& block : launch.blocks) resident.add(std::move(block));
      resident.finish();
    }
    // The next time begins with what is still to be written back, too.
    return caches_.count();
  }
  return caches_.finish();
}

}  // namespace sweep
