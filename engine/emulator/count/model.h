#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

namespace sweep {

/// What the caches and the memory of every NVIDIA GPU hand out and take at the least.
constexpr std::uint64_t sector_bytes = 32;

/// One warp's memory instruction: the byte address of each lane, those of lanes outside `active`
/// without meaning, and the bytes each active lane accesses (1, 2, 4, 8, 16 or 32).
struct WarpAccess {
  std::array<std::uint64_t, 32> address{};
  std::uint32_t active = 0;
  std::uint32_t width = 4;
};

/// Adds counts figure by figure; `Count::figures` names all of them.
template <class Count>
Count& add_figures(Count& total, const Count& more) {
  std::apply([&](auto... figure) { ((total.*figure += more.*figure), ...); }, Count::figures);
  return total;
}

/// What a memory instruction costs, summed over warps. For a global access `transactions` are the
/// memory transactions of the historic capabilities (sectors from 5.0 on), and `sectors` the
/// 32-byte units they move. Wavefronts, L1's cycles, are counted from 5.0 on and 0 before.
struct GlobalCount {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;         ///< active ones
  std::uint64_t bytes_wanted = 0;  ///< different bytes touched within a request
  std::uint64_t transactions = 0;
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;  ///< different 128-byte blocks
  std::uint64_t tag_wavefronts = 0;
  std::uint64_t data_wavefronts = 0;
  std::uint64_t far_sectors = 0;  ///< those of buffers that lie elsewhere than on the device

  static constexpr auto figures = std::to_array<std::uint64_t GlobalCount::*>(
      {&GlobalCount::requests, &GlobalCount::lanes, &GlobalCount::bytes_wanted,
       &GlobalCount::transactions, &GlobalCount::sectors, &GlobalCount::lines,
       &GlobalCount::tag_wavefronts, &GlobalCount::data_wavefronts, &GlobalCount::far_sectors});
  GlobalCount& operator+=(const GlobalCount& other) { return add_figures(*this, other); }
  friend bool operator==(const GlobalCount&, const GlobalCount&) = default;
};

struct SharedCount {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;
  std::uint64_t bytes_wanted = 0;  ///< different bytes touched within a request
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal = 0;  ///< wavefronts without conflicts
  std::uint64_t conflicts() const { return wavefronts - ideal; }

  static constexpr auto figures = std::to_array<std::uint64_t SharedCount::*>(
      {&SharedCount::requests, &SharedCount::lanes, &SharedCount::bytes_wanted,
       &SharedCount::wavefronts, &SharedCount::ideal});
  SharedCount& operator+=(const SharedCount& other) { return add_figures(*this, other); }
  friend bool operator==(const SharedCount&, const SharedCount&) = default;
};

/// The rules by which a compute capability splits a warp's accesses (CUDA C Programming Guide 4.2,
/// appendix F, up to 3.x; the profilers' counters from 5.0 on).
struct MemoryModel {
  int compute_capability = 90;    ///< major * 10 + minor
  bool l1_for_global = true;      ///< 2.x and 3.x: whether global loads go through L1's 128 B lines
  bool banks_of_64_bits = false;  ///< 3.x: the shared memory's mode

  friend bool operator==(const MemoryModel&, const MemoryModel&) = default;
};

/// Capabilities whose rules are known, rising: 10, 11, 12, 13, 20, ..., 121. Others of the same
/// generation (2.1, 3.7, 6.1) count by the same rules.
const std::vector<int>& known_models();
/// Whether there are rules for a capability: one of a generation among the known models.
bool has_rules(int compute_capability);
/// The model of a capability with its defaults: L1 on for 2.x, off for 3.x, 32-bit banks.
MemoryModel default_model(int compute_capability);

/// What an instruction does at its addresses. The atomics differ in shared memory: `increment` is
/// the addition of the constant 1 without use of the result, which the hardware counts by word. An
/// atomic of 8 bytes other than compare_and_swap is a loop there: it counts as one turn of it.
enum class AccessKind { load, store, atomic, increment, compare_and_swap };

constexpr bool is_atomic(AccessKind kind) {
  return kind != AccessKind::load && kind != AccessKind::store;
}

// One warp instruction, by the rules of a model; addresses are multiples of the width. An access
// without active lanes counts nothing. The atomics' rules are measured on 9.0 and used for every
// model.
void add_access(const MemoryModel& model, const WarpAccess& access, AccessKind kind,
                GlobalCount& total);
void add_access(const MemoryModel& model, const WarpAccess& access, AccessKind kind,
                SharedCount& total);
inline GlobalCount count_global(const MemoryModel& model, const WarpAccess& access,
                                AccessKind kind) {
  GlobalCount count;
  add_access(model, access, kind, count);
  return count;
}
inline SharedCount count_shared(const MemoryModel& model, const WarpAccess& access,
                                AccessKind kind) {
  SharedCount count;
  add_access(model, access, kind, count);
  return count;
}

// Loads and stores before 5.0.
/// The sizes in bytes of the transactions of one warp instruction, in the order they are issued:
/// {128, 64, 32}.
std::vector<unsigned> historic_transactions(const MemoryModel& model, const WarpAccess& access,
                                            AccessKind kind);
struct Wavefronts {
  std::uint64_t taken = 0;
  std::uint64_t ideal = 0;
};
Wavefronts historic_wavefronts(const MemoryModel& model, const WarpAccess& access);

/// Counts one static instruction's accesses, many times over. Accesses whose addresses lie as those
/// of one seen before are looked up, since a count depends on where the first address lies only up
/// to whole lines. Not for several threads.
template <class Count>
class AccessCounter {
 public:
  AccessCounter(const MemoryModel& model, AccessKind kind)
      : model_(model), kind_(kind), period_(model.compute_capability < 50 ? 256 : 128) {}

  /// Adds one warp's access, which has an active lane, to `total`.
  void add(const WarpAccess& access, Count& total);

  /// As `add`, for active lanes t at base + t * delta (modulo 2^64), without looking at addresses.
  void add_affine(std::uint64_t base, std::int64_t delta, std::uint32_t width, Count& total,
                  std::uint32_t active = ~0U) {
    const std::uint64_t place = base & (period_ - 1);
    const std::uint64_t key = place << 40 | static_cast<std::uint64_t>(width) << 32 | active;
    // Words that follow each other, as the rows of a pitched array begin, do not collide.
    Known& known = known_[(place / 4 + static_cast<std::uint64_t>(delta) * 5) % known_.size()];
    if (known.key != key || known.delta != delta) learn(known, key, delta);
    total += known.count;
  }

 private:
  struct Known {
    std::uint64_t key = 0;  ///< base mod period_, width, active lanes; 0 is no access
    std::int64_t delta = 0;
    Count count;
  };

  /// Addresses of any form; those of lanes that are not active have to be the same, too.
  struct Form {
    std::uint64_t key = 0;
    std::array<std::uint64_t, 32> distances{};  ///< from the first lane's
    bool is_known = false;                      ///< false: only the last distance is
    Count count;
  };

  void learn(Known& known, std::uint64_t key, std::int64_t delta) const;

  MemoryModel model_;
  AccessKind kind_;
  std::uint64_t period_;  ///< bytes after which the rules repeat, a power of 2
  std::array<Known, 32> known_{};
  std::vector<Form> forms_;  ///< made when one is counted first
};

using GlobalCounter = AccessCounter<GlobalCount>;
using SharedCounter = AccessCounter<SharedCount>;

}  // namespace sweep
