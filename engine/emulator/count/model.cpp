#include "engine/emulator/count/model.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/emulator/count/access_parts.h"
#include "engine/emulator/count/family_rules.h"

namespace sweep {
namespace {

bool is_atomic(AccessKind kind) {
  return kind != AccessKind::load && kind != AccessKind::store;
}

Wavefronts shared_wavefronts(const MemoryModel& model, const WarpAccess& access, AccessKind kind) {
  if (is_atomic(kind)) return atomic_shared(access, kind);
  switch (model.compute_capability / 10) {
    case 1:
      return tesla_shared(access);
    case 2:
      return fermi_shared(access);
    case 3:
      return kepler_shared(model, access);
    default:
      return modern_shared(access, kind);
  }
}

}  // namespace

const std::vector<int>& known_models() {
  static const std::vector<int> models{10, 11, 12, 13, 20, 30, 35,  50, 60,
                                       70, 75, 80, 86, 89, 90, 100, 120};
  return models;
}

bool has_rules(int compute_capability) {
  const std::vector<int>& models = known_models();
  if (compute_capability < 20)
    return std::find(models.begin(), models.end(), compute_capability) != models.end();
  return std::any_of(models.begin(), models.end(),
                     [&](int known) { return known / 10 == compute_capability / 10; });
}

MemoryModel default_model(int compute_capability) {
  MemoryModel model;
  model.compute_capability = compute_capability;
  model.l1_for_global = compute_capability / 10 != 3;
  return model;
}

GlobalCount count_global(const MemoryModel& model, const WarpAccess& access, AccessKind kind) {
  GlobalCount count;
  if (access.active == 0) return count;
  const std::vector<unsigned> sizes = global_transactions(model, access, kind);
  count.requests = 1;
  count.lanes = static_cast<std::uint64_t>(std::popcount(access.active));
  count.bytes_wanted = touched_blocks(access, 1).size();
  count.transactions = sizes.size();
  count.sectors = std::accumulate(sizes.begin(), sizes.end(), 0U) / 32;
  count.lines = touched_blocks(access, 128).size();
  if (model.compute_capability >= 50) {
    count.tag_wavefronts = (count.lines + 3) / 4;
    count.data_wavefronts = modern_data_wavefronts(access);
  }
  return count;
}

SharedCount count_shared(const MemoryModel& model, const WarpAccess& access, AccessKind kind) {
  SharedCount count;
  if (access.active == 0) return count;
  const Wavefronts wavefronts = shared_wavefronts(model, access, kind);
  count.requests = 1;
  count.lanes = static_cast<std::uint64_t>(std::popcount(access.active));
  count.bytes_wanted = touched_blocks(access, 1).size();
  count.wavefronts = wavefronts.taken;
  count.ideal = wavefronts.ideal;
  return count;
}

std::vector<unsigned> global_transactions(const MemoryModel& model, const WarpAccess& access,
                                          AccessKind kind) {
  if (access.active == 0) return {};
  if (is_atomic(kind)) return std::vector<unsigned>(atomic_sectors(access), 32);
  if (model.compute_capability < 20) return tesla_transactions(model, access);
  if (model.compute_capability < 50) return fermi_transactions(model, access, kind);
  return std::vector<unsigned>(touched_blocks(access, 32).size(), 32);
}

}  // namespace sweep
