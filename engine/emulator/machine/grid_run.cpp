#include "engine/emulator/machine/grid_run.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/emulator/machine/block_run.h"

namespace sweep {
namespace {

LaunchCount empty_count(const Launch& launch) {
  LaunchCount count;
  count.sites.resize(launch.kernel->memory.size());
  if (launch.notes_shapes) count.shapes.resize(launch.kernel->memory.size());
  return count;
}

/// What a thread executes blocks with.
struct BlockWorker {
  explicit BlockWorker(const Launch& launch) : count(empty_count(launch)), run(launch, count) {}

  LaunchCount count;
  BlockRun run;
};

/// Shares `size` blocks out to threads: `work(worker, begin, end)`.
template <class Work>
void share_blocks(const Launch& launch, std::uint64_t size, unsigned threads, const Work& work) {
  const std::uint64_t chunk =
      std::clamp<std::uint64_t>(size / (std::uint64_t{threads} * 8), 1, 256);
  share_out(
      size, chunk, threads, [&] { return BlockWorker(launch); }, work);
}

/// Blocks that see each other's work run one after the other, the next beginning when those before
/// do not get on without it.
GridResult run_linked(const Launch& launch, const GridOptions& options) {
  constexpr std::uint64_t turn = 1U << 12U;
  constexpr std::uint64_t patience = 1U << 18U;  // warp instructions of a block on its own
  LaunchCount count = empty_count(launch);
  std::vector<std::unique_ptr<BlockRun>> resident;
  std::vector<std::unique_ptr<BlockRun>> idle;
  const std::uint64_t total = launch.grid.count();
  const std::uint64_t most = std::max<std::uint64_t>(options.resident_blocks, 1);
  const std::uint64_t step = options.interleaves ? 1 : turn;
  std::uint64_t next = 0;
  std::uint64_t live = 0;
  std::uint64_t at_last_end = 0;  // of a thread, in warp instructions
  const auto admit = [&] {
    if (idle.empty()) idle.push_back(std::make_unique<BlockRun>(launch, count));
    resident.push_back(std::move(idle.back()));
    idle.pop_back();
    resident.back()->start(next++);
  };
  const auto may_begin = [&] {
    return next < total && count.thread_instructions < options.instruction_budget;
  };
  while (may_begin() || !resident.empty()) {
    while (options.interleaves && may_begin() && resident.size() < most) admit();
    if (resident.empty()) admit();
    bool has_finished = false;
    std::uint64_t still_live = 0;
    for (std::size_t i = 0; i < resident.size();) {
      BlockRun& block = *resident[i];
      bool is_finished = block.run(step);
      while (!is_finished && !options.interleaves && resident.size() == 1 &&
             block.instructions() < patience) {
        is_finished = block.run(step);
      }
      if (!is_finished) {
        still_live += block.live();
        ++i;
        continue;
      }
      has_finished = true;
      idle.push_back(std::move(resident[i]));
      resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (has_finished || still_live != live) at_last_end = count.warp_instructions;
    live = still_live;
    if (!resident.empty() && count.warp_instructions - at_last_end > options.stall_limit) {
      resident.front()->report_runaway();
    }
    // What waits for a block that has not begun waits in vain otherwise, whatever the budget.
    if (!has_finished && next < total && resident.size() < most) admit();
  }
  return {count, next};
}

}  // namespace

GridResult run_grid(const Launch& launch, const GridOptions& options) {
  if (launch.kernel->is_linked || options.interleaves) return run_linked(launch, options);
  const std::uint64_t total = launch.grid.count();
  return {run_blocks_total(launch, 0, total, options), total};
}

LaunchCount run_blocks_total(const Launch& launch, std::uint64_t first, std::uint64_t last,
                             const GridOptions& options) {
  std::mutex mutex;
  LaunchCount total = empty_count(launch);
  share_blocks(launch, last - first, options.threads,
               [&](BlockWorker& worker, std::uint64_t begin, std::uint64_t end) {
                 for (std::uint64_t block = first + begin; block < first + end; ++block) {
                   worker.run.start(block);
                   worker.run.finish();
                 }
                 const std::scoped_lock lock(mutex);
                 total += worker.count;
                 worker.count = empty_count(launch);
               });
  return total;
}

std::vector<LaunchCount> run_blocks(const Launch& launch, std::span<const std::uint64_t> blocks,
                                    const GridOptions& options) {
  std::vector<LaunchCount> counts(blocks.size());
  const unsigned threads = launch.kernel->is_linked ? 1 : options.threads;
  share_blocks(launch, blocks.size(), threads,
               [&](BlockWorker& worker, std::uint64_t begin, std::uint64_t end) {
                 for (std::uint64_t i = begin; i < end; ++i) {
                   worker.run.start(blocks[i]);
                   worker.run.finish();
                   counts[i] = std::exchange(worker.count, empty_count(launch));
                 }
               });
  return counts;
}

}  // namespace sweep
