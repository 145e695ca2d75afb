#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/emulator/count/model.h"
#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/address_shape.h"
#include "engine/emulator/machine/execution_plan.h"
#include "engine/emulator/machine/grid_races.h"
#include "engine/emulator/machine/memory.h"

namespace sweep {

/// Calls `work(lane)` for every lane of a mask, the lowest first.
template <class Work>
void for_each_lane(std::uint32_t mask, Work work) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    work(static_cast<unsigned>(std::countr_zero(rest)));
  }
}

inline unsigned lowest_lane(std::uint32_t mask) {
  return static_cast<unsigned>(std::countr_zero(mask));
}

constexpr std::uint32_t bit_of(unsigned lane) {
  return std::uint32_t{1} << lane;
}

/// Lanes of a warp that are at one place.
struct Fragment {
  enum class State : std::uint8_t {
    ready,
    parked,      ///< ready, but has had its turn
    collective,  ///< waits at a collective for the other lanes it names
    barrier,     ///< waits at a barrier of the block, or the cluster's
  };
  std::uint32_t block = 0;  ///< the basic block it is about to execute
  std::uint32_t mask = 0;
  State state = State::ready;
  std::uint8_t barrier = 0;  ///< the barrier it waits at

  bool waits_at(std::uint32_t number) const { return state == State::barrier && barrier == number; }
};

/// A warp of the block under way.
struct Warp {
  std::byte* registers = nullptr;
  std::uint32_t index = 0;
  std::uint32_t live = 0;  ///< lanes that have not exited
  std::uint32_t fragment_count = 0;
  std::array<Fragment, 32> fragments;
  std::uint32_t retired = 0;  ///< lanes that the running op has ended
  bool yields = false;        ///< the running op wants others to go on first
  std::uint32_t streak = 0;   ///< basic blocks executed since lanes were parked last
  bool may_wait = false;      ///< an atomic or volatile access was executed since then
  // The cluster's barrier: lanes that have come there, and those that may go on when they wait.
  std::uint32_t arrived = 0;
  std::uint32_t released = 0;

  template <class T>
  T* slot(std::uint32_t offset) const {
    return reinterpret_cast<T*>(registers + offset);
  }
  /// A lane's value of a register of 32 or 64 bits.
  std::uint64_t value(std::uint32_t offset, unsigned bits, unsigned lane) const {
    return bits == 64 ? slot<std::uint64_t>(offset)[lane] : slot<std::uint32_t>(offset)[lane];
  }
  void set_value(std::uint32_t offset, unsigned bits, unsigned lane, std::uint64_t value) const {
    if (bits == 64) {
      slot<std::uint64_t>(offset)[lane] = value;
    } else {
      slot<std::uint32_t>(offset)[lane] = static_cast<std::uint32_t>(value);
    }
  }
  /// The lanes of a predicate.
  std::uint32_t& predicate(std::uint32_t offset) const { return *slot<std::uint32_t>(offset); }
  void set_predicate(std::uint32_t offset, std::uint32_t lanes, std::uint32_t holds) const {
    predicate(offset) = (predicate(offset) & ~lanes) | (holds & lanes);
  }
  /// Gives the lanes of a 32-bit register one value.
  void set_lanes(std::uint32_t offset, std::uint32_t lanes, std::uint32_t value) const {
    auto* d = slot<std::uint32_t>(offset);
    for_each_lane(lanes, [&](unsigned lane) { d[lane] = value; });
  }

  std::span<Fragment> present() { return std::span(fragments).first(fragment_count); }
  std::span<const Fragment> present() const { return std::span(fragments).first(fragment_count); }
  /// Adds lanes to what is already at their place, or as a fragment of their own.
  void add(const Kernel& kernel, const Fragment& fragment) {
    if (fragment.mask == 0) return;
    if (kernel.blocks[fragment.block].merges && fragment.state != Fragment::State::barrier) {
      for (Fragment& other : present()) {
        if (other.block != fragment.block || other.state == Fragment::State::barrier) continue;
        other.mask |= fragment.mask;
        // Lanes that have had their turn keep having had it, so that those elsewhere get theirs.
        if (other.state != Fragment::State::parked) other.state = fragment.state;
        return;
      }
    }
    fragments[fragment_count++] = fragment;
  }
  Fragment take(std::uint32_t number) {
    const Fragment taken = fragments[number];
    fragments[number] = fragments[--fragment_count];
    return taken;
  }
  /// The ready fragment that is furthest behind, or none.
  std::uint32_t furthest_behind() const {
    std::uint32_t best = none;
    for (std::uint32_t i = 0; i < fragment_count; ++i) {
      if (fragments[i].state != Fragment::State::ready) continue;
      if (best == none || fragments[i].block < fragments[best].block) best = i;
    }
    return best;
  }
};

/// Moves one element of a vector between the lanes' registers and memory: lane t's element lies at
/// the host address `bias` + address[t], which is aligned to its size.
using LaneMove = void (*)(std::byte* slot, const std::uint64_t* address, std::uintptr_t bias,
                          std::uint32_t mask);

/// Loads elements of a type into slots of a register that is so many bits wide, extended as the
/// type says; null for types that do not fit.
LaneMove find_load(ptx::Type type, unsigned register_bits);
LaneMove find_store(ptx::Type type, unsigned register_bits);

/// What atom, red and cp.reduce do: lane t updates the value at host address `bias` + address[t].
struct AtomicUpdate {
  const MemoryOp& memory;
  std::byte* registers = nullptr;
  const std::uint64_t* address = nullptr;
  std::uintptr_t bias = 0;
  std::uint32_t mask = 0;
  bool is_global = false;
  std::uint32_t element = 0;  ///< of a vector

  std::uint32_t result() const {
    return memory.results.empty() ? memory.result : memory.results[element];
  }
};
void update_lanes(const AtomicUpdate& update);
/// cp.reduce: element after element, as one lane's atomics.
void reduce_bytes(const MemoryOp& memory, std::byte* target, const std::byte* source,
                  std::uint64_t size);
/// What such an operation makes of two values of 32 bits.
std::uint32_t combined(AtomicOperation operation, bool is_signed, std::uint32_t a, std::uint32_t b);

/// How the addresses of a whole warp lie.
struct Spread {
  bool is_affine = false;  ///< address[t] = base + t * delta
  std::uint64_t base = 0;
  std::int64_t delta = 0;
  std::uint64_t low = 0;   ///< least address
  std::uint64_t high = 0;  ///< greatest address
  std::uint64_t bits = 0;  ///< its low bits are those of all addresses or'ed together
};

/// The addresses of the lanes in `mask`, which has one. They do not count as affine where the two
/// lowest lanes are no neighbours.
Spread spread_of(const std::uint64_t* address, std::uint32_t mask);

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  /// The coordinates of a block or thread in such a grid or block, x running fastest.
  Dim3 at(std::uint64_t index) const {
    return {static_cast<std::uint32_t>(index % x), static_cast<std::uint32_t>(index / x % y),
            static_cast<std::uint32_t>(index / x / y)};
  }
};

/// How kernels are executed.
struct LaunchRules {
  MemoryModel model;
  /// Looks for what hardware lets pass: races in shared memory and between blocks, reads of shared
  /// memory that nothing wrote, accesses that leave one shared variable for another, threads that
  /// meet at different barriers, mbarriers that are initialised twice.
  bool checks_kernel = false;
  bool notes_shapes = false;  ///< remembers what the accesses' addresses look like
  /// Warp instructions that a block may execute before it counts as running away.
  std::uint64_t instruction_limit = 1'000'000'000;
  const std::atomic<bool>* cancelled = nullptr;   ///< once set, blocks end with Cancelled; or null
  std::function<void(const std::string&)> print;  ///< takes printf's text; may be empty
};

/// Accesses to the shared memory of other blocks of the cluster: one request for each block that a
/// warp's lanes reach. No figure of the hardware's is known to stand beside it.
struct RemoteCount {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;  ///< of all lanes

  static constexpr auto figures =
      std::to_array<std::uint64_t RemoteCount::*>({&RemoteCount::requests, &RemoteCount::bytes});
  RemoteCount& operator+=(const RemoteCount& other) { return add_figures(*this, other); }
  friend bool operator==(const RemoteCount&, const RemoteCount&) = default;
};

/// What one static memory instruction did, in each memory it reached.
struct SiteCount {
  GlobalCount global;
  SharedCount shared;
  GlobalCount local;
  RemoteCount remote;

  SiteCount& operator+=(const SiteCount& other) {
    global += other.global;
    shared += other.shared;
    local += other.local;
    remote += other.remote;
    return *this;
  }
  friend bool operator==(const SiteCount&, const SiteCount&) = default;
};

/// How much blocks did.
struct WorkCount {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t float_operations = 0;  ///< of all threads
  std::uint64_t product_work = 0;      ///< BasicBlock::product_work of all threads
  // Waits, of all warps.
  std::uint64_t global_waits = 0;
  std::uint64_t shared_waits = 0;
  std::uint64_t dependent_steps = 0;
  std::uint64_t barriers = 0;
  // InstructionMix, of all warps.
  std::uint64_t issued_instructions = 0;
  std::uint64_t alu_instructions = 0;
  std::uint64_t fma_instructions = 0;
  std::uint64_t fp64_instructions = 0;
  std::uint64_t special_instructions = 0;
  std::uint64_t conversion_instructions = 0;
  std::uint64_t tensor_operations = 0;

  static constexpr auto figures = std::to_array<std::uint64_t WorkCount::*>(
      {&WorkCount::warp_instructions, &WorkCount::thread_instructions, &WorkCount::float_operations,
       &WorkCount::product_work, &WorkCount::global_waits, &WorkCount::shared_waits,
       &WorkCount::dependent_steps, &WorkCount::barriers, &WorkCount::issued_instructions,
       &WorkCount::alu_instructions, &WorkCount::fma_instructions, &WorkCount::fp64_instructions,
       &WorkCount::special_instructions, &WorkCount::conversion_instructions,
       &WorkCount::tensor_operations});
  WorkCount& operator+=(const WorkCount& other) { return add_figures(*this, other); }
  friend bool operator==(const WorkCount&, const WorkCount&) = default;

  /// How much was to do, in thread instructions.
  std::uint64_t work() const { return thread_instructions + product_work; }
};

/// How long atomic operations keep each line of global memory busy: a request takes a pass for each
/// sector, and more where lanes want the same word, as many as do. Lines that come after very many
/// others are left out.
class LineVisits {
 public:
  /// `block`: who visits it.
  void add(std::uint64_t address, std::uint64_t passes, std::uint64_t block) {
    Visits& visits = at(address / line_bytes);
    visits.passes += passes;
    if (visits.blocks == 0 || visits.last_block != block) ++visits.blocks;
    visits.last_block = block;
  }
  LineVisits& operator+=(const LineVisits& other) {
    for (const auto& [line, visits] : other.visits_) {
      Visits& sum = at(line);
      sum.passes += visits.passes;
      sum.blocks += visits.blocks;
      sum.last_block = visits.last_block;
    }
    return *this;
  }
  /// Of the line that is busy longest, where these are the visits of `blocks` of a grid, which are
  /// that share of it: the others visit a line, too, that most of these do.
  std::uint64_t most(double blocks, double share) const {
    double most = 0;
    for (const auto& [line, visits] : visits_) {
      const auto passes = static_cast<double>(visits.passes);
      const bool is_of_all = 2 * static_cast<double>(visits.blocks) > blocks;
      most = std::max(most, is_of_all ? passes / share : passes);
    }
    return static_cast<std::uint64_t>(most);
  }
  friend bool operator==(const LineVisits&, const LineVisits&) = default;

 private:
  static constexpr std::uint64_t line_bytes = 128;

  struct Visits {
    std::uint64_t passes = 0;
    std::uint64_t blocks = 0;
    std::uint64_t last_block = 0;

    friend bool operator==(const Visits& a, const Visits& b) {
      return a.passes == b.passes && a.blocks == b.blocks;
    }
  };

  Visits& at(std::uint64_t line) {
    constexpr std::size_t most = 1U << 20U;
    if (visits_.size() < most) return visits_[line];
    const auto known = visits_.find(line);
    left_out_ = {};
    return known != visits_.end() ? known->second : left_out_;
  }

  std::unordered_map<std::uint64_t, Visits> visits_;
  Visits left_out_;  ///< of a line that is not among them
};

/// What blocks did.
struct LaunchCount : WorkCount {
  LineVisits atomics;
  std::uint64_t longest_block = 0;   ///< warp instructions of the block that executes most
  std::vector<SiteCount> sites;      ///< by the kernel's memory ops
  std::vector<AddressShape> shapes;  ///< the same, where the launch notes them; else empty

  LaunchCount& operator+=(const LaunchCount& other);
  void add_shapes(const LaunchCount& other);
  friend bool operator==(const LaunchCount&, const LaunchCount&) = default;
};

/// A warp's request to global memory.
struct GlobalRequest {
  std::uint64_t block = 0;  ///< its number in the grid
  std::uint32_t warp = 0;   ///< of the block
  AccessKind kind = AccessKind::load;
  std::uint32_t memory_op = 0;             ///< an index into Kernel::memory
  std::span<const std::uint64_t> sectors;  ///< address / 32, different ones, rising
  /// Of a store of some bytes alone of each of them: a bit for each of a sector's bytes.
  std::span<const std::uint32_t> partial_bytes = {};
  /// Of an atomic: how often sectors are asked for beyond once each, since lanes share words.
  std::uint64_t repeats = 0;
};

/// What a thread may take with alloca beyond its variables.
constexpr std::uint64_t alloca_room = 0x1'0000;
inline std::uint64_t local_bytes_of_thread(const Kernel& kernel) {
  return kernel.local_bytes + (kernel.has_alloca ? alloca_room : 0);
}
/// Of all lanes, whose words lie in turn.
inline std::uint64_t local_bytes_of_warp(const Kernel& kernel) {
  constexpr std::uint64_t word = 4;
  return (local_bytes_of_thread(kernel) + word - 1) / word * word * warp_size;
}

/// A kernel with all that is the same for its blocks. Shared by the threads that execute them.
struct Launch : LaunchRules {
  const Kernel* kernel = nullptr;
  AddressSpace* memory = nullptr;
  bool has_far_buffers = false;  ///< a buffer is far (Allocation::is_far)
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;  ///< in blocks: a part of the grid whose blocks run together
  bool is_explicit_cluster = false;
  bool is_cooperative = false;  ///< all blocks run together
  /// What grid.sync() works on, which %envreg1 and %envreg2 have the address of; 0: nothing.
  std::uint64_t grid_workspace = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;              ///< as the kernel sees them
  std::uint64_t parameters_address = 0;           ///< where a copy of them lies in global memory
  std::vector<std::uint64_t> variable_addresses;  ///< of the module's variables, by index
  std::vector<const Allocation*> objects;  ///< the tensor maps and textures that were made for it
  std::shared_ptr<GridRaces> races;  ///< looks for them between blocks; null where nothing does
  std::uint32_t multiprocessors = 1;
  /// A thread that reads what other blocks would have written ends there and then: for checks after
  /// only some blocks were executed.
  bool retires_stale_readers = false;
  /// The warps of a block, and lanes left out, have nothing to do with each other: a number that
  /// chooses what is executed is that of a warp in the grid, before 32 bits for its lanes.
  bool chooses_lanes = false;
  /// The buffer whose first values this function computes: its accesses there pass unnoticed, and
  /// buffers at higher addresses have none yet.
  const Allocation* fills = nullptr;
  /// What messages call a function over elements: "verify", "the init of a". Empty for a kernel,
  /// whose accesses alone are counted.
  std::string function;
  std::function<void(const GlobalRequest&)> on_request;  ///< may be empty
  /// Where what it is told of begins that lies in a block's local memory, whose words the lanes of
  /// a warp have in turn.
  std::uint64_t local_begin = 0;
  /// Accesses are told to `on_request`, and in no count but for the instructions.
  bool only_tells_requests = false;

  // What prepare_launch fills in.
  std::vector<std::vector<LaneMove>> moves;    ///< by memory op, one for each value
  std::vector<std::uint32_t> address_leaders;  ///< find_address_leaders
  ExecutionPlan plan;
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
  /// Whether blocks run beside each other that may wait for each other by reading a flag again and
  /// again: whoever finds it as it was lets others go on, and such reads are in no count.
  bool has_polls() const { return is_cooperative || cluster.count() > 1; }
  /// The grid in clusters.
  Dim3 clusters() const { return {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z}; }
  /// The number in the grid of a cluster's block.
  std::uint64_t block_of(std::uint64_t cluster_number, std::uint32_t rank) const {
    if (cluster.count() == 1) return cluster_number;
    const Dim3 at = clusters().at(cluster_number);
    const Dim3 in = cluster.at(rank);
    const std::uint64_t x = std::uint64_t{at.x} * cluster.x + in.x;
    const std::uint64_t y = std::uint64_t{at.y} * cluster.y + in.y;
    const std::uint64_t z = std::uint64_t{at.z} * cluster.z + in.z;
    return (z * grid.y + y) * grid.x + x;
  }
  std::uint64_t shared_bytes() const { return kernel->static_shared_bytes + dynamic_shared_bytes; }
  /// Where the system's own shared memory begins, and the end of all.
  std::uint64_t reserved_shared_begin() const { return (shared_bytes() + 127) / 128 * 128; }
  std::uint64_t all_shared_bytes() const {
    return kernel->has_reserved_shared ? reserved_shared_begin() + reserved_shared_bytes
                                       : shared_bytes();
  }
};

/// Fills in the plan that follows from the kernel.
void plan_execution(Launch& launch);
/// Fills in all that follows from the kernel. Throws KernelFault for a parameter block of another
/// size.
void prepare_launch(Launch& launch);

/// Fills the constant slots of a warp that are the same for every block of the launch.
void fill_launch_constants(const Launch& launch, const Warp& warp);
/// Fills those that differ from block to block, for a block that has this rank in its cluster.
void fill_block_constants(const Launch& launch, const Warp& warp, std::uint64_t block_index,
                          std::uint32_t rank);

/// A place in the source that a kernel was compiled from. Line 0: unknown.
struct FaultPlace {
  std::string file;
  std::uint32_t line = 0;
};

enum class FaultKind : std::uint8_t {
  misuse,
  deadlock,
  runaway,  ///< it took more instructions than it may
};

/// The launch was cancelled from outside.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("the launch was cancelled") {}
};

/// A kernel that did what a GPU would stop it for, or what no kernel may do: the message names the
/// thread, the source line and the access, and stands alone.
struct KernelFault : std::runtime_error {
  /// `where` describes the place, and the whole message is "where: message"; empty: the message
  /// says it in its own words, or there is no place.
  KernelFault(FaultKind fault, FaultPlace at, const std::string& where, const std::string& what)
      : std::runtime_error(where.empty() ? what : where + ": " + what),
        kind(fault),
        place(std::move(at)),
        message(what) {}

  FaultKind kind;
  FaultPlace place;
  std::string message;  ///< what happened, without `where`
};

/// "block (3, 0, 0)"
std::string describe_block(const Launch& launch, std::uint64_t block_index);
/// "block (3, 0, 0), thread (12, 0, 0)"
std::string describe_thread(const Launch& launch, std::uint64_t block_index, std::uint32_t warp,
                            unsigned lane);

/// Where the reader of a pattern finds an instruction: the innermost of its places that lies in the
/// file the kernel itself stands in. Line 0: unknown.
ptx::Place user_place(const InstructionInfo& instruction);

/// "stride.cu:28 (ld.global.f32)"
std::string describe_instruction(const Kernel& kernel, std::uint32_t instruction);

/// "byte 4 of 'tile'": what lies at a byte of the block's shared memory.
std::string describe_shared_byte(const Kernel& kernel, std::uint64_t byte);

/// Its file and line, as the compiler was told them.
FaultPlace fault_place(const Kernel& kernel, std::uint32_t instruction);
/// The fault of the later one.
KernelFault race_between_blocks(const Launch& launch, const Allocation& buffer,
                                const GridRaces::Conflict& conflict);

/// What an instruction of a function over elements did wrong, which `what` tells of "it": at the
/// line of the pattern's header that has the function.
KernelFault function_fault(const Launch& launch, std::uint32_t instruction,
                           const std::string& what);

}  // namespace sweep
