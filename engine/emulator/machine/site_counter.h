#pragma once

#include <memory>
#include <vector>

#include "engine/emulator/count/fast_count.h"
#include "engine/emulator/machine/counts.h"
#include "engine/emulator/machine/lane_moves.h"

namespace sweep {

/// Counts the accesses of every static memory instruction of a kernel.
class SiteCounters {
 public:
  SiteCounters(const MemoryModel& model, std::vector<SiteCount>& sites);

  void global(std::uint32_t site, const WarpAccess& access, const Spread& spread, AccessKind kind);
  void shared(std::uint32_t site, const WarpAccess& access, const Spread& spread, AccessKind kind);
  /// `access` has the addresses within a thread's local memory, which the lanes' memories
  /// interleave word by word.
  void local(std::uint32_t site, const WarpAccess& access, AccessKind kind);

 private:
  MemoryModel model_;
  /// By site, made when the site is counted first.
  std::vector<std::unique_ptr<GlobalCounter>> global_;
  std::vector<std::unique_ptr<SharedCounter>> shared_;
  std::vector<SiteCount>& sites_;
};

}  // namespace sweep
