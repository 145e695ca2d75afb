#pragma once

#include <vector>

#include "engine/emulator/count/access.h"

namespace sweep {

/// The rules by which a compute capability splits a warp's accesses (CUDA C Programming Guide 4.2,
/// appendix F, up to 3.x; the profilers' counters from 5.0 on).
struct MemoryModel {
  int compute_capability = 90;    ///< major * 10 + minor
  bool l1_for_global = true;      ///< 2.x and 3.x: whether global loads go through L1's 128 B lines
  bool banks_of_64_bits = false;  ///< 3.x: the shared memory's mode

  friend bool operator==(const MemoryModel&, const MemoryModel&) = default;
};

/// Capabilities whose rules are known, rising: 10, 11, 12, 13, 20, ..., 120. Others of the same
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

// One warp instruction, by the rules of a model. An access without active lanes counts nothing.
// The atomics' rules are measured on 9.0 and used for every model.
GlobalCount count_global(const MemoryModel& model, const WarpAccess& access, AccessKind kind);
SharedCount count_shared(const MemoryModel& model, const WarpAccess& access, AccessKind kind);

/// The sizes in bytes of the transactions of one warp instruction, in the order they are issued:
/// {128, 64, 32}. From 5.0 on all are sectors.
std::vector<unsigned> global_transactions(const MemoryModel& model, const WarpAccess& access,
                                          AccessKind kind);

}  // namespace sweep
