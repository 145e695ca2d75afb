#include "engine/emulator/machine/cluster_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sweep {
namespace {

bool has_copies(const Kernel& kernel) {
  return std::ranges::any_of(kernel.ops, [](const Op& op) {
    return op.kind == OpKind::async_copy || op.kind == OpKind::bulk_copy ||
           op.kind == OpKind::tensor_copy || op.kind == OpKind::copy_group ||
           op.kind == OpKind::mbarrier;
  });
}

/// What the begins and sizes of all accesses to shared memory are multiples of, 16 at the most.
std::uint64_t shared_granule(const Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  // Clusters' memories lie one behind the other.
  std::uint64_t all = launch.cluster.count() > 1 ? launch.all_shared_bytes() : 0;
  constexpr std::uint64_t most = 16;
  all |= most;
  for (const Op& op : kernel.ops) {
    constexpr std::uint64_t mbarrier_bytes = 8;
    if (op.kind == OpKind::mbarrier) all |= mbarrier_bytes;
    if (op.kind == OpKind::async_copy) all |= kernel.memory[op.detail].copy_bytes;
    if (op.kind != OpKind::load && op.kind != OpKind::store && op.kind != OpKind::atomic) continue;
    const MemoryOp& memory = kernel.memory[op.detail];
    const bool is_shared =
        memory.space == ptx::Space::shared || memory.space == ptx::Space::generic;
    if (is_shared) all |= memory.bytes();
  }
  return all & -all;
}

}  // namespace

Cluster::Cluster(const Launch& launch) {
  const auto count = static_cast<std::uint32_t>(launch.cluster.count());
  if (has_copies(*launch.kernel)) copies = std::make_unique<CopiesInFlight>(launch.warps() * count);
  if (!launch.checks_kernel || launch.all_shared_bytes() == 0) return;
  races = std::make_unique<RaceDetector>(launch.all_shared_bytes() * count, launch.warps() * count,
                                         shared_granule(launch));
}

void Cluster::reset() {
  if (races != nullptr) races->reset();
  if (copies != nullptr) copies->reset();
  live = 0;
  arrived = 0;
  phases = 0;
}

ClusterRun::ClusterRun(const Launch& launch, LaunchCount& count)
    : launch_(launch), cluster_(launch) {
  for (std::uint64_t rank = 0; rank < launch.cluster.count(); ++rank) {
    blocks_.push_back(std::make_unique<BlockRun>(launch, cluster_, count));
  }
}

void ClusterRun::start(std::uint64_t index) {
  cluster_.reset();
  idle_turns_ = 0;
  number_ = index;
  for (const auto& block : blocks_) block->start(index);
}

void ClusterRun::start_elements(std::span<const std::uint64_t> elements) {
  cluster_.reset();
  idle_turns_ = 0;
  blocks_.front()->start_elements(elements);
}

bool ClusterRun::run(std::uint64_t turn) {
  bool has_gone_on = false;
  bool is_idle = true;
  for (const auto& block : blocks_) {
    if (block->live() == 0) continue;
    const BlockRun::Turn done = block->run(turn);
    has_gone_on |= done.has_gone_on;
    is_idle &= done.is_idle;
  }
  if (cluster_.live == 0) return true;
  // Threads that do nothing but look at an mbarrier or sleep, turn after turn.
  idle_turns_ = is_idle ? idle_turns_ + 1 : 0;
  constexpr std::uint64_t most_idle_turns = 10'000;
  if (idle_turns_ > most_idle_turns && !launch_.kernel->is_linked) report_deadlock();
  // A warp that ran late may have released one that ran early.
  const auto is_ready = [](const auto& block) { return block->is_any_ready(); };
  if (!has_gone_on && std::ranges::none_of(blocks_, is_ready)) report_deadlock();
  return false;
}

void ClusterRun::finish() {
  // A warp's streak (block_run.cpp).
  constexpr std::uint64_t turn = 1U << 14U;
  while (!run(turn)) {
  }
}

void ClusterRun::complete_count() {
  for (const auto& block : blocks_) block->complete_count();
}

std::uint64_t ClusterRun::instructions() const {
  std::uint64_t sum = 0;
  for (const auto& block : blocks_) sum += block->instructions();
  return sum;
}

void ClusterRun::report_runaway() const {
  const auto is_live = [](const auto& block) { return block->live() != 0; };
  (*std::ranges::find_if(blocks_, is_live))->report_runaway();
}

void ClusterRun::report_deadlock() const {
  std::vector<const BlockRun*> blocks;
  for (const auto& block : blocks_) blocks.push_back(block.get());
  if (blocks.size() > 1) report_waiting_blocks("a cluster", blocks.size(), blocks);
  const auto [places, first] = blocks.front()->whereabouts();
  throw KernelFault(FaultKind::deadlock, first, {},
                    fmt::format("deadlock: {}: its {} threads wait for each other: at {}",
                                blocks.front()->name(), live(), places));
}

void report_waiting_blocks(const std::string& what, std::uint64_t count,
                           std::span<const BlockRun* const> blocks) {
  constexpr std::size_t most = 4;
  std::vector<std::string> texts;
  FaultPlace first;
  std::uint64_t waiting = 0;
  for (const BlockRun* block : blocks) {
    if (block->live() == 0 || ++waiting > most) continue;
    const auto [places, place] = block->whereabouts();
    if (texts.empty()) first = place;
    texts.push_back(fmt::format("{} at {}", block->name(), places));
  }
  throw KernelFault(FaultKind::deadlock, first, {},
                    fmt::format("deadlock: of the {} blocks of {} {} wait for each other{}: {}{}",
                                count, what, waiting == count ? "all" : fmt::format("{}", waiting),
                                waiting == count ? "" : ", the others have ended",
                                fmt::join(texts, "; "), waiting > most ? "; ..." : ""));
}

}  // namespace sweep
