#include "engine/emulator/machine/grid_run.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "engine/emulator/machine/block_run.h"

namespace sweep {
namespace {

/// The failure of the block with the least number, of those that several threads saw.
class FirstFailure {
 public:
  void note(std::uint64_t block) {
    const std::scoped_lock lock(mutex_);
    if (error_ == nullptr || block < block_) {
      error_ = std::current_exception();
      block_ = block;
    }
    has_failed_.store(true, std::memory_order_relaxed);
  }
  bool has_failed() const { return has_failed_.load(std::memory_order_relaxed); }
  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
  std::uint64_t block_ = 0;
  std::atomic<bool> has_failed_ = false;
};

LaunchCount empty_count(const Launch& launch) {
  LaunchCount count;
  count.sites.resize(launch.kernel->memory.size());
  if (launch.notes_shapes) count.shapes.resize(launch.kernel->memory.size());
  return count;
}

/// Hands out block numbers in chunks; `work(run, count, begin, end)` executes one.
template <class Work>
void share_out(const Launch& launch, std::uint64_t size, unsigned threads, const Work& work) {
  const std::uint64_t chunk =
      std::clamp<std::uint64_t>(size / (std::uint64_t{threads} * 8), 1, 256);
  std::atomic<std::uint64_t> next = 0;
  FirstFailure failure;
  const auto take_chunks = [&] {
    LaunchCount count = empty_count(launch);
    BlockRun run(launch, count);
    while (!failure.has_failed()) {
      const std::uint64_t begin = next.fetch_add(chunk);
      if (begin >= size) break;
      const std::uint64_t end = std::min(size, begin + chunk);
      try {
        work(run, count, begin, end);
      } catch (...) {
        failure.note(run.index());
      }
    }
  };
  const auto body = [&] {
    try {
      take_chunks();
    } catch (...) {  // the block's registers and memory do not fit
      failure.note(0);
    }
  };
  std::vector<std::thread> others;
  const auto useful = static_cast<unsigned>(std::min<std::uint64_t>(threads, size));
  try {
    for (unsigned i = 1; i < useful; ++i) others.emplace_back(body);
  } catch (const std::system_error&) {
    // Where no more threads can be had, those there are do the work.
  }
  body();
  for (std::thread& other : others) other.join();
  failure.rethrow();
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
  std::uint64_t next = 0;
  const std::uint64_t step = options.interleaves ? 1 : turn;
  std::uint64_t live = 0;
  std::uint64_t at_last_end = 0;  // of a thread, in warp instructions
  const auto admit = [&] {
    if (idle.empty()) {
      resident.push_back(std::make_unique<BlockRun>(launch, count));
    } else {
      resident.push_back(std::move(idle.back()));
      idle.pop_back();
    }
    resident.back()->start(next++);
  };
  const auto may_begin = [&] {
    return next < total && count.thread_instructions < options.instruction_budget;
  };
  while (may_begin() || !resident.empty()) {
    while (options.interleaves && may_begin() && resident.size() < most) admit();
    if (resident.empty()) admit();
    bool has_finished = false;
    for (std::size_t i = 0; i < resident.size();) {
      BlockRun& block = *resident[i];
      BlockRun::Progress progress = block.run(step);
      while (!options.interleaves && resident.size() == 1 &&
             progress == BlockRun::Progress::waiting && block.instructions() < patience) {
        progress = block.run(step);
      }
      if (progress == BlockRun::Progress::waiting) {
        ++i;
        continue;
      }
      has_finished = true;
      idle.push_back(std::move(resident[i]));
      resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::uint64_t still_live = 0;
    for (const auto& block : resident) still_live += block->live();
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
  share_out(launch, last - first, options.threads,
            [&](BlockRun& run, LaunchCount& count, std::uint64_t begin, std::uint64_t end) {
              for (std::uint64_t block = first + begin; block < first + end; ++block) {
                run.start(block);
                run.finish();
              }
              const std::scoped_lock lock(mutex);
              total += count;
              count = empty_count(launch);
            });
  return total;
}

std::vector<LaunchCount> run_blocks(const Launch& launch, std::span<const std::uint64_t> blocks,
                                    const GridOptions& options) {
  std::vector<LaunchCount> counts(blocks.size());
  const unsigned threads = launch.kernel->is_linked ? 1 : options.threads;
  share_out(launch, blocks.size(), threads,
            [&](BlockRun& run, LaunchCount& count, std::uint64_t begin, std::uint64_t end) {
              for (std::uint64_t i = begin; i < end; ++i) {
                run.start(blocks[i]);
                run.finish();
                counts[i] = count;
                count = empty_count(launch);
              }
            });
  return counts;
}

}  // namespace sweep
