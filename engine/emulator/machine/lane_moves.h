#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// Moves one element of a vector between the lanes' registers and memory: lane t's element lies at
/// the host address `bias` + address[t], which is aligned to its size.
using LaneMove = void (*)(std::byte* slot, const std::uint64_t* address, std::uintptr_t bias,
                          std::uint32_t mask);

/// Loads elements of a type into slots of a register that is so many bits wide, extended as the
/// type says; null for types that do not fit.
LaneMove find_load(ptx::Type type, unsigned register_bits);
LaneMove find_store(ptx::Type type, unsigned register_bits);

/// How the addresses of a whole warp lie.
struct Spread {
  bool is_affine = false;  ///< address[t] = low + t * delta (low being lane 0's address then)
  std::int64_t delta = 0;
  std::uint64_t low = 0;   ///< least address
  std::uint64_t high = 0;  ///< greatest address
  std::uint64_t bits = 0;  ///< all addresses or'ed together: its low bits tell the alignment
};

/// The addresses of the lanes in `mask`; affine only for all 32.
Spread spread_of(const std::uint64_t* address, std::uint32_t mask);

}  // namespace sweep
