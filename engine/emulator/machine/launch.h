#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/emulator/count/model.h"
#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/address_space.h"
#include "engine/emulator/machine/warp.h"

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
  bool is_affine = false;  ///< address[t] = base + t * delta
  std::uint64_t base = 0;
  std::int64_t delta = 0;
  std::uint64_t low = 0;   ///< least address
  std::uint64_t high = 0;  ///< greatest address
  std::uint64_t bits = 0;  ///< all addresses or'ed together: its low bits tell the alignment
};

/// The addresses of the lanes in `mask`, which has one. They do not count as affine where the two
/// lowest lanes are no neighbours.
Spread spread_of(const std::uint64_t* address, std::uint32_t mask);

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// How kernels are executed.
struct LaunchRules {
  MemoryModel model;
  /// Looks for what hardware lets pass: races in shared memory, reads of shared memory that nothing
  /// wrote, accesses that leave one shared variable for another, threads that meet at different
  /// barriers, mbarriers that are initialised twice.
  bool checks_kernel = false;
  /// Whether what the accesses' addresses look like is remembered.
  bool notes_shapes = false;
  /// Warp instructions that a block may execute before it counts as running away.
  std::uint64_t instruction_limit = 1'000'000'000;
  /// Once it is set, blocks end with Cancelled; may be null.
  const std::atomic<bool>* cancelled = nullptr;
  /// Where printf's text goes; may be empty.
  std::function<void(const std::string&)> print;
};

/// A kernel with everything that stays the same for all its blocks. Shared by the threads that
/// execute them.
struct Launch : LaunchRules {
  const Kernel* kernel = nullptr;
  AddressSpace* memory = nullptr;
  Dim3 grid;
  Dim3 block;
  std::uint64_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;              ///< as the kernel sees them
  std::uint64_t parameters_address = 0;           ///< where a copy of them lies in global memory
  std::vector<std::uint64_t> variable_addresses;  ///< of the module's variables, by index
  std::uint32_t multiprocessors = 1;
  /// A thread that reads what other blocks would have written ends there and then: for checks after
  /// only some blocks were executed.
  bool retires_stale_readers = false;
  /// The buffer whose first values this function computes: its accesses there pass unnoticed, and
  /// buffers at higher addresses have none yet.
  const Allocation* fills = nullptr;
  /// What messages call a function over elements: "verify", "the init of a". Empty for a kernel,
  /// whose accesses alone are counted.
  std::string function;
  /// Hears the different sectors (address / 32) of a request to global memory; may be empty.
  std::function<void(AccessKind kind, std::uint32_t multiprocessor,
                     std::span<const std::uint64_t> sectors, CachePolicy policy)>
      on_access;

  // What prepare_launch fills in.
  std::vector<std::vector<LaneMove>> moves;   ///< by memory op, one for each value
  std::vector<ConstantSlot> block_constants;  ///< that differ from block to block
  std::vector<ConstantSlot> lane_constants;   ///< a thread's number, along x, in block and grid

  std::uint32_t warps() const {
    return static_cast<std::uint32_t>((block.count() + warp_size - 1) / warp_size);
  }
  /// The lanes of a warp that are threads of the block.
  std::uint32_t lanes_of(const Warp& warp) const {
    const std::uint64_t rest = block.count() - std::uint64_t{warp.index} * warp_size;
    return rest >= warp_size ? full_mask : (std::uint32_t{1} << rest) - 1;
  }
  bool is_kernel() const { return function.empty(); }
  std::uint64_t shared_bytes() const { return kernel->static_shared_bytes + dynamic_shared_bytes; }
  /// The block's coordinates from its number, x running fastest.
  Dim3 block_at(std::uint64_t index) const {
    return {static_cast<std::uint32_t>(index % grid.x),
            static_cast<std::uint32_t>(index / grid.x % grid.y),
            static_cast<std::uint32_t>(index / grid.x / grid.y)};
  }
};

/// Fills in what follows from the kernel. Throws KernelFault for a parameter block of another size.
void prepare_launch(Launch& launch);

/// Fills the constant slots of a warp that are the same for every block of the launch.
void fill_launch_constants(const Launch& launch, const Warp& warp);
/// Fills those that differ from block to block.
void fill_block_constants(const Launch& launch, const Warp& warp, std::uint64_t block_index);

}  // namespace sweep
