#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/emulator/count/model.h"
#include "engine/emulator/machine/launch.h"

namespace sweep {

/// Finds accesses to a block's shared memory that nothing orders: two threads reach one byte, one
/// of them writes, and there is no barrier between. Every warp has a vector clock; barriers,
/// mbarriers and atomics join them (C. Flanagan and S. Freund, "FastTrack", 2009, with warps for
/// threads). Within a warp the accesses of different lanes are ordered by what synchronises the
/// warp, or by being one instruction; two lanes that write one value to one byte together do no
/// harm. Strong accesses (volatile, relaxed, acquire, release) and atomics do not race with each
/// other, and order what comes before a write and after the read that sees it. Also finds reads of
/// bytes that nothing wrote.
class RaceDetector {
 public:
  /// What an access met.
  struct Conflict {
    bool is_unwritten = false;  ///< nothing wrote the byte that is read
    const char* earlier = "";   ///< what the other thread does: "reads", "writes" or "updates" it
    std::uint32_t thread = 0;   ///< of the earlier access, within the block
    std::uint32_t instruction = 0;
  };
  /// A lane's access to [begin, begin + bytes).
  struct Access {
    AccessKind kind = AccessKind::load;
    bool is_strong = false;  ///< atomics always are
    std::uint64_t begin = 0;
    std::uint32_t bytes = 0;
    std::uint32_t thread = 0;  ///< its number in the block
    std::uint64_t order = 0;   ///< the same for all lanes of one instruction
    std::uint32_t instruction = 0;
    const std::byte* values = nullptr;  ///< what a store has written
  };

  RaceDetector(std::uint64_t shared_bytes, std::uint32_t warps);

  /// Begins a block: nothing is written, nothing ordered.
  void reset();
  std::optional<Conflict> note(const Access& access);

  /// All lanes of a warp have met.
  void synchronise_warp(std::uint32_t warp) { ++clocks_[warp][warp]; }
  /// A warp releases to, and acquires from, an object in shared memory: an mbarrier, an atomic; or
  /// a barrier of the block, when it comes there and when it goes on.
  void release_to(std::uint64_t address, std::uint32_t warp);
  void acquire_from(std::uint64_t address, std::uint32_t warp);
  static constexpr std::uint64_t barrier_address(std::uint32_t number) {
    return ~std::uint64_t{number};
  }

 private:
  using Clocks = std::vector<std::uint32_t>;  ///< by warp
  struct Event {
    std::uint32_t clock = 0;  ///< the warp's, 0: never
    std::uint32_t thread = 0;
    std::uint32_t instruction = 0;
    std::uint64_t order = 0;
    bool is_strong = false;
  };
  struct Byte {
    Event write;
    Event read;
    Event other_read;  ///< of another warp than `read`
    std::byte value{};
  };

  bool is_before(const Event& event, const Access& access) const;
  std::optional<Conflict> note_byte(Byte& byte, const Access& access, const std::byte* value);

  std::uint32_t warps_;
  std::vector<Byte> bytes_;
  std::vector<Clocks> clocks_;  ///< of each warp: what it knows of every other
  std::unordered_map<std::uint64_t, Clocks> objects_;
};

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
