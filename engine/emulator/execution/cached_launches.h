#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/emulator/cache/resident_blocks.h"
#include "engine/emulator/machine/grid_run.h"
#include "engine/emulator/machine/memory.h"
#include "engine/spec/sweep.h"

namespace sweep {

/// Executes launches and follows what they ask of the caches, which keep in L2 what the launches
/// before left there.
class CachedLaunches {
 public:
  /// The profile must outlive it.
  CachedLaunches(const DeviceProfile& profile, CacheState state)
      : profile_(profile), caches_(profile), keeps_requests_(state == CacheState::warm) {}

  /// L2 has of these buffers, which were written one after the other, what there is room for.
  void hold(const std::vector<Allocation*>& buffers);
  /// As run_grid does, whose blocks have so much shared memory each.
  GridResult run(Launch launch, GridOptions options, std::uint64_t shared_bytes);
  /// The counts of all launches. Where the caches are warm and all blocks were executed, those of
  /// the same launches a second time, unless they asked for too much to be remembered. Where not
  /// all were, those of the later ones, if others had been there before them: the first ones find
  /// nothing of what others leave.
  CacheCount finish();

 private:
  /// What a launch asked for.
  struct Kept {
    std::uint64_t l1_bytes;
    unsigned blocks_of_each;
    std::vector<BlockRequests> blocks = {};
  };

  void keep(const BlockRequests& requests);

  const DeviceProfile& profile_;
  CacheModel caches_;
  bool keeps_requests_;
  std::uint64_t kept_bytes_ = 0;
  std::vector<Kept> kept_;
  std::optional<CacheCount> part_;  ///< what counts of a launch that was not executed whole
};

/// For each of the kernel's memory ops, whether a warp that comes to it waits until everything has
/// come that it has asked global memory for before: where the op uses a value that was loaded in
/// the same basic block, or is the block's first access to global memory. Loads in a row are sent
/// together, as the compiler's assembler puts them.
std::vector<bool> find_waits(const Kernel& kernel);

}  // namespace sweep
