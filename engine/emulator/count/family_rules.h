#pragma once

#include <vector>

#include "engine/emulator/count/access.h"
#include "engine/emulator/count/model.h"

/// The rules of the generations, one file each. `access` has active lanes. The shared rules answer
/// wavefronts and ideal alone.
namespace sweep {

struct Wavefronts {
  std::uint64_t taken = 0;
  std::uint64_t ideal = 0;
};

// 1.0 to 1.3: half-warps, 16 banks.
std::vector<unsigned> tesla_transactions(const MemoryModel& model, const WarpAccess& access);
Wavefronts tesla_shared(const WarpAccess& access);

// 2.x and 3.x, global: lines of 128 bytes through L1, else 32 bytes.
std::vector<unsigned> fermi_transactions(const MemoryModel& model, const WarpAccess& access,
                                         AccessKind kind);
Wavefronts fermi_shared(const WarpAccess& access);

// 3.x: 32 banks of 8 bytes.
Wavefronts kepler_shared(const MemoryModel& model, const WarpAccess& access);

// From 5.0 on: sectors, and 32 banks of 4 bytes.
std::uint64_t modern_data_wavefronts(const WarpAccess& access);
Wavefronts modern_shared(const WarpAccess& access, AccessKind kind);

// Atomics, by the counts of 9.0.
std::uint64_t atomic_sectors(const WarpAccess& access);
Wavefronts atomic_shared(const WarpAccess& access, AccessKind kind);
/// Wavefronts a lane's atomic in shared memory takes: a compare-and-swap reads in one and writes in
/// another, and those of 64 bits are compare-and-swaps.
constexpr std::uint64_t shared_atomic_passes(AccessKind kind, std::uint32_t width) {
  return kind == AccessKind::compare_and_swap || width > 4 ? 2 : 1;
}

}  // namespace sweep
