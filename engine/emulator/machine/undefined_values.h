#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/emulator/machine/warp.h"

namespace sweep {

/// Follows values that nothing has defined: what a thread reads of its local memory before it has
/// written it, and what a shuffle takes from a lane that does not take part. Registers, local and
/// shared memory carry them on, lane by lane. Copies of padding and selections that leave such a
/// value out do no harm, so the caller asks where one matters: in branches, addresses and what goes
/// to global memory.
class UndefinedValues {
 public:
  UndefinedValues(const Kernel& kernel, std::uint32_t warps, std::uint64_t local_bytes,
                  std::uint64_t shared_bytes);

  /// Begins a block: registers hold nothing undefined, local memory nothing else.
  void reset();
  /// Whether a register of the warp may hold an undefined value.
  bool any(const Warp& warp) const { return has_any_[warp.index]; }

  /// Where an undefined value came from.
  struct Origin {
    std::uint32_t instruction = none;
    std::string what;  ///< "it reads byte 8 of its local memory, which it has not written"
  };
  struct Found {
    unsigned lane = 0;
    const Origin* origin = nullptr;
  };
  /// The first of these lanes in which all of the registers are undefined.
  std::optional<Found> find(const Warp& warp, std::span<const std::uint32_t> slots,
                            std::uint32_t lanes) const;

  /// A register operation, just before it is executed.
  void operate(const Warp& warp, const Op& op, std::uint32_t lanes);
  /// Registers get defined values.
  void define(const Warp& warp, std::span<const std::uint32_t> slots, std::uint32_t lanes);
  /// A byte of the block's shared, or a lane's local, memory.
  struct Place {
    bool is_shared = true;
    std::uint64_t address = 0;
    std::uint32_t thread = 0;  ///< whose local memory
  };
  /// A lane's load or store of elements.
  void load(const Warp& warp, const Op& op, unsigned lane, const Place& place);
  void store(const Warp& warp, const Op& op, unsigned lane, const Place& place);
  /// What other accesses, and the system, write.
  void define(const Place& place, std::uint64_t bytes);
  /// Lanes' results of a shuffle: the register `a` of the lanes `from`.
  void shuffle(const Warp& warp, std::uint32_t d, std::uint32_t a, std::uint32_t lanes,
               const std::array<std::uint8_t, warp_size>& from);
  /// A result of a shuffle that comes from nowhere.
  void leave_undefined(const Warp& warp, std::uint32_t d, unsigned lane, std::uint32_t instruction,
                       const std::string& what);

 private:
  /// What a byte or register holds: nothing was written, a defined value, or an undefined one with
  /// the number of its origin from here on.
  using State = std::uint8_t;
  static constexpr State unwritten = 0;
  static constexpr State defined = 1;
  static constexpr State first_origin = 2;

  struct Register {
    std::uint32_t lanes = 0;  ///< in which it is undefined
    State origin = defined;
  };

  std::size_t register_index(const Warp& warp, std::uint32_t slot) const;
  State* bytes_at(const Place& place);
  State origin_of(std::uint32_t instruction, const std::string& what);
  void set(const Warp& warp, std::uint32_t slot, std::uint32_t lanes, std::uint32_t undefined,
           State origin);

  const Kernel& kernel_;
  std::uint64_t local_bytes_;
  std::vector<Register> registers_;
  std::vector<bool> has_any_;  ///< by warp
  std::vector<State> local_;
  std::vector<State> shared_;
  bool has_shared_ = false;  ///< an undefined value may lie in shared memory
  std::vector<Origin> origins_;
};

}  // namespace sweep
