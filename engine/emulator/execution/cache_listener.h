#pragma once

#include "engine/emulator/cache/cache_model.h"
#include "engine/emulator/machine/launch.h"

namespace sweep {

/// Passes a launch's accesses on to the caches.
class CacheListener : public AccessListener {
 public:
  CacheListener(const DeviceProfile& profile, std::uint64_t l1_bytes) : model_(profile, l1_bytes) {}

  void on_access(Kind kind, std::uint32_t multiprocessor, const std::uint64_t* sectors,
                 unsigned count, CachePolicy policy) override {
    if (kind == Kind::atomic) return model_.atomic(multiprocessor, sectors, count);
    if (kind == Kind::store) return model_.store(sectors, count);
    model_.load(multiprocessor, sectors, count,
                policy == CachePolicy::all_levels ? L1Policy::cached : L1Policy::bypassed);
  }
  CacheCount finish() { return model_.finish(); }

 private:
  CacheModel model_;
};

}  // namespace sweep
