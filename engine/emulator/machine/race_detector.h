#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/emulator/count/model.h"

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
  /// A warp comes to a barrier, and leaves it after all that take part have come.
  void arrive(std::uint32_t barrier, std::uint32_t warp);
  void leave(std::uint32_t barrier, std::uint32_t warp);
  /// A warp releases to, and acquires from, an object in shared memory: an mbarrier, an atomic.
  void release_to(std::uint64_t address, std::uint32_t warp);
  void acquire_from(std::uint64_t address, std::uint32_t warp);

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
  std::array<Clocks, 16> barriers_;
  std::unordered_map<std::uint64_t, Clocks> objects_;
};

}  // namespace sweep
