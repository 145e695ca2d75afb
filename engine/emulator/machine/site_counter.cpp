#include "engine/emulator/machine/site_counter.h"

#include <algorithm>
#include <bit>

namespace sweep {

SiteCounters::SiteCounters(const MemoryModel& model, std::vector<SiteCount>& sites)
    : model_(model), global_(sites.size()), shared_(sites.size()), sites_(sites) {}

void SiteCounters::global(std::uint32_t site, const WarpAccess& access, const Spread& spread,
                          AccessKind kind) {
  std::unique_ptr<GlobalCounter>& counter = global_[site];
  if (counter == nullptr) counter = std::make_unique<GlobalCounter>(model_, kind);
  if (spread.is_affine) {
    counter->add_affine(access.address[0], spread.delta, access.width, sites_[site].global);
  } else {
    counter->add(access, sites_[site].global);
  }
}

void SiteCounters::shared(std::uint32_t site, const WarpAccess& access, const Spread& spread,
                          AccessKind kind) {
  std::unique_ptr<SharedCounter>& counter = shared_[site];
  if (counter == nullptr) counter = std::make_unique<SharedCounter>(model_, kind);
  if (spread.is_affine) {
    counter->add_affine(access.address[0], spread.delta, access.width, sites_[site].shared);
  } else {
    counter->add(access, sites_[site].shared);
  }
}

void SiteCounters::local(std::uint32_t site, const WarpAccess& access, AccessKind kind) {
  constexpr std::uint64_t word = 4;
  WarpAccess words = access;
  words.width = std::min<std::uint32_t>(access.width, word);
  // Each word of a wide access lies in the lane's column of a row of its own, and L1 counts it as
  // a request (measured on 9.0).
  for (std::uint64_t part = 0; part < access.width; part += word) {
    for (std::uint32_t rest = access.active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint64_t>(std::countr_zero(rest));
      const std::uint64_t offset = access.address[lane] + part;
      words.address[lane] = offset / word * word * warp_size + lane * word + offset % word;
    }
    sites_[site].local += count_global(model_, words, kind);
  }
}

}  // namespace sweep
