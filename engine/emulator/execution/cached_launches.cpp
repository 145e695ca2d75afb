#include "engine/emulator/execution/cached_launches.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

RequestKind request_kind(const GlobalRequest& request, CachePolicy policy) {
  if (is_atomic(request.kind)) return RequestKind::atomic;
  if (request.is_partial) return RequestKind::partial_store;
  if (request.kind == AccessKind::store) return RequestKind::store;
  return policy == CachePolicy::level_2_only ? RequestKind::bypassing_load : RequestKind::load;
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

}  // namespace

std::vector<bool> find_waits(const Kernel& kernel) {
  std::vector<bool> waits(kernel.memory.size());
  std::unordered_set<std::uint32_t> loaded;  // slots, and those computed from them
  for (const BasicBlock& block : kernel.blocks) {
    loaded.clear();
    bool is_first = true;
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
        const bool is_global = op.kind == OpKind::texture || memory.space == ptx::Space::global ||
                               memory.space == ptx::Space::generic;
        if (is_global && memory.is_counted) {
          waits[op.detail] = is_first || uses_loaded;
          is_first = false;
          if (waits[op.detail]) loaded.clear();
          is_loaded = true;
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

void CachedLaunches::hold(const std::vector<Allocation*>& buffers) {
  // What was written last, from the last buffer on: it is what fits.
  std::uint64_t room = profile_.l2_bytes;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
  for (auto buffer = buffers.rbegin(); buffer != buffers.rend() && room > 0; ++buffer) {
    const std::uint64_t bytes = std::min((*buffer)->bytes, room);
    const std::uint64_t end = (*buffer)->base + (*buffer)->bytes;
    parts.emplace_back(end - bytes, end);
    room -= bytes;
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    caches_.prefill(part->first / sector_bytes, (part->second + sector_bytes - 1) / sector_bytes);
  }
}

void CachedLaunches::keep(const BlockRequests& requests) {
  constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20U;
  for (const RequestLog& log : requests) kept_bytes_ += log.bytes();
  keeps_requests_ = kept_bytes_ <= most_bytes;
  if (keeps_requests_) return kept_.back().blocks.push_back(requests);
  kept_.clear();
}

GridResult CachedLaunches::run(Launch launch, GridOptions options, std::uint64_t shared_bytes) {
  const auto blocks_of_each =
      static_cast<unsigned>(options.resident_blocks / launch.multiprocessors);
  const std::uint64_t l1_bytes = l1_bytes_beside(profile_, blocks_of_each, shared_bytes);
  caches_.begin_launch(l1_bytes);
  if (keeps_requests_) kept_.push_back({l1_bytes, blocks_of_each});
  ResidentBlocks resident(caches_, profile_.multiprocessors, blocks_of_each);
  RequestsByBlock requests(launch.warps());
  const std::vector<bool> waits = find_waits(*launch.kernel);
  launch.on_request = [&](const GlobalRequest& request) {
    const CachePolicy policy = launch.kernel->memory[request.memory_op].policy;
    requests.of(request.block, request.warp)
        .add(request_kind(request, policy), waits[request.memory_op], request.sectors,
             request.repeats);
  };
  // The counts when there had been half as many blocks or more, and up to half as many.
  CacheCount early;
  CacheCount earlier;
  std::uint64_t blocks = 0;
  std::uint64_t next = 2 * options.resident_blocks;
  options.on_end = [&](std::uint64_t cluster) {
    blocks += launch.cluster.count();
    if (blocks >= next) {
      earlier = std::exchange(early, caches_.count());
      next = 2 * blocks;
    }
    for (std::uint32_t rank = 0; rank < launch.cluster.count(); ++rank) {
      BlockRequests block = requests.take(launch.block_of(cluster, rank));
      if (keeps_requests_) keep(block);
      resident.add(std::move(block));
    }
  };
  options.least_blocks = options.resident_blocks;
  const GridResult result = run_grid(launch, options);
  const bool is_part = result.blocks < launch.grid.count();
  // What a part of the blocks leaves there is not what they find.
  if (is_part) keeps_requests_ = false;
  if (is_part && blocks >= 3 * options.resident_blocks) {
    part_ = caches_.count();
    *part_ -= 4 * blocks < 3 * next ? earlier : early;
  }
  resident.finish();
  return result;
}

CacheCount CachedLaunches::finish() {
  if (part_) return *part_;
  if (keeps_requests_) {
    caches_.forget_count();
    for (Kept& launch : kept_) {
      caches_.begin_launch(launch.l1_bytes);
      ResidentBlocks resident(caches_, profile_.multiprocessors, launch.blocks_of_each);
      for (BlockRequests& block : launch.blocks) resident.add(std::move(block));
      resident.finish();
    }
  }
  return caches_.finish();
}

}  // namespace sweep
