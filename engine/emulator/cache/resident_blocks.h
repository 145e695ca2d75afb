#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/emulator/cache/cache_model.h"
#include "engine/emulator/cache/request_log.h"

namespace sweep {

/// What the warps of a block asked for.
using BlockRequests = std::vector<RequestLog>;

/// Sectors that were asked for, but by prefetches, with the atomics' repeats.
struct SentSectors {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t atomics = 0;

  std::uint64_t all() const { return loads + stores + atomics; }
  friend bool operator==(const SentSectors&, const SentSectors&) = default;
};

/// Sends the requests of blocks through the caches in about the order in which a device does: as
/// many blocks as there is room for are resident on each multiprocessor. The first 8 go to
/// multiprocessors of one GPC, the next ones one to each of the others, or where the grid has fewer
/// to the same share of every GPC, those in a row to one. Later ones go to another one that has
/// room, as if by chance. A warp sends one request after the other until one waits for what was
/// asked for before, which takes as long as its way through the caches; of the warps that can go on
/// the oldest does. So a block whose data lies in L1 gets ahead of the others. The barriers of a
/// block are not waited for.
class ResidentBlocks {
 public:
  /// `caches` must outlive it; `blocks`: in the grid; `local_bytes`: of a block, a multiple of 128.
  ResidentBlocks(CacheModel& caches, unsigned multiprocessors, unsigned blocks_of_each,
                 std::uint64_t blocks, std::uint64_t local_bytes = 0);

  /// The grid's next block. Where no multiprocessor has room, those that are there go on until one
  /// has.
  void add(BlockRequests requests);
  /// All go on to their end.
  void finish();
  /// They go on until so many sectors were sent, or to their end.
  void run_until(std::uint64_t sectors);
  const SentSectors& sent() const { return sent_; }

 private:
  using Cycles = double;
  struct RunningWarp {
    RequestLog::Reader requests;
    std::size_t slot = 0;     ///< of its block
    std::uint64_t age = 0;    ///< how many came before it
    Cycles last_arrival = 0;  ///< of what it has asked for
  };
  struct Multiprocessor {
    std::vector<std::size_t> slots;  ///< for blocks: how many warps of one are not at their end
    std::vector<RunningWarp> warps;  ///< those at their end among them
    std::vector<std::size_t> free;   ///< of these: whose place may be taken
    /// When each of the warps that wait may go on; a heap with the first one on top.
    std::vector<std::pair<Cycles, std::size_t>> waiting;
    /// The others by their age; a heap with the oldest on top.
    std::vector<std::pair<std::uint64_t, std::size_t>> ready;
    std::uint64_t warps_so_far = 0;
    Cycles load_unit = 0;  ///< is free from then on
    Cycles from_l2 = 0;    ///< what it has asked L2 for has come by then
  };

  bool place(BlockRequests& requests);
  void place_local_memory(unsigned multiprocessor, std::size_t slot);
  bool is_any_under_way() const;
  void run_slice();
  bool run_turn(Multiprocessor& multiprocessor, unsigned number);
  Cycles arrival_of(Multiprocessor& multiprocessor, const SectorSources& sources, Cycles begin);

  CacheModel& caches_;
  std::vector<Multiprocessor> multiprocessors_;
  std::vector<Cycles> launched_;  ///< by TPC: when a block of it can begin
  std::size_t last_;              ///< the multiprocessor that got a block last
  std::size_t first_;             ///< blocks: one to each multiprocessor, or fewer
  std::uint64_t local_sectors_;   ///< of a block
  std::uint64_t blocks_ = 0;      ///< that were placed
  Cycles now_ = 0;                ///< all have come so far
  Cycles from_dram_ = 0;
  Request request_;
  SentSectors sent_;
};

}  // namespace sweep
