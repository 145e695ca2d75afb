#include "engine/emulator/cache/resident_blocks.h"

#include <algorithm>
#include <functional>

namespace sweep {
namespace {

// In cycles of a multiprocessor, about, as measured on H100 and H200. What counts are the orders of
// magnitude: they decide which warp comes first.
constexpr double slice = 64;           // that multiprocessors run ahead of each other
constexpr double launch = 2;           // between the starts of two warps of a TPC
constexpr double launch_of_block = 7;  // at least
constexpr double issue = 4;            // between two requests of a warp
constexpr double l1_latency = 35;
constexpr double sectors_of_wavefront = 4;  // that the load unit takes in a cycle
constexpr double l2_cycles = 0.9;           // of a multiprocessor, for each sector
constexpr double dram_cycles = 1.8;         // the same, where all ask for as many
// Fitted to working_set on an H200: DRAM may be so far behind. Beyond that a request to it holds
// its load unit, and of the warps that wait for the unit the oldest goes first: blocks that fit
// into L1 alone pass through it in turn.
constexpr double dram_queue = 7000;

constexpr std::size_t multiprocessors_of_tpc = 2;
// As `%smid` tells on an H100 and an H200: multiprocessors 124 to 131, four TPCs that take part in
// no cluster of more than two blocks. Their reads are joined as those of one GPC are.
constexpr std::size_t first_filled = 8;

/// From 0 to less than 1, as if by chance.
double scattered(std::uint64_t number) {
  return static_cast<double>(number * 0x9e3779b97f4a7c15 >> 32U) / 4294967296;
}

}  // namespace

ResidentBlocks::ResidentBlocks(CacheModel& caches, unsigned multiprocessors,
                               unsigned blocks_of_each, std::uint64_t blocks,
                               std::uint64_t local_bytes)
    : caches_(caches),
      multiprocessors_(std::max(multiprocessors, 1U)),
      launched_(multiprocessors_.size() / multiprocessors_of_tpc + 1),
      last_(multiprocessors_.size() - 1),
      first_(std::min<std::uint64_t>(std::max<std::uint64_t>(blocks, 1), multiprocessors_.size())),
      local_sectors_(local_bytes / 32) {
  for (Multiprocessor& each : multiprocessors_) each.slots.resize(std::max(blocks_of_each, 1U));
}

void ResidentBlocks::add(BlockRequests requests) {
  std::erase_if(requests, [](const RequestLog& log) { return log.bytes() == 0; });
  if (requests.empty()) return;
  while (!place(requests)) run_slice();
}

/// False where no multiprocessor has room.
bool ResidentBlocks::place(BlockRequests& requests) {
  const std::size_t multiprocessors = multiprocessors_.size();
  std::size_t begin = last_ + 1;
  const std::size_t leading = std::min(first_filled, multiprocessors);
  if (blocks_ < leading) {
    begin =
        multiprocessors - leading + (first_ <= leading / 2 ? multiprocessors_of_tpc : 1) * blocks_;
  } else if (blocks_ < first_) {
    begin = (blocks_ - leading) * (multiprocessors - leading) / (first_ - leading);
  } else if (now_ != 0) {
    // Which one has room next is as good as chance.
    begin += static_cast<std::size_t>(scattered(blocks_) * static_cast<double>(multiprocessors));
  }
  for (std::size_t i = 0; i < multiprocessors; ++i) {
    const std::size_t number = (begin + i) % multiprocessors;
    Multiprocessor& each = multiprocessors_[number];
    const auto free = std::ranges::find(each.slots, std::size_t{0});
    if (free == each.slots.end() || (number == last_ && multiprocessors > 1)) continue;
    last_ = number;
    ++blocks_;
    *free = requests.size();
    const auto slot = static_cast<std::size_t>(free - each.slots.begin());
    Cycles& launched = launched_[number / multiprocessors_of_tpc];
    Cycles start = std::max(now_, launched);
    launched = start + std::max(launch * static_cast<double>(requests.size()), launch_of_block);
    for (RequestLog& log : requests) {
      const std::uint64_t age = each.warps_so_far++;
      RunningWarp warp = {RequestLog::Reader(std::move(log)), slot, age};
      std::size_t at = each.warps.size();
      if (each.free.empty()) {
        each.warps.push_back(std::move(warp));
      } else {
        at = each.free.back();
        each.free.pop_back();
        each.warps[at] = std::move(warp);
      }
      each.waiting.emplace_back(start, at);
      std::push_heap(each.waiting.begin(), each.waiting.end(), std::greater<>());
      start += launch;
    }
    return true;
  }
  return false;
}

void ResidentBlocks::run_slice() {
  now_ += slice;
  for (std::size_t number = 0; number < multiprocessors_.size(); ++number) {
    Multiprocessor& each = multiprocessors_[number];
    while (run_turn(each, static_cast<unsigned>(number))) {
    }
  }
}

/// A block has the local memory of the place where it runs.
void ResidentBlocks::place_local_memory(unsigned multiprocessor, std::size_t slot) {
  const std::uint64_t places = multiprocessors_[multiprocessor].slots.size();
  const std::uint64_t first = (multiprocessor * places + slot) * local_sectors_;
  for (std::size_t i = 0; i < request_.count; ++i) request_.sectors[i] += first;
}

/// Sends a request of a warp; false where none can before the slice's end.
bool ResidentBlocks::run_turn(Multiprocessor& multiprocessor, unsigned number) {
  auto& [slots, warps, free, waiting, ready, warps_so_far, load_unit, from_l2] = multiprocessor;
  if (ready.empty() && waiting.empty()) return false;
  const Cycles begin = ready.empty() ? std::max(load_unit, waiting.front().first) : load_unit;
  if (begin >= now_) return false;
  while (!waiting.empty() && waiting.front().first <= begin) {
    const std::size_t warp = waiting.front().second;
    std::pop_heap(waiting.begin(), waiting.end(), std::greater<>());
    waiting.pop_back();
    ready.emplace_back(warps[warp].age, warp);
    std::push_heap(ready.begin(), ready.end(), std::greater<>());
  }
  const std::size_t chosen = ready.front().second;
  std::pop_heap(ready.begin(), ready.end(), std::greater<>());
  ready.pop_back();
  RunningWarp& warp = warps[chosen];
  warp.requests.next(request_);
  if (request_.sectors[0] >= local_sectors) place_local_memory(number, warp.slot);
  const SectorSources sources = caches_.send(number, request_, begin);
  load_unit = begin + std::max(1.0, static_cast<double>(request_.count) / sectors_of_wavefront);
  const Cycles arrival = arrival_of(multiprocessor, sources, begin);
  if (sources.dram != 0) load_unit = std::max(load_unit, from_dram_ - dram_queue);
  const bool is_store =
      request_.kind == RequestKind::store || request_.kind == RequestKind::partial_store;
  const bool is_prefetch = request_.kind == RequestKind::prefetch;
  if (!is_prefetch) {
    std::uint64_t& sent = is_store                               ? sent_.stores
                          : request_.kind == RequestKind::atomic ? sent_.atomics
                                                                 : sent_.loads;
    sent += request_.count + request_.repeats;
  }
  if (!is_store && !is_prefetch) warp.last_arrival = std::max(warp.last_arrival, arrival);
  if (warp.requests.is_at_end()) {
    --slots[warp.slot];
    free.push_back(chosen);
    return true;
  }
  const Cycles next = begin + issue;
  waiting.emplace_back(warp.requests.waits() ? std::max(next, warp.last_arrival) : next, chosen);
  std::push_heap(waiting.begin(), waiting.end(), std::greater<>());
  return true;
}

/// When all sectors of a request that is sent at `begin` are there.
ResidentBlocks::Cycles ResidentBlocks::arrival_of(Multiprocessor& multiprocessor,
                                                  const SectorSources& sources, Cycles begin) {
  const unsigned from_l2 = sources.near + sources.far + sources.dram;
  const Cycles joined = std::max(begin + l1_latency, sources.joined_arrival);
  if (from_l2 == 0) return joined;
  multiprocessor.from_l2 = std::max(begin, multiprocessor.from_l2) + from_l2 * l2_cycles;
  const bool is_near = sources.near == from_l2;
  const Cycles arrival =
      std::max(joined, multiprocessor.from_l2 + (is_near ? near_latency : far_latency));
  if (sources.dram == 0) return arrival;
  from_dram_ = std::max(begin, from_dram_) +
               sources.dram * dram_cycles / static_cast<double>(multiprocessors_.size());
  return std::max(arrival, from_dram_ + dram_latency);
}

bool ResidentBlocks::is_any_under_way() const {
  return std::ranges::any_of(multiprocessors_, [](const Multiprocessor& each) {
    return !each.waiting.empty() || !each.ready.empty();
  });
}

void ResidentBlocks::finish() {
  while (is_any_under_way()) run_slice();
}

void ResidentBlocks::run_until(std::uint64_t sectors) {
  while (sent_.all() < sectors && is_any_under_way()) run_slice();
}

}  // namespace sweep
