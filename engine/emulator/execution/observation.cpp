#include "engine/emulator/execution/observation.h"

namespace sweep {
namespace {

constexpr double percent = 100;
constexpr double wavefront_bytes = 128;

/// The counts of a launch by what its instructions do.
struct Sums {
  GlobalCount loads;
  GlobalCount stores;
  GlobalCount atomics;
  GlobalCount local_loads;
  GlobalCount local_stores;
  SharedCount shared_loads;
  SharedCount shared_stores;
};

Sums sums_of(const Kernel& kernel, const LaunchCount& count) {
  Sums sums;
  for (const Op& op : kernel.ops) {
    const bool is_load =
        op.kind == OpKind::load || op.kind == OpKind::async_copy || op.kind == OpKind::load_matrix;
    const bool is_store = op.kind == OpKind::store || op.kind == OpKind::store_matrix;
    if (!is_load && !is_store && op.kind != OpKind::atomic) continue;
    const SiteCount& site = count.sites[op.detail];
    (is_load ? sums.loads : is_store ? sums.stores : sums.atomics) += site.global;
    if (op.kind == OpKind::atomic) continue;
    (is_load ? sums.local_loads : sums.local_stores) += site.local;
    (is_load ? sums.shared_loads : sums.shared_stores) += site.shared;
  }
  return sums;
}

class MetricList {
 public:
  explicit MetricList(bool has_totals) : has_totals_(has_totals) {}

  void total(const std::string& name, std::uint64_t value) {
    if (has_totals_) add(name, static_cast<double>(value));
  }
  void ratio(const std::string& name, std::uint64_t value, std::uint64_t base, double factor = 1) {
    if (base != 0) add(name, factor * static_cast<double>(value) / static_cast<double>(base));
  }
  void add(const std::string& name, double value) {
    metrics_.push_back({name, Origin::emulated, value});
  }
  std::vector<Metric> take() { return std::move(metrics_); }

 private:
  bool has_totals_;
  std::vector<Metric> metrics_;
};

void add_global(MetricList& list, const std::string& what, const GlobalCount& count) {
  list.total(what + "_requests", count.requests);
  if (count.requests == 0) return;
  list.total(what + "_sectors", count.sectors);
  list.total(what + "_lines", count.lines);
  list.total(what + "_transactions", count.transactions);
  list.ratio(what + "_sectors_per_request", count.sectors, count.requests);
  list.ratio(what + "_lines_per_request", count.lines, count.requests);
  list.ratio(what + "_transactions_per_request", count.transactions, count.requests);
  list.ratio(what + "_lanes_per_request", count.lanes, count.requests);
  list.total(what + "_bytes", count.bytes_wanted);
  list.total(what + "_tag_wavefronts", count.tag_wavefronts);
  list.total(what + "_data_wavefronts", count.data_wavefronts);
  list.ratio(what + "_efficiency", count.bytes_wanted, count.sectors,
             percent / static_cast<double>(sector_bytes));
}

void add_shared(MetricList& list, const std::string& what, const SharedCount& count) {
  list.total(what + "_requests", count.requests);
  list.total(what + "_wavefronts", count.wavefronts);
  list.total(what + "_conflicts", count.conflicts());
  list.ratio(what + "_wavefronts_per_request", count.wavefronts, count.requests);
}

void add_caches(MetricList& list, const CacheCount& caches) {
  list.ratio("l1_hit_rate", caches.l1_load_hits, caches.l1_load_sectors, percent);
  list.ratio("l2_hit_rate", caches.l2_read_hits + caches.l2_write_hits,
             caches.l2_read_sectors + caches.l2_write_sectors, percent);
  list.total("l2_read_sectors", caches.l2_read_sectors);
  list.total("l2_write_sectors", caches.l2_write_sectors);
  list.total("dram_read_bytes", caches.dram_read_bytes);
  list.total("dram_write_bytes", caches.dram_write_bytes);
}

}  // namespace

std::vector<Metric> metrics_of(const Kernel& kernel, const CountedLaunch& launch) {
  const Sums sums = sums_of(kernel, launch.count);
  MetricList list(launch.are_totals);
  add_global(list, "load", sums.loads);
  add_global(list, "store", sums.stores);
  list.ratio("efficiency", sums.loads.bytes_wanted + sums.stores.bytes_wanted,
             sums.loads.sectors + sums.stores.sectors, percent / static_cast<double>(sector_bytes));
  SharedCount shared = sums.shared_loads;
  shared += sums.shared_stores;
  add_shared(list, "shared_load", sums.shared_loads);
  add_shared(list, "shared_store", sums.shared_stores);
  list.total("shared_conflicts", shared.conflicts());
  list.ratio("shared_efficiency", shared.bytes_wanted, shared.wavefronts,
             percent / wavefront_bytes);
  list.total("atomic_requests", sums.atomics.requests);
  if (sums.atomics.requests != 0) list.total("atomic_sectors", sums.atomics.sectors);
  if (sums.local_loads.requests != 0) list.total("local_load_sectors", sums.local_loads.sectors);
  if (sums.local_stores.requests != 0) list.total("local_store_sectors", sums.local_stores.sectors);
  if (launch.caches) add_caches(list, *launch.caches);
  list.total("instructions", launch.count.warp_instructions);
  list.total("thread_instructions", launch.count.thread_instructions);
  list.add("executed_share", percent * launch.executed_share);
  return list.take();
}

MemoryInstructionCount ptx_memory_instructions(const Kernel& kernel) {
  MemoryInstructionCount count;
  for (const Op& op : kernel.ops) {
    if (op.kind != OpKind::load && op.kind != OpKind::store) continue;
    const MemoryOp& memory = kernel.memory[op.detail];
    if (!memory.is_counted) continue;
    const bool is_load = op.kind == OpKind::load;
    WidthCount& counted =
        memory.space == ptx::Space::shared  ? (is_load ? count.shared_loads : count.shared_stores)
        : memory.space == ptx::Space::local ? (is_load ? count.local_loads : count.local_stores)
        : memory.space == ptx::Space::global
            ? (is_load ? count.global_loads : count.global_stores)
            : (is_load ? count.generic_loads : count.generic_stores);
    counted.add(memory.bytes());
  }
  return count;
}

}  // namespace sweep
