#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/emulator/cache/resident_blocks.h"
#include "engine/emulator/machine/grid_run.h"
#include "engine/emulator/machine/memory.h"
#include "engine/spec/sweep.h"

namespace sweep {

/// What requests have done to the caches so far, or between two times. Bytes written to DRAM
/// include those that are still to be written back.
struct CacheProgress {
  SentSectors sent;
  CacheCount count;

  CacheProgress& operator-=(const CacheProgress& other);
  /// The counts of `whole`, of which these are a part, when the rest goes as `rate`, a later part
  /// of these, did.
  CacheCount extrapolated(const CacheProgress& rate, const SentSectors& whole) const;
};

/// Whether two parts of a launch have the same hit rates, and as many bytes of DRAM for each
/// sector, within a hundredth.
bool have_same_rates(const CacheProgress& a, const CacheProgress& b);

/// How much of a launch is followed through the caches.
struct CacheLimits {
  /// Sectors asked for, of each launch; what comes later is not looked at.
  std::uint64_t most_sectors = ~std::uint64_t{0};
  // Of a launch that is executed for the caches alone:
  /// Thread instructions: up to the first it is executed whole; none more than the second.
  std::uint64_t whole_budget = 60'000'000;
  std::uint64_t most_instructions = 1'000'000'000;
};

/// What a kernel's accesses to global memory ask the caches for.
SentSectors sent_sectors(const Kernel& kernel, const LaunchCount& count);

/// Executes launches and follows what they ask of the caches, which keep in L2 what the launches
/// before left there.
class CachedLaunches {
 public:
  /// The profile must outlive it. Where the caches are warm, L2 has of the buffers, which were
  /// written one after the other, what there is room for.
  CachedLaunches(const DeviceProfile& profile, CacheState state, std::vector<Allocation*> buffers,
                 const CacheLimits& limits = {});

  /// As run_grid does, whose blocks have so much shared memory each.
  GridResult run(Launch launch, GridOptions options, std::uint64_t shared_bytes);
  /// Executes as many of a launch's first blocks as tell what all of them do to the caches, which
  /// ask for `whole`. Of the kernel only its request_skeleton is executed. Gives the number of
  /// these blocks.
  std::uint64_t sample(Launch launch, GridOptions options, std::uint64_t shared_bytes,
                       const SentSectors& whole);
  /// The counts of all launches. Where the caches are warm and everything was followed, those of
  /// the same launches a second time, without what is still to be written back then, unless they
  /// asked for too much to be remembered. Where not
  /// all blocks were executed, those of the later ones, if others had been there before them: the
  /// first ones find nothing of what others leave. Where not everything was followed, what is
  /// missing counts as what came last.
  CacheCount finish();
  /// That the counts of the last launch to `run` stand for.
  std::uint64_t blocks() const { return blocks_; }

 private:
  /// What a launch asked for.
  struct Kept {
    std::uint64_t l1_bytes;
    unsigned blocks_of_each;
    std::uint64_t local_bytes;  ///< of a block
    std::vector<BlockRequests> blocks = {};
  };
  class Follower;

  void hold();
  void keep(const BlockRequests& requests);
  void extrapolate(const CacheProgress& last, const CacheProgress& rate, const SentSectors& whole);

  const DeviceProfile& profile_;
  std::vector<Allocation*> buffers_;
  CacheLimits limits_;
  CacheModel caches_;
  bool keeps_requests_;
  std::uint64_t kept_bytes_ = 0;
  std::vector<Kept> kept_;
  std::optional<CacheCount> part_;  ///< what counts of a launch that was not executed whole
  CacheCount sum_;                  ///< of the launches so far, where one is extrapolated
  bool is_extrapolated_ = false;
  std::uint64_t blocks_ = 0;
  /// What L2 has, after a launch that was not followed to its end: about the ends of the buffers.
  bool is_unknown_ = false;
};

/// For each of the kernel's memory ops, whether a warp that comes to it waits until everything has
/// come that it has asked global memory for before: where the op uses a value that was loaded in
/// the same basic block, or is the block's first access to global memory. Loads in a row are sent
/// together, as the compiler's assembler puts them; those that the machine code has before what
/// waits have come with it.
std::vector<bool> find_waits(const Kernel& kernel);

}  // namespace sweep
