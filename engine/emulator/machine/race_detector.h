#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

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
  enum class Access : std::uint8_t { read, write, atomic, strong_read, strong_write };

  /// What an access met.
  struct Conflict {
    bool is_unwritten = false;  ///< nothing wrote the byte that is read
    Access earlier = Access::read;
    std::uint32_t thread = 0;  ///< of the earlier access, within the block
    std::uint32_t instruction = 0;
  };

  RaceDetector(std::uint64_t shared_bytes, std::uint32_t warps);

  /// Begins a block: nothing is written, nothing ordered.
  void reset();
  /// A lane's access to [begin, begin + bytes); `thread` is its number in the block, `order` the
  /// same for all lanes of one instruction. For a write `values` are the bytes.
  std::optional<Conflict> access(Access kind, std::uint64_t begin, std::uint32_t bytes,
                                 std::uint32_t thread, std::uint64_t order,
                                 std::uint32_t instruction, const std::byte* values);

  /// All lanes of a warp have met.
  void synchronise_warp(std::uint32_t warp);
  /// A warp comes to a barrier, and leaves it after all that take part have come.
  void arrive(std::uint32_t barrier, std::uint32_t warp);
  void leave(std::uint32_t barrier, std::uint32_t warp);
  /// A warp releases to, and acquires from, an object in shared memory: an mbarrier, an atomic.
  void release_to(std::uint64_t address, std::uint32_t warp);
  void acquire_from(std::uint64_t address, std::uint32_t warp);

 private:
  using Clock = std::uint32_t;
  struct Event {
    Clock clock = 0;  ///< the warp's, 0: never
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

  bool is_before(const Event& event, std::uint32_t thread, std::uint64_t order) const;
  void tick(std::uint32_t warp);
  void join(std::vector<Clock>& into, const std::vector<Clock>& from) const;

  std::uint32_t warps_;
  std::vector<Byte> bytes_;
  std::vector<std::vector<Clock>> clocks_;  ///< of each warp: what it knows of every other
  std::vector<std::vector<Clock>> barriers_;
  std::unordered_map<std::uint64_t, std::vector<Clock>> objects_;
};

}  // namespace sweep
