#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/emulator/machine/launch.h"

namespace sweep {

/// Finds accesses to a cluster's shared memory that nothing orders: two threads reach one byte, one
/// of them writes, and there is no barrier between. The blocks' memories, threads and warps follow
/// each other. Every warp has a vector clock; barriers, mbarriers and atomics join them (C.
/// Flanagan and S. Freund, "FastTrack", 2009, with warps for threads). Within a warp the accesses
/// of different lanes are ordered by what synchronises the warp, or by being one instruction; two
/// lanes that write one value to one byte together do no harm. Strong accesses (volatile, relaxed,
/// acquire, release) and atomics do not race with each other, and order what comes before a write
/// and after the read that sees it. Also finds reads of bytes that nothing wrote.
///
/// What a copy writes is in flight, ordered before nothing, until a thread has waited for it; then
/// it counts as written by that thread when it waited (PTX ISA, "Completion Mechanisms for
/// Asynchronous Copy Operations": only the executing thread sees it), or as written by the mbarrier
/// that completed, which orders it before those who wait for that. Each mbarrier is an agent, with
/// a clock like a warp's.
class RaceDetector {
 public:
  /// A thread of the cluster, or an agent, executes an instruction. Clocks are orders: each block
  /// numbers its own ops.
  struct Event {
    Event() = default;
    Event(std::uint64_t when, std::uint32_t who, std::uint32_t what)
        : order(when), thread(who), instruction(what & ((1U << 30U) - 1)) {}

    std::uint64_t order = 0;   ///< the same for all lanes of one instruction; 0: never
    std::uint32_t thread = 0;  ///< of an agent the first that a warp of its number had
    std::uint32_t instruction : 30 = 0;
    std::uint32_t is_strong : 1 = 0;
    std::uint32_t is_by_async_proxy : 1 = 0;
  };
  static constexpr std::uint64_t in_flight = ~std::uint64_t{0};  ///< an order: of no time yet
  /// What an access met.
  struct Conflict {
    const char* earlier = nullptr;  ///< "reads", "writes" or "updates" it; null: nothing wrote it
    Event event;                    ///< that did
    std::uint64_t byte = 0;
  };

  /// Of all blocks together. Accesses begin and end at multiples of `granule`, a power of 2 up to
  /// 16, but those of single bytes, which stand for all of theirs.
  RaceDetector(std::uint64_t shared_bytes, std::uint32_t warps, std::uint64_t granule);

  /// Begins a cluster: nothing is written, nothing ordered.
  void reset();
  /// An access to [begin, begin + bytes); `values` are what a store has written, null for others.
  std::optional<Conflict> note(const Event& now, AccessKind kind, std::uint64_t begin,
                               std::uint64_t bytes, const std::byte* values);
  /// Lanes of a warp, whether all have one address, and what they store, if they do: a lane's
  /// values are `step` bytes behind those of the lane before.
  struct Lanes {
    std::uint32_t mask = 0;
    bool is_uniform = false;
    const std::byte* values = nullptr;
    std::size_t step = 0;
  };
  /// Their plain loads or stores, the lowest lane's first, up to one that meets a conflict: that
  /// lane and what it met. `now` is lane 0's event.
  std::optional<std::pair<unsigned, Conflict>> note_lanes(const Event& now, std::uint64_t offset,
                                                          const WarpAccess& access,
                                                          const Lanes& lanes);

  /// An access to the memory of another block of the cluster.
  void note_visit(std::uint32_t block, const Event& now);
  /// A visit of a block, whose warps [begin, end) have ended, that they did not wait for.
  std::optional<Event> find_late_visit(std::uint32_t block, std::uint32_t begin,
                                       std::uint32_t end) const;
  /// A block waits for what warps have released to an object, relaxed arrivals among them.
  void outlive(std::uint32_t block, std::uint64_t address);

  /// All lanes of a warp have met, with the op of this order.
  void synchronise_warp(std::uint32_t warp, std::uint64_t order) {
    clocks_[warp][warp] = order + 1;
  }
  /// A warp releases to, and acquires from, an object in shared memory: an mbarrier, an atomic; or
  /// a barrier of a block or the cluster, when it comes there and when it goes on; or, for relaxed
  /// arrivals, its last fence.
  void release_to(std::uint64_t address, std::uint32_t warp, std::uint64_t order);
  /// A relaxed arrival: what came before the warp's last fence of the cluster's scope. Of
  /// fence.mbarrier_init that is taken for more than it orders.
  void release_fenced(std::uint64_t address, std::uint32_t warp);
  void acquire_from(std::uint64_t address, std::uint32_t warp);
  static constexpr std::uint64_t barrier_address(std::uint32_t block, std::uint32_t number) {
    return ~(std::uint64_t{block} << 32U | number);
  }
  static constexpr std::uint64_t fence_address(std::uint32_t warp) {
    return barrier_address(most_cluster_blocks + 1, warp);
  }
  /// What was released to an mbarrier is there for those who wait for it when its phase completes.
  void complete_phase(std::uint64_t key);
  void acquire_phase(std::uint64_t key, std::uint32_t warp);

  // Copies.
  /// What has just been noted as written, or updated, is in flight.
  void begin_writing(std::uint64_t begin, std::uint64_t bytes, bool is_update);
  /// It has come, or was read: by a thread, or by an agent for a warp that began the copy.
  void end_writing(std::uint64_t begin, std::uint64_t bytes, const Event& landing,
                   const std::byte* values);
  void end_reading(std::uint64_t begin, std::uint64_t bytes, const Event& landing);
  /// The agent of an mbarrier, as the thread of an event.
  std::uint32_t agent_of(std::uint64_t key);
  /// The mbarrier of an agent; nullopt for threads.
  std::optional<std::uint64_t> mbarrier_of(std::uint32_t thread) const;
  /// A copy of a warp has come by an mbarrier.
  void release_copy(std::uint64_t key, std::uint32_t warp, std::uint64_t order);
  /// A warp has waited for copies of its own, whatever else has.
  void acquire_copies(std::uint32_t warp);
  /// A fence between the generic and the async proxy: what the warp knows of is visible to both.
  void fence_proxy(std::uint32_t warp, std::uint64_t order);
  /// A byte whose last write is not visible to the async proxy of a warp, by which it is read.
  std::optional<Conflict> find_unfenced(std::uint64_t begin, std::uint64_t bytes,
                                        std::uint32_t warp) const;

 private:
  /// By warp, then by agent: what is known of the ops of each, those before an order. None are
  /// known of those behind the end.
  using Clocks = std::vector<std::uint64_t>;
  struct Knowledge {
    Clocks known;
    Clocks fenced;              ///< and visible to the async proxy
    std::uint32_t warp = none;  ///< that released to it last, and how much that had learned
    std::uint64_t lesson = 0;
  };
  /// What is known of the bytes of a granule.
  struct Cell {
    Event write;   ///< the last plain one
    Event update;  ///< the last strong one
    Event read;
    Event other_read;  ///< of another warp than `read`, or at least of another lane
  };
  static constexpr std::uint64_t cells_of_group = 64;

  /// The cells of a range that will be changed, from the first to behind the last.
  std::pair<std::uint64_t, std::uint64_t> change(std::uint64_t begin, std::uint64_t bytes);
  bool is_before(const Clocks& known, const Event& event, const Event& now) const;
  static void remember_read(Cell& cell, const Event& read);
  bool has_news_of(std::uint32_t warp, std::uint64_t begin, std::uint64_t bytes) const;
  void note_cells(const Clocks& known, const Event& now, AccessKind kind, std::uint64_t begin,
                  std::uint64_t bytes, const std::byte* values, std::optional<Conflict>& first);

  unsigned granule_shift_;
  std::vector<Cell> cells_;
  std::vector<std::uint8_t> changed_;  ///< by group of cells, since the cluster has begun
  std::vector<std::byte> values_;      ///< that the last stores have written
  std::vector<Clocks> clocks_;         ///< of each warp
  std::vector<Clocks> fenced_;  ///< of each warp; empty ones where the kernel has no such fence
  std::vector<std::uint64_t> lessons_;  ///< of each warp: how often it has learned of others
  std::vector<Clocks> own_copies_;      ///< of each warp: when mbarriers completed them
  std::map<std::uint32_t, std::map<std::uint32_t, Event>> visits_;  ///< of blocks: each warp's last
  std::map<std::uint32_t, Clocks> outlived_;                        ///< of blocks
  std::unordered_map<std::uint64_t, Knowledge> objects_;
  std::vector<std::uint64_t> agents_;  ///< the mbarriers' places
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
