#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/backend/argument_objects.h"
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
  /// A thread of the block executes an instruction.
  struct Event {
    std::uint32_t thread = 0;
    std::uint32_t instruction = 0;
    std::uint64_t order = 0;  ///< the same for all lanes of one instruction
    bool is_strong = false;
    std::uint32_t clock = 0;  ///< the warp's; 0: never
  };
  /// What an access met.
  struct Conflict {
    const char* earlier = nullptr;  ///< "reads", "writes" or "updates" it; null: nothing wrote it
    Event event;                    ///< that did
  };

  RaceDetector(std::uint64_t shared_bytes, std::uint32_t warps);

  /// Begins a block: nothing is written, nothing ordered.
  void reset();
  /// An access to [begin, begin + bytes); `values` are what a store has written, null for others.
  std::optional<Conflict> note(Event now, AccessKind kind, std::uint64_t begin, std::uint64_t bytes,
                               const std::byte* values);

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
  struct Byte {
    Event write;
    Event read;
    Event other_read;  ///< of another warp than `read`
    std::byte value{};
  };

  bool is_before(const Event& event, const Event& now) const;

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

/// The memory of the block under way: checks, counts and executes its accesses. What a kernel must
/// not do is a KernelFault.
class AccessUnit {
 protected:
  /// Adds the counts to `count`. Throws std::bad_alloc and MemoryShortage.
  AccessUnit(const Launch& launch, LaunchCount& count);

  void begin_block(std::uint64_t index);
  /// Executes an op that is none of registers alone, for the lanes in `mask`.
  void execute(Warp& warp, const Op& op, std::uint32_t mask);
  /// Throws where a lane uses registers that are all undefined: `use` says how.
  void check_defined(const Warp& warp, std::span<const std::uint32_t> slots, std::uint32_t lanes,
                     const char* use, std::uint32_t instruction) const {
    if (undefined_ != nullptr) find_undefined(warp, slots, lanes, use, instruction);
  }
  void find_undefined(const Warp& warp, std::span<const std::uint32_t> slots, std::uint32_t lanes,
                      const char* use, std::uint32_t instruction) const;
  /// Throws what a lane did wrong.
  [[noreturn]] void fail_at(const Warp& warp, unsigned lane, std::uint32_t instruction,
                            const std::string& what) const;

  const Launch& launch_;
  const Kernel& kernel_;
  LaunchCount& count_;
  std::uint64_t block_index_ = 0;
  std::uint64_t writes_ = 0;  ///< how many ops have changed memory so far
  // What follows the block's accesses and values; null where nothing does.
  std::unique_ptr<RaceDetector> races_;
  std::unique_ptr<UndefinedValues> undefined_;

 private:
  using Addresses = std::array<std::uint64_t, warp_size>;
  Addresses addresses_of(const AddressOperand& address) const;

  /// What the running op does wrong in a lane, in the words of fmt::format.
  template <class... Values>
  [[noreturn]] void fail(unsigned lane, fmt::format_string<Values...> what,
                         const Values&... values) const {
    fail_with(lane, fmt::vformat(what, fmt::make_format_args(values...)));
  }
  [[noreturn]] void fail_with(unsigned lane, const std::string& what) const;

  // Loads, stores and atomics.
  void access(std::uint32_t mask);
  void access_global(WarpAccess& access, AccessKind kind);
  void access_in_block(WarpAccess& access, AccessKind kind, bool is_shared);
  void access_generic(WarpAccess& access, AccessKind kind);
  void move(const WarpAccess& access, std::uintptr_t bias, bool is_global);

  // What must hold of them.
  void check_alignment(const WarpAccess& access, const Spread& spread) const;
  void check_inside(const WarpAccess& access, const Spread& spread, bool is_shared) const;
  Allocation& resolve(const WarpAccess& access, const Spread& spread, std::uint32_t& lanes);
  void prepare(Allocation& allocation, WarpAccess& access, AccessKind kind);
  void touch(const Allocation& allocation, const std::uint64_t* begin, std::uint64_t bytes,
             std::uint32_t lanes, bool writes) const;
  void check_written(const Allocation& allocation, const std::uint64_t* begin, WarpAccess& access);
  void check_base(unsigned lane, std::uint64_t begin, std::uint64_t bytes, bool is_load) const;
  void check_writable(unsigned lane, const Allocation& allocation, std::uint64_t address) const;
  void check_races(const WarpAccess& access, AccessKind kind);
  void note_shared(std::uint64_t begin, std::uint64_t bytes, unsigned lane, AccessKind kind,
                   const std::byte* values, bool is_strong = false);

  // What they cost.
  void count_access(const WarpAccess& access, const Spread& spread, AccessKind kind,
                    ptx::Space space);
  void note_shape(const WarpAccess& access, const RequestCost& cost);

  // Copies, mbarriers and matrices.
  std::byte* bytes_at(unsigned lane, ptx::Space space, std::uint64_t address, std::uint64_t count,
                      bool is_load);
  void async_copy(std::uint32_t mask);
  void bulk_copy(std::uint32_t mask);
  std::uint64_t mbarrier_at(const AddressOperand& address, ptx::Space space, unsigned lane,
                            MbarrierMode mode);
  void mbarrier(unsigned lane);
  void move_matrices(std::uint32_t mask, bool is_load);
  void multiply_matrices(std::uint32_t mask);
  void require_whole_warp(std::uint32_t mask) const;
  void complete_bytes(unsigned lane, std::uint64_t bytes);

  // Copies of a tensor's boxes.
  void tensor_copy(std::uint32_t mask);
  void check_box_begin(const TensorMap& map, unsigned lane,
                       const std::array<std::int64_t, 5>& first) const;
  void copy_box(const TensorMap& map, unsigned lane, std::uint64_t place);
  void copy_row(const TensorMap& map, unsigned lane, const std::array<std::int64_t, 5>& coordinates,
                std::uint64_t place);

  // Textures.
  using Texel = std::array<std::uint32_t, 4>;
  /// The texels that the lanes of a warp read.
  struct TexelAddresses {
    std::array<std::uint64_t, std::size_t{4} * warp_size> places{};
    std::size_t count = 0;
    std::uint64_t element_bytes = 0;
  };
  void read_textures(std::uint32_t mask);
  Texel read_texture(const Texture& texture, unsigned lane, TexelAddresses& read);
  Texel texel_at(const Texture& texture, unsigned lane, std::int64_t x, std::int64_t y,
                 TexelAddresses& read);
  RequestCost count_texels(std::uint32_t mask, TexelAddresses& read);
  /// The object that a kernel's argument names: a tensor map or a texture.
  template <class Object>
  const Object& object_at(unsigned lane, std::uint64_t address, const char* what) const;

  // Calls, whose arguments lie in local memory.
  void print(unsigned lane);
  [[noreturn]] void assert_fail(std::uint32_t mask) const;
  void stack_allocate(unsigned lane);
  void stack_restore(unsigned lane);
  std::string text_at(std::uint64_t address) const;
  std::uint64_t argument(std::uint64_t offset, unsigned lane, unsigned bytes) const;

  std::uint32_t thread_of(unsigned lane) const { return warp_->index * warp_size + lane; }
  std::byte* local(unsigned lane) const { return local_.data() + thread_of(lane) * local_bytes_; }

  // What is executed: the memory op of loads, stores, atomics, copies and matrix moves.
  Warp* warp_ = nullptr;
  const Op* op_ = nullptr;
  const MemoryOp* memory_ = nullptr;
  std::uint64_t order_ = 0;  ///< numbers the executed ops
  // By memory op, made when it is counted first.
  std::vector<std::unique_ptr<GlobalCounter>> global_counters_;
  std::vector<std::unique_ptr<SharedCounter>> shared_counters_;
  std::vector<Allocation*> last_;  ///< by memory op: where it went last
  std::uint64_t shared_bytes_;
  LazyPages shared_;
  std::unordered_set<std::uint64_t> mbarriers_;  ///< in the block, where checked
  std::uint64_t local_bytes_;                    ///< of one thread, room for alloca included
  LazyPages local_;
  std::vector<WarpVisits> visits_;  ///< of the block, by warp and memory op; where shapes are noted
  std::vector<std::uint64_t> stack_;  ///< of each thread: where alloca takes from
};

/// Executes one block after the other. Lanes that diverge go on as fragments of their warp; the one
/// furthest behind in the order of basic blocks runs first, and fragments that meet become one.
class BlockRun : AccessUnit {
 public:
  /// Adds the counts to `count`, which nobody shares. Throws std::bad_alloc.
  BlockRun(const Launch& launch, LaunchCount& count);

  /// Begins a block by its number in the grid, or lanes of a warp (Launch::chooses_lanes).
  void start(std::uint64_t index);
  /// Begins up to a warp's worth of threads, each as if its number in the grid were that of an
  /// element: for functions over elements, whose blocks are one warp.
  void start_elements(std::span<const std::uint64_t> elements);

  /// Lets every warp execute up to `turn` basic blocks; true when all threads have ended. Throws
  /// KernelFault for what the kernel does wrong and for a block whose threads all wait for each
  /// other.
  bool run(std::uint64_t turn);
  /// Runs the block to its end, whatever the others do.
  void finish();

  std::uint64_t instructions() const { return instructions_; }
  /// Threads that ended since they read what was not theirs to judge.
  std::uint64_t retired() const { return retired_; }
  std::uint32_t live() const { return live_; }  ///< threads that have not ended
  /// Throws the KernelFault of a kernel that does not end.
  [[noreturn]] void report_runaway() const;

 private:
  struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t needed = 0;  ///< 0: all threads that have not exited
    std::uint32_t count = 0;   ///< threads whose predicate holds
    std::uint32_t votes = 0;   ///< threads that brought a predicate
  };

  void reset(std::uint64_t index);
  void begin(Warp& warp, std::uint32_t lanes);
  bool run_warp(Warp& warp, std::uint64_t turn);
  void run_fragment(Warp& warp, Fragment fragment, std::uint64_t& turn);
  template <bool follows_values>
  void run_ops(Warp& warp, const BasicBlock& block, std::uint32_t& mask);
  void retire(Warp& warp, std::uint32_t lanes);
  void count(const BasicBlock& block, std::uint32_t lanes);
  void uncount(const BasicBlock& block, std::uint32_t lanes, bool is_whole_fragment);

  // The end of a basic block: false where the fragment does not simply go on.
  bool end_block(Warp& warp, const BasicBlock& block, Fragment& fragment);
  bool branch(Warp& warp, const BasicBlock& block, Fragment& fragment);
  bool indexed_branch(Warp& warp, const BasicBlock& block, Fragment& fragment);
  bool leave(Warp& warp, const BasicBlock& block, Fragment& fragment);
  std::uint32_t lanes_of_guard(const Warp& warp, const BasicBlock& block,
                               std::uint32_t lanes) const;

  // The lanes of a warp that meet.
  bool collective(Warp& warp, const BasicBlock& block, Fragment& fragment);
  bool warp_barrier(Warp& warp, const BasicBlock& block, Fragment& fragment, std::uint32_t members);
  template <class GoesOn, class Work>
  void resume(Warp& warp, const GoesOn& goes_on, const Work& work);
  void check_members(const Warp& warp, const BasicBlock& block, const CollectiveOp& collective,
                     std::uint32_t lanes) const;
  void follow_collective(const Warp& warp, const BasicBlock& block, const CollectiveOp& collective,
                         std::uint32_t members, std::uint32_t group);

  // The warps of the block that meet.
  bool barrier(Warp& warp, const BasicBlock& block, Fragment& fragment);
  void release_complete(std::uint32_t number);
  void check_together(std::uint32_t number) const;

  [[noreturn]] void report_deadlock() const;
  [[noreturn]] void report_waiting(FaultKind kind, const std::string& what) const;

  std::uint64_t instructions_ = 0;
  std::uint64_t retired_ = 0;
  std::uint32_t live_ = 0;
  std::vector<Warp> warps_;
  bool has_spent_turn_ = false;
  std::uint64_t idle_passes_ = 0;
  LazyPages registers_;
  std::array<Barrier, 16> barriers_;
};

}  // namespace sweep
