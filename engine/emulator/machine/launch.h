#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/emulator/count/model.h"
#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/address_space.h"
#include "engine/emulator/machine/lane_moves.h"

namespace sweep {

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// Hears what a kernel does beyond its counts; the cache model does.
class AccessListener {
 public:
  virtual ~AccessListener() = default;
  enum class Kind : std::uint8_t { load, store, atomic };
  /// The different sectors (address / 32) of a request to global memory.
  virtual void on_access(Kind kind, std::uint32_t multiprocessor, const std::uint64_t* sectors,
                         unsigned count, CachePolicy policy) = 0;
};

/// The functions that move a memory op's values.
struct MemoryMoves {
  std::vector<LaneMove> moves;  ///< one per value
};

/// A kernel with everything that stays the same for all its blocks. Shared by the threads that
/// execute them.
struct Launch {
  const Kernel* kernel = nullptr;
  AddressSpace* memory = nullptr;
  Dim3 grid;
  Dim3 block;
  std::uint64_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;              ///< as the kernel sees them
  std::uint64_t parameters_address = 0;           ///< where a copy of them lies in global memory
  std::vector<std::uint64_t> variable_addresses;  ///< of the module's variables, by index
  MemoryModel model;
  std::uint32_t multiprocessors = 1;
  /// Looks for what hardware lets pass: races in shared memory, reads of shared memory that nothing
  /// wrote, accesses that leave one shared variable for another, threads that meet at different
  /// barriers, mbarriers that are initialised twice.
  bool checks_kernel = false;
  /// A thread that reads what other blocks would have written ends there and then: for checks after
  /// only some blocks were executed.
  bool retires_stale_readers = false;
  /// The buffer whose first values this function computes: its accesses there pass unnoticed, and
  /// buffers at higher addresses have none yet.
  const Allocation* fills = nullptr;
  /// What messages call a function over elements: "verify", "the init of a". Empty for a kernel,
  /// whose accesses alone are counted.
  std::string function;
  /// Whether what the accesses' addresses look like is remembered.
  bool notes_shapes = false;
  /// Warp instructions that a block may execute before it counts as running away.
  std::uint64_t instruction_limit = 1'000'000'000;
  /// Once it is set, blocks end with Cancelled; may be null.
  const std::atomic<bool>* cancelled = nullptr;
  AccessListener* listener = nullptr;
  /// Where printf's text goes.
  std::function<void(const std::string&)> print;

  // What prepare_launch fills in.
  std::vector<MemoryMoves> moves;             ///< by memory op
  std::vector<ConstantSlot> block_constants;  ///< that differ from block to block
  std::vector<ConstantSlot> lane_constants;   ///< a thread's number, along x, in block and grid

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

}  // namespace sweep
