#include "engine/predict/model.h"

#include <algorithm>
#include <cmath>

namespace sweep {
namespace {

constexpr double us = 1e-6;
constexpr double ns = 1e-9;
constexpr double giga = 1e9;
constexpr double mega = 1e6;
constexpr double hundredth = 0.01;
constexpr double bytes_of_sector = 32;
constexpr double quarters = 4;
constexpr double threads_of_warp = 32;
constexpr double sectors_of_line = 4;

/// Of the p-norm: what fits shipped sweeps on an H100 best.
constexpr double norm = 4;
/// A pass through shared memory's banks takes a warp that is alone so many cycles, on an H100.
constexpr double wavefront_of_one_warp = 2;

/// How much longer the multiprocessor with most blocks is busy than the mean one, in each launch.
/// Blocks are distributed one by one; where there are more than are resident at once, those that
/// end early make room, which halves what the last wave lacks.
double imbalance_of_equal_blocks(double blocks, double multiprocessors, double resident_blocks) {
  const double resident = multiprocessors * std::max(resident_blocks, 1.0);
  if (blocks <= resident) return std::ceil(blocks / multiprocessors) * multiprocessors / blocks;
  return 1 + (std::ceil(blocks / resident) * resident / blocks - 1) / 2;
}

double imbalance(const Demand& demand, double multiprocessors) {
  if (demand.blocks <= 0) return 1;
  const double equal = imbalance_of_equal_blocks(demand.blocks / std::max(demand.launches, 1.0),
                                                 multiprocessors, demand.resident_blocks);
  // Where the longest blocks do much more than others.
  return std::max(equal, demand.longest_paths * multiprocessors / demand.blocks);
}

double warps_of_block(const Demand& demand) {
  return demand.warps / std::max(demand.blocks, 1.0);
}

/// Of an access that L1 does not have.
double latency_beyond_l1(const Demand& demand, const TimingProfile& gpu) {
  return gpu.l2_latency + (1 - demand.l2_hits) * (gpu.dram_latency - gpu.l2_latency);
}

/// Of a wait, which ends when the last of what it asks for has come. Whether sectors are in L1 is
/// alike for those that lie together: as many as the root of their number are taken for chances of
/// their own.
double latency_of_wait(const Demand& demand, const TimingProfile& gpu) {
  const double sectors = demand.load_sectors / std::max(demand.global_waits, 1.0);
  const double all_hit = std::pow(demand.l1_hits, std::sqrt(std::max(sectors, 1.0)));
  return all_hit * gpu.l1_latency + (1 - all_hit) * latency_beyond_l1(demand, gpu);
}

/// Cycles that the instructions of all warps take if each warp is alone.
double instructions_of_warps(const Demand& demand, const TimingProfile& gpu) {
  if (demand.instructions <= 0) return 0;
  // So many instructions come between a load and the first use of it, and are hidden by the wait.
  constexpr double hidden = 12;
  const double waits = demand.global_waits + demand.shared_waits;
  const double seen = std::max(1 - hidden * waits / demand.instructions, 0.0);
  // An instruction that needs the result of the one before waits for it, twice as long for doubles;
  // a load's own step is its latency. One of the integer pipe comes when that is free.
  const double steps = std::max(demand.dependent_steps - waits, 0.0);
  const double step = gpu.step * (1 + std::min(demand.fp64 / demand.instructions, 1.0));
  return demand.instructions * gpu.issue + seen * (demand.alu * std::max(gpu.alu - gpu.issue, 0.0) +
                                                   steps * std::max(step - gpu.issue, 0.0));
}

/// Cycles from a warp's start to its end with nobody in its way.
double path_of_warp(const Demand& demand, const TimingProfile& gpu) {
  if (demand.warps <= 0) return 0;
  return (demand.global_waits * latency_of_wait(demand, gpu) + demand.load_sectors * gpu.sector +
          demand.shared_waits * gpu.shared_latency +
          demand.shared_wavefronts * wavefront_of_one_warp +
          demand.barriers * (gpu.barrier + warps_of_block(demand) * gpu.barrier_warp) +
          instructions_of_warps(demand, gpu)) /
         demand.warps;
}

/// Cycles from a block's start to its end with no other block in its way: the last of the warps
/// that share a scheduler ends after the instructions of all of them.
double path_of_block(const Demand& demand, const TimingProfile& gpu) {
  const double others = std::max(warps_of_block(demand) / quarters - 1, 0.0);
  return path_of_warp(demand, gpu) +
         others * demand.instructions * gpu.issue / std::max(demand.warps, 1.0);
}

/// Cycles of a launch before the first data come.
double start_of_flow(const Demand& demand, const TimingProfile& gpu) {
  if (demand.global_waits <= 0) return 0;
  return std::min(latency_beyond_l1(demand, gpu), path_of_warp(demand, gpu));
}

/// From a block's end to when the next one's warps run.
double turnover_of(const Demand& demand, const TimingProfile& gpu) {
  return gpu.turnover + warps_of_block(demand) * gpu.turnover_warp;
}

/// With what spilled registers ask of L2 and device memory: stores go through L1, loads as far as
/// the threads that are there together have more than the caches.
Demand with_spills(Demand demand, const TimingProfile& gpu) {
  if (demand.spill_load_sectors + demand.spill_store_sectors <= 0 || demand.blocks <= 0) {
    return demand;
  }
  const double multiprocessors = std::max(gpu.multiprocessors, 1U);
  const double at_once =
      std::min(demand.blocks / multiprocessors, std::max(demand.resident_blocks, 1.0));
  const double footprint = demand.local_bytes * threads_of_warp * warps_of_block(demand) * at_once;
  const double beyond_l1 = footprint > gpu.l1_bytes ? 1 - gpu.l1_bytes / footprint : 0;
  // What streams through L2 beside them displaces them: as the counters of an H200 have it for
  // arrays in local memory of 9, 17, 35 and 69 MB.
  const double of_l2 = footprint * multiprocessors / gpu.l2_bytes;
  const double read = std::clamp((of_l2 - 0.27) / 0.6, 0.0, 1.0);
  const double written = std::clamp((of_l2 - 0.12) / 0.25, 0.0, 1.0);
  const double reads = demand.spill_load_sectors * beyond_l1;
  const double store_lines = demand.spill_store_sectors / sectors_of_line;
  demand.l2_read_sectors += reads;
  demand.l2_write_sectors += demand.spill_store_sectors;
  demand.l2_write_lines += store_lines;
  demand.dram_read_bytes += reads * bytes_of_sector * read;
  demand.dram_write_lines += store_lines * written;
  return demand;
}

/// What requests take of L2, in sectors of whole lines: one takes as long for a line itself as for
/// two of its sectors, as measured on an H100 and an H200.
double l2_work(double sectors, double lines) {
  constexpr double of_line = 2;
  lines = std::max(lines, sectors / sectors_of_line);
  return (sectors + of_line * lines) * sectors_of_line / (sectors_of_line + of_line);
}

/// Reads and writes take the longer of their bytes and of getting to each of their regions; a line
/// that is written in part takes as long as a whole one, as measured on an H200. Between the two
/// the memory takes its turns, most where they are alike.
double dram_nanoseconds(const Demand& demand, const TimingProfile& gpu) {
  constexpr double bytes_of_line = sectors_of_line * bytes_of_sector;
  constexpr double both = 3;  // of the norm in which the two join
  const auto together = [&](double of_bytes, double regions) {
    return std::pow(std::pow(of_bytes, both) + std::pow(regions * gpu.dram_region, both), 1 / both);
  };
  const double bytes = std::max(demand.dram_write_lines * bytes_of_line, demand.dram_write_bytes);
  const double reads = together(demand.dram_read_bytes / gpu.dram_read, demand.dram_read_regions);
  const double writes = together(bytes / gpu.dram_write, demand.dram_write_regions);
  if (reads + writes <= 0) return 0;
  constexpr double of_halves = 4;  // by which the product of two halves is one
  const double turns = of_halves * reads * writes / (reads + writes);
  return reads + writes + gpu.dram_turn * hundredth * turns;
}

/// Passes that the slice of L2 with most of them does one after the other. It has all of the
/// busiest line, and of many lines that are as busy some more than the mean slice, as where things
/// are thrown into boxes by chance.
double busiest_slice(const Demand& demand, const TimingProfile& gpu) {
  if (demand.busiest_line <= 0) return 0;
  // All slices together take a pass in atomic_sector, and one of them in atomic_same.
  const double slices = std::max(gpu.atomic_same / gpu.atomic_sector, 1.0);
  const double lines_of_slice = demand.atomic_sectors / demand.busiest_line / slices;
  const double most = lines_of_slice + std::sqrt(2 * lines_of_slice * std::log(slices));
  return demand.busiest_line * std::max(most, 1.0);
}

/// 90 % of such predictions are as near, as a share of the time.
double spread_of(Bound bound, const TimingProfile& gpu) {
  switch (bound) {
    case Bound::dram:
      return gpu.spread_memory * hundredth;
    case Bound::l1:
    case Bound::shared:
    case Bound::l2:
    case Bound::atomics:
      return gpu.spread_cache * hundredth;
    case Bound::issue:
    case Bound::pipes:
    case Bound::tensor:
      return gpu.spread_pipes * hundredth;
    case Bound::launch:
    case Bound::blocks:
    case Bound::latency:
      return gpu.spread_latency * hundredth;
  }
  return 1;
}

}  // namespace

std::array<Bound, 2> Prediction::first_bounds() const {
  std::array<Bound, bound_count> order = {};
  for (std::size_t i = 0; i < bound_count; ++i) order[i] = static_cast<Bound>(i);
  std::ranges::partial_sort(order, order.begin() + 2,
                            [&](Bound a, Bound b) { return of(a) > of(b); });
  return {order[0], order[1]};
}

Prediction predict(const Demand& asked, const TimingProfile& gpu) {
  const Demand demand = with_spills(asked, gpu);
  const double hz = gpu.clock * mega;
  const double multiprocessors = std::max(gpu.multiprocessors, 1U);
  const double most_loaded = imbalance(demand, multiprocessors);
  // Seconds of something that each multiprocessor, or each quarter of one, does one by one.
  const auto of_each = [&](double cycles) { return most_loaded * cycles / multiprocessors / hz; };
  const auto of_quarters = [&](double cycles) { return of_each(cycles / quarters); };

  Prediction result;
  const auto set = [&](Bound bound, double seconds) {
    result.alone[static_cast<std::size_t>(bound)] = seconds;
  };
  set(Bound::launch, (demand.launches * gpu.launch + demand.cold_launches * gpu.cold_launch) * us);
  set(Bound::blocks, demand.blocks * gpu.block * ns);
  const double waves = demand.blocks / multiprocessors / std::max(demand.resident_blocks, 1.0);
  set(Bound::latency,
      (std::max({waves, demand.launches, demand.longest_paths}) * path_of_block(demand, gpu) +
       std::max(waves, demand.launches) * turnover_of(demand, gpu)) /
          hz);
  set(Bound::issue, of_quarters(demand.instructions * gpu.issue));
  set(Bound::pipes, of_quarters(std::max({demand.alu * gpu.alu, demand.fma * gpu.fma,
                                          demand.conversions * gpu.alu, demand.fp64 * gpu.fp64,
                                          demand.special * gpu.special})));
  set(Bound::tensor, gpu.tensor > 0 ? of_each(demand.tensor / gpu.tensor) : 0);
  set(Bound::l1,
      of_each(std::max(demand.l1_data_wavefronts, demand.l1_tag_wavefronts) * gpu.l1_wavefront));
  set(Bound::shared, of_each(demand.shared_wavefronts * gpu.shared_wavefront));
  set(Bound::l2, bytes_of_sector / giga *
                     (l2_work(demand.l2_read_sectors, demand.l2_read_lines) / gpu.l2_read +
                      l2_work(demand.l2_write_sectors, demand.l2_write_lines) / gpu.l2_write));
  set(Bound::dram, dram_nanoseconds(demand, gpu) * ns);
  set(Bound::atomics, busiest_slice(demand, gpu) * gpu.atomic_same * ns);

  // What goes to device memory goes through L2, which does not make it longer. Blocks that wait at
  // barriers go in step, and what they do in shared memory is not hidden behind global memory.
  const double global = std::max(result.of(Bound::l2), result.of(Bound::dram));
  const double shared = result.of(Bound::shared);
  double sum = demand.barriers > 0 ? std::pow(global + shared, norm)
                                   : std::pow(global, norm) + std::pow(shared, norm);
  for (const Bound bound :
       {Bound::blocks, Bound::issue, Bound::pipes, Bound::tensor, Bound::l1, Bound::atomics}) {
    sum += std::pow(result.of(bound), norm);
  }
  // The launch comes before all of them. What flows begins with a wait, which a warp's path has
  // among its own.
  const double flow = std::pow(sum, 1 / norm) + demand.launches * start_of_flow(demand, gpu) / hz;
  result.seconds =
      result.of(Bound::launch) +
      std::pow(std::pow(flow, norm) + std::pow(result.of(Bound::latency), norm), 1 / norm);

  double spread = 0;
  double weights = 0;
  for (std::size_t i = 0; i < bound_count; ++i) {
    const double weight = result.alone[i] * result.alone[i];
    spread += weight * spread_of(static_cast<Bound>(i), gpu);
    weights += weight;
  }
  if (weights > 0) spread /= weights;
  result.low = result.seconds / (1 + spread);
  result.high = result.seconds * (1 + spread);
  return result;
}

}  // namespace sweep
