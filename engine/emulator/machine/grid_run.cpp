#include "engine/emulator/machine/grid_run.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

namespace sweep {
namespace {

LaunchCount empty_count(const Launch& launch) {
  LaunchCount count;
  count.sites.resize(launch.kernel->memory.size());
  if (launch.notes_shapes) count.shapes.resize(launch.kernel->memory.size());
  return count;
}

/// What a thread executes blocks with, cluster by cluster.
struct BlockWorker {
  explicit BlockWorker(const Launch& launch) : count(empty_count(launch)), run(launch, count) {}

  void execute(std::uint64_t cluster) {
    run.start(cluster);
    run.finish();
  }

  LaunchCount count;
  ClusterRun run;
};

/// How many of so many clusters a thread takes at once.
std::uint64_t chunk_of(std::uint64_t clusters, unsigned threads) {
  return std::clamp<std::uint64_t>(clusters / (std::uint64_t{threads} * 8), 1, 256);
}

/// The memory of blocks that all run together. Throws MemoryShortage.
void require_memory(const Launch& launch) {
  const std::uint64_t of_block =
      std::uint64_t{launch.kernel->register_bytes} * launch.warps() + launch.shared_bytes();
  MemoryWatch::of_process().require(of_block * launch.grid.count());
}

using Residents = std::vector<std::unique_ptr<ClusterRun>>;

[[noreturn]] void report_deadlock_of_grid(const Launch& launch, const Residents& resident) {
  std::vector<const BlockRun*> blocks;
  for (const auto& cluster : resident) {
    for (const auto& block : cluster->blocks()) blocks.push_back(block.get());
  }
  report_waiting_blocks("the grid", launch.grid.count(), blocks);
}

/// Blocks that see each other's work run one after the other, the next beginning when those before
/// do not get on without it; those of a cooperative launch begin together.
GridResult run_linked(const Launch& launch, const GridOptions& options) {
  constexpr std::uint64_t turn = 1U << 12U;
  constexpr std::uint64_t patience = 1U << 18U;  // warp instructions of a block on its own
  LaunchCount count = empty_count(launch);
  Residents resident;
  Residents idle;
  const std::uint64_t in_cluster = launch.cluster.count();
  const std::uint64_t total = launch.clusters().count();
  const std::uint64_t most = launch.is_cooperative
                                 ? total
                                 : std::max<std::uint64_t>(options.resident_blocks / in_cluster, 1);
  std::uint64_t next = 0;
  std::uint64_t live = 0;
  std::uint64_t at_last_end = 0;  // of a thread, in warp instructions
  std::uint64_t idle_turns = 0;   // of all clusters, one after the other
  const auto admit = [&] {
    if (idle.empty()) idle.push_back(std::make_unique<ClusterRun>(launch, count));
    resident.push_back(std::move(idle.back()));
    idle.pop_back();
    resident.back()->start(next++);
  };
  const auto complete_count = [&] {
    for (const Residents* const clusters : {&resident, &idle}) {
      for (const auto& cluster : *clusters) cluster->complete_count();
    }
  };
  const auto may_begin = [&] {
    if (next == total) return false;
    if (next * in_cluster < options.least_blocks) return true;
    return count.work() < options.instruction_budget &&
           !(options.is_enough && options.is_enough(count));
  };
  if (launch.is_cooperative) require_memory(launch);
  while (launch.is_cooperative && next < total) admit();
  while (may_begin() || !resident.empty()) {
    if (resident.empty()) admit();
    bool has_finished = false;
    std::uint64_t still_live = 0;
    for (std::size_t i = 0; i < resident.size();) {
      ClusterRun& cluster = *resident[i];
      bool is_finished = cluster.run(turn);
      while (!is_finished && resident.size() == 1 &&
             (!launch.kernel->is_linked || cluster.instructions() < patience)) {
        is_finished = cluster.run(turn);
      }
      if (!is_finished) {
        idle_turns = cluster.is_idle() ? idle_turns + 1 : 0;
        still_live += cluster.live();
        ++i;
        continue;
      }
      idle_turns = 0;
      has_finished = true;
      if (options.on_end) options.on_end(cluster.number());
      idle.push_back(std::move(resident[i]));
      resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (has_finished || still_live != live) at_last_end = count.warp_instructions;
    live = still_live;
    if (launch.is_cooperative) {
      if (count.thread_instructions > options.instruction_budget) {
        complete_count();
        return {count, 0};
      }
      // Every one of them has looked, again and again, and found what it had found before.
      constexpr std::uint64_t most_idle_turns = 10'000;
      if (idle_turns > std::max(most_idle_turns, 16 * resident.size())) {
        report_deadlock_of_grid(launch, resident);
      }
    }
    if (!resident.empty() && count.warp_instructions - at_last_end > options.stall_limit) {
      resident.front()->report_runaway();
    }
    // What waits for a block that has not begun waits in vain otherwise, whatever the budget.
    if (!has_finished && next < total && resident.size() < most) admit();
  }
  complete_count();
  return {count, next * in_cluster};
}

}  // namespace

GridResult run_grid(const Launch& launch, const GridOptions& options) {
  if (launch.kernel->is_linked || options.on_end) return run_linked(launch, options);
  const std::uint64_t total = launch.clusters().count();
  return {run_blocks_total(launch, 0, total, options), launch.grid.count()};
}

LaunchCount run_side_by_side(const Launch& launch, std::uint64_t clusters,
                             const std::function<bool(const WorkCount& so_far)>& is_enough) {
  LaunchCount count = empty_count(launch);
  Residents resident;
  for (std::uint64_t number = 0; number < clusters; ++number) {
    resident.push_back(std::make_unique<ClusterRun>(launch, count));
    resident.back()->start(number);
  }
  while (!resident.empty() && !is_enough(count)) {
    std::erase_if(resident, [](const auto& cluster) {
      const bool has_ended = cluster->run(1);
      if (has_ended) cluster->complete_count();
      return has_ended;
    });
  }
  for (const auto& cluster : resident) cluster->complete_count();
  return count;
}

LaunchCount run_blocks_total(const Launch& launch, std::uint64_t first, std::uint64_t last,
                             const GridOptions& options) {
  std::mutex mutex;
  std::vector<std::unique_ptr<BlockWorker>> workers;
  share_out(
      last - first, chunk_of(last - first, options.threads), options.threads,
      [&] {
        auto worker = std::make_unique<BlockWorker>(launch);
        const std::scoped_lock lock(mutex);
        return workers.emplace_back(std::move(worker)).get();
      },
      [&](BlockWorker* worker, std::uint64_t begin, std::uint64_t end) {
        for (; begin < end; ++begin) worker->execute(first + begin);
      });
  LaunchCount total = empty_count(launch);
  for (const auto& worker : workers) {
    worker->run.complete_count();
    total += worker->count;
  }
  return total;
}

std::vector<LaunchCount> run_blocks(const Launch& launch, std::span<const std::uint64_t> clusters,
                                    const GridOptions& options) {
  std::vector<LaunchCount> counts(clusters.size());
  const unsigned threads = launch.kernel->is_linked ? 1 : options.threads;
  share_out(
      clusters.size(), chunk_of(clusters.size(), threads), threads,
      [&] { return BlockWorker(launch); },
      [&](BlockWorker& worker, std::uint64_t begin, std::uint64_t end) {
        for (; begin < end; ++begin) {
          worker.execute(clusters[begin]);
          worker.run.complete_count();
          counts[begin] = std::exchange(worker.count, empty_count(launch));
        }
      });
  return counts;
}

ElementFunction::ElementFunction(Launch launch) : launch_(std::move(launch)) {
  // Large enough for any element.
  constexpr std::uint32_t widest_grid = 0x7fffffff;
  launch_.grid = {widest_grid, 1, 1};
  launch_.block = {warp_size, 1, 1};
  prepare_launch(launch_);
  count_.sites.resize(launch_.kernel->memory.size());
  run_ = std::make_unique<ClusterRun>(launch_, count_);
}

void ElementFunction::run(std::span<const std::uint64_t> elements) {
  while (!elements.empty()) {
    const auto part = elements.first(std::min<std::size_t>(elements.size(), warp_size));
    run_->start_elements(part);
    run_->finish();
    elements = elements.subspan(part.size());
  }
}

void ElementFunction::run_range(std::uint64_t begin, std::uint64_t end) {
  std::array<std::uint64_t, warp_size> elements{};
  while (begin < end) {
    const auto count = std::min<std::uint64_t>(warp_size, end - begin);
    std::iota(elements.begin(), elements.end(), begin);
    run(std::span(elements).first(static_cast<std::size_t>(count)));
    begin += count;
  }
}

LazyValues::LazyValues(Allocation& allocation, std::uint64_t length, MakeFunction make_init,
                       std::recursive_mutex& mutex)
    : allocation_(allocation),
      length_(length),
      make_init_(std::move(make_init)),
      known_(length, allocation.element_bytes),
      mutex_(mutex) {
  allocation_.lazy = this;
}

void LazyValues::ensure(const std::uint64_t* begin, std::uint64_t count, std::uint32_t mask) {
  const auto first = [&](unsigned lane) { return begin[lane] / allocation_.element_bytes; };
  const auto end = [&](unsigned lane) {
    return std::min((begin[lane] + count - 1) / allocation_.element_bytes + 1, length_);
  };
  bool is_missing = false;
  for_each_lane(mask, [&](unsigned lane) {
    is_missing = is_missing || !known_.all(first(lane), end(lane) - first(lane));
  });
  if (!is_missing) return;
  const std::scoped_lock lock(mutex_);
  std::vector<std::uint64_t> elements;
  for_each_lane(mask, [&](unsigned lane) {
    for (std::uint64_t at = first(lane); at < end(lane); ++at) {
      if (!known_.all(at, 1)) elements.push_back(at);
    }
  });
  std::ranges::sort(elements);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  if (init_ == nullptr) init_ = make_init_();
  init_->run(elements);
  // Other threads see the values with the marks, which are set afterwards.
  for (const std::uint64_t element : elements) known_.set(element, 1);
}

void LazyValues::complete(unsigned threads) {
  if (allocation_.lazy == nullptr) return;
  constexpr std::uint64_t chunk = 1U << 14U;
  const auto compute = [this](const std::unique_ptr<ElementFunction>& init, std::uint64_t begin,
                              std::uint64_t end) {
    std::uint64_t run = begin;
    // Whole runs of what is missing; values that are there may have been overwritten since.
    for (std::uint64_t at = known_.find_from(begin); at < end; at = known_.find_from(at + 1)) {
      init->run_range(run, at);
      run = at + 1;
    }
    init->run_range(run, end);
  };
  share_out(length_, chunk, threads, make_init_, compute);
  allocation_.lazy = nullptr;
}

}  // namespace sweep
