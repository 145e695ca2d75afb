#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/emulator/alu/alu.h"
#include "engine/emulator/alu/matrix_product.h"
#include "engine/emulator/ptx/module.h"

namespace sweep {

/// Blocks of a cluster, at most: where a kernel gives up being portable.
constexpr std::uint32_t most_cluster_blocks = 16;

/// Where generic addresses of shared and local memory lie; every other one is global. A thread's
/// local addresses proper begin at 0, and so do the shared ones: those of the block with rank r in
/// its cluster at r * window_size, as on hardware.
constexpr std::uint64_t window_size = 0x100'0000;
constexpr std::uint64_t shared_window = 0x1'0000'0000;
constexpr std::uint64_t shared_window_size = most_cluster_blocks * window_size;
constexpr std::uint64_t local_window = shared_window + shared_window_size;

/// What the system reserves of a block's shared memory, behind what the block has: cooperative
/// groups' reductions over several warps meet there.
constexpr std::uint64_t reserved_shared_bytes = 1024;
/// From its beginning to the part that is theirs.
constexpr std::uint64_t reserved_shared_part = 64;

/// No slot, no instruction, no target.
constexpr std::uint32_t none = 0xffffffff;

enum class OpKind : std::uint8_t {
  alu,
  load,
  store,
  atomic,
  async_copy,   ///< cp.async: a lane copies from global to shared memory
  bulk_copy,    ///< cp.async.bulk: each active lane copies a range
  tensor_copy,  ///< cp.async.bulk.tensor: each active lane copies a box
  texture,      ///< tex, tld4
  mbarrier,
  copy_group,   ///< cp.async.commit_group, wait_group, wait_all and those of bulk copies
  proxy_fence,  ///< fence.proxy.async for shared memory
  load_matrix,
  store_matrix,
  multiply_matrices,
  cluster_address,     ///< mapa, getctarank
  multiply_warpgroup,  ///< wgmma.mma_async: a warp's share
  order_warpgroup,     ///< wgmma.fence, commit_group, wait_group; setmaxnreg
  move_frame,          ///< where a function that calls itself is called, and is done
  read_clock,          ///< clock, clock64, globaltimer
  nanosleep,
  fence,          ///< of the scope of the grid, or more
  cluster_fence,  ///< of the cluster's, or of mbarriers' initialisation
  stack_allocate,
  stack_restore,
  print,
  assert_fail,
  // Communication between the lanes of a warp. Those that name their lanes end a basic block.
  shuffle,
  vote,
  match,
  reduce,
  active_mask,
  elect,
  warp_barrier,
  move_matrix,
  // Communication between the warps of a block, or cluster: ends a basic block.
  cluster_barrier,
  barrier,
};

/// When a register operation's result is undefined as one of its sources is.
enum class Blend : std::uint8_t {
  any,      ///< whichever source it is
  bitwise,  ///< when all are: parts of the result come from each
  select,   ///< when the one that the predicate `c` chooses is
};

/// One operation of a warp. Operands are byte offsets into the warp's registers.
struct Op {
  OpKind kind = OpKind::alu;
  bool is_guard_negated = false;
  bool is_copy = false;   ///< a register operation that moves one register to another
  bool may_wait = false;  ///< an atomic or volatile access: loops of it wait for others
  // Which operands a register operation has beside its destination.
  bool reads_a : 1 = false;
  bool reads_b : 1 = false;
  bool reads_c : 1 = false;
  bool reads_e : 1 = false;
  bool writes_d2 : 1 = false;
  Blend blend : 2 = Blend::any;
  std::uint32_t guard = none;  ///< a predicate's slot
  AluFunction alu = nullptr;
  AluOperands operands;
  std::uint32_t detail = none;       ///< index into the kernel's table for the op's kind
  std::uint32_t instruction = none;  ///< index into Kernel::instructions
};

/// From the beginning of a 128-bit register to its upper half.
constexpr std::uint32_t upper_half = warp_size * 8;

/// What an op of several values reads or writes: {a, b, c, d} as slots; `none` for `_`.
using SlotList = std::vector<std::uint32_t>;

/// `[slot + offset]`
struct AddressOperand {
  std::uint32_t slot = none;
  bool is_64 = true;  ///< the slot's width
  std::int64_t offset = 0;
};

enum class AtomicOperation : std::uint8_t {
  add,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,  ///< those that redux has end here
  increment,
  decrement,
  exchange,
  compare_exchange
};

/// Whether values of the type can be updated so; floating ones have sums, minima and maxima.
bool has_atomic(AtomicOperation operation, ptx::Type type);

/// How a load looks for its data, as far as it shows in counts.
enum class CachePolicy : std::uint8_t {
  all_levels,
  level_2_only,
  prefetch,  ///< nobody waits for it, and it comes as far as L2
};

/// A static load, store, atomic, copy or matrix move.
struct MemoryOp {
  ptx::Space space = ptx::Space::global;
  ptx::Type type = ptx::Type::b32;  ///< of one element in memory
  std::uint32_t elements = 1;       ///< of a vector
  AddressOperand address;
  SlotList values;                 ///< loaded or stored
  std::vector<std::uint8_t> bits;  ///< the width of each value's slot: 16, 32 or 64
  /// False for parameters, and for what another access of the machine code does.
  bool is_counted = true;
  /// Of an access to global memory that nothing depends on but its counts (request_skeleton), and
  /// of a prefetch.
  bool moves_no_data = false;
  bool is_volatile = false;  ///< volatile, relaxed, acquire, release, mmio
  bool is_release = false;   ///< other blocks that see it see what came before
  /// shared::cluster, of a copy where it goes to: another block of the cluster may have it.
  bool is_of_cluster = false;
  CachePolicy policy = CachePolicy::all_levels;
  /// The variable in shared memory that the address, of a copy the one it writes to, is computed
  /// from: an index into Kernel::shared_variables; none: not known.
  std::uint32_t shared_base = none;
  // Loads and stores, as the machine code has them (issue_as_compiled).
  std::uint32_t issued_bytes = 0;    ///< of a lane, where that differs from bytes(); 0: it does not
  std::uint32_t issued_offset = 0;   ///< from the address to where these begin, or lie
  std::uint32_t joined = 0;          ///< accesses of the PTX that are parts of this one
  bool is_uncertain = false;         ///< counts as in the PTX, but may be otherwise
  std::uint32_t issue_order = none;  ///< rises in the machine code; none: not known
  // Atomics.
  AtomicOperation operation = AtomicOperation::add;
  std::uint32_t result = none;
  SlotList results = {};  ///< of a vector, whose elements are updated one by one
  bool has_unused_result = false;
  bool is_increment = false;  ///< adds the constant 1, and nothing reads the result
  /// One lane does the work of all where they have one address: the compiler sees that they have.
  bool is_aggregated = false;
  // Copies: `space` and `address` are the source's.
  ptx::Space to_space = ptx::Space::shared;
  AddressOperand to_address;
  std::uint32_t copy_bytes = 0;        ///< of cp.async; 0: in the slot `size`
  std::uint32_t size = none;           ///< slot of the bytes read; the rest is zero
  std::uint32_t ignore_source = none;  ///< predicate slot
  AddressOperand barrier;              ///< mbarrier of a bulk copy
  std::uint32_t multicast = none;      ///< slot of the mask of ranks that get a copy each
  bool is_reduction = false;           ///< cp.reduce
  // Tensor copies and textures: on the side that is no range, the address is the tensor map's or
  // the texture.
  SlotList coordinates = {};
  std::uint8_t dimensions = 0;
  bool picks_rows = false;  ///< gather4 and scatter4: a column's and four rows' coordinates
  bool has_float_coordinates = false;
  std::int8_t queried = -1;   ///< txq: which extent
  std::int8_t gathered = -1;  ///< tld4: of which component
  // Matrices.
  std::uint32_t matrices = 0;
  bool is_transposed = false;  ///< of a plain load: what it loads is, as movmatrix does it
  std::uint32_t bytes() const { return ptx::bytes_of(type) * elements; }
};

enum class ShuffleMode : std::uint8_t { up, down, butterfly, index };
enum class VoteMode : std::uint8_t { all, any, uniform, ballot };

/// shfl, vote, match, redux, activemask, elect, bar.warp.sync, movmatrix.
struct CollectiveOp {
  std::uint32_t members = none;  ///< slot of the mask of lanes taking part; none: those active
  std::uint32_t d = none;
  std::uint32_t predicate = none;  ///< the second destination
  std::uint32_t a = none;
  std::uint32_t b = none;
  std::uint32_t c = none;
  bool is_a_negated = false;
  std::uint8_t bits = 32;  ///< of `a`
  ShuffleMode shuffle = ShuffleMode::index;
  VoteMode vote = VoteMode::all;
  bool is_match_all = false;
  AtomicOperation reduce = AtomicOperation::add;
  bool is_signed = false;
  // redux of f32.
  bool is_floating = false;
  bool is_absolute = false;  ///< of magnitudes
  bool keeps_nan = false;    ///< NaN where one is; else where all are
};

/// mma, wmma.mma, a warp's 16 rows of wgmma: the registers of each matrix, and what makes the
/// product.
struct MatrixOp {
  MatrixProduct product;
  SlotList a;
  SlotList b;
  SlotList c;
  SlotList d;
  MatrixFunction multiply = nullptr;
  bool is_ordered = false;  ///< of a sparse a's metadata the lower index comes first
  // Of wgmma.
  std::uint32_t a_descriptor = none;  ///< of a in shared memory, a slot of 64 bits
  std::uint32_t b_descriptor = none;
  bool is_a_across = false;  ///< in memory lines' elements at one place along k are side by side
  bool is_b_across = false;
  std::uint32_t scale_d = none;  ///< the predicate that d counts for: else it begins with zeros
};

enum class WarpgroupMode : std::uint8_t { fence, commit, wait, registers };

/// wgmma.fence, wgmma.commit_group, wgmma.wait_group, setmaxnreg.
struct WarpgroupOrder {
  WarpgroupMode mode = WarpgroupMode::fence;
  std::uint32_t groups = 0;  ///< that `wait` leaves under way
};

enum class BarrierMode : std::uint8_t { sync, arrive, reduce_popc, reduce_and, reduce_or };

/// bar and barrier, block-wide; barrier.cluster, which has no number and waits as `sync` does.
struct BarrierOp {
  BarrierMode mode = BarrierMode::sync;
  std::uint32_t barrier = none;  ///< slot of its number
  std::uint32_t threads = none;  ///< slot of the thread count; none: the whole block
  std::uint32_t d = none;
  std::uint32_t predicate = none;
  bool is_negated = false;
  bool is_aligned = false;  ///< all lanes of a warp execute the same one together
  bool is_relaxed = false;  ///< an arrival that orders no memory
};

/// mapa, and getctarank where there is no rank.
struct ClusterAddressOp {
  std::uint32_t d = none;
  std::uint32_t a = none;
  std::uint32_t rank = none;
  std::uint8_t bits = 64;  ///< of the address
  bool is_generic = false;
};

enum class MbarrierMode : std::uint8_t {
  init,
  invalidate,
  expect_tx,
  complete_tx,
  arrive,
  arrive_expect_tx,
  arrive_drop,
  wait,  ///< test_wait, and try_wait, which gives up at once
  wait_parity,
  pending_count,
  async_arrive
};

struct MbarrierOp {
  MbarrierMode mode = MbarrierMode::arrive;
  ptx::Space space = ptx::Space::shared;
  AddressOperand address = {};
  std::uint32_t d = none;
  std::uint32_t value = none;  ///< count, bytes, state or parity
  std::uint8_t value_bits = 32;
  bool is_without_increment = false;  ///< cp.async.mbarrier.arrive.noinc
  bool is_of_cluster = false;         ///< shared::cluster, or generic
  AddressOperand beside = {};         ///< st.async's data, which has the same block's memory

  bool waits() const { return mode == MbarrierMode::wait || mode == MbarrierMode::wait_parity; }
};

/// What a thread does with the groups of copies that it has begun.
struct CopyGroupOp {
  bool is_bulk = false;
  bool commits = false;          ///< ends the group that takes copies
  bool waits = false;            ///< for all groups but the last `most`
  bool waits_for_reads = false;  ///< until they have read their sources
  std::uint64_t most = 0;
};

/// vprintf, __assertfail, alloca: arguments lie in the thread's local memory.
struct CallOp {
  std::vector<std::uint32_t> arguments;  ///< their offsets in local memory
  std::uint32_t result = none;           ///< offset in local memory of the result, or none
  std::uint32_t base = none;  ///< a slot that they lie behind; none: they lie where they say
  std::uint32_t d = none;     ///< alloca, stacksave: a register
  std::uint32_t a = none;
};

/// What a thread does where a function that calls itself is called: `enter` and `leave` from
/// outside, `push` and `pop` from within.
struct FrameMove {
  enum class Kind : std::uint8_t { enter, push, pop, leave };
  /// Bytes of local memory. Within the function they lie behind the base of a call.
  struct Copy {
    std::uint64_t outer = 0;  ///< where the caller has them
    std::uint64_t inner = 0;  ///< where the function called has them
    std::uint64_t bytes = 0;
  };
  struct Kept {
    std::uint32_t slot = none;
    std::uint8_t bits = 32;  ///< 1, 32 or 64
  };
  Kind kind = Kind::enter;
  std::uint32_t base = none;  ///< slot
  std::uint64_t size = 0;     ///< from one call's base to the next one's
  std::uint64_t kept_at = 0;  ///< behind the base: where registers are kept, 8 bytes for each
  std::vector<Kept> kept = {};
  std::vector<Copy> copies = {};
};

/// Of a thread, for calls of functions that call themselves.
constexpr std::uint64_t call_stack_bytes = 0x1'0000;

enum class EndKind : std::uint8_t {
  next,            ///< goes on at `next`
  branch,          ///< at `target` where the predicate holds, else at `next`
  indexed_branch,  ///< at targets[index]
  exit,
  trap,
  collective,  ///< waits for the lanes it names, executes `op`, goes on at `next`
  barrier,
};

/// What a warp waits for one after the other in a basic block: its longest chain of ops, each of
/// which needs the one before. What does not depend on each other is waited for together.
struct Waits {
  std::uint32_t global = 0;    ///< global memory, textures, copies, atomics' results
  std::uint32_t shared = 0;    ///< shared and local memory
  std::uint32_t steps = 0;     ///< ops
  std::uint32_t barriers = 0;  ///< of the block, or the cluster
};

/// Warp instructions of machine code, estimated from PTX where that is not there, and what they
/// take of the pipes: in slots of 32 lanes at the pipe's full rate for 32-bit values.
struct InstructionMix {
  std::uint32_t issued = 0;
  std::uint32_t alu = 0;          ///< integer sums, logic, shifts, comparisons, choices
  std::uint32_t fma = 0;          ///< sums and products of floats; an integer product takes two
  std::uint32_t fp64 = 0;         ///< of doubles
  std::uint32_t special = 0;      ///< functions at a quarter of the rate, and counting bits
  std::uint32_t conversions = 0;  ///< from and to floating-point types
  std::uint32_t tensor_operations = 0;  ///< multiply-adds of products of matrices

  InstructionMix& operator+=(const InstructionMix& other) {
    issued += other.issued;
    alu += other.alu;
    fma += other.fma;
    fp64 += other.fp64;
    special += other.special;
    conversions += other.conversions;
    tensor_operations += other.tensor_operations;
    return *this;
  }
  friend bool operator==(const InstructionMix&, const InstructionMix&) = default;
};

/// The part of a line of the PTX in its basic block's mix.
struct LineMix {
  std::uint32_t ptx_line = 0;
  InstructionMix mix;
};

/// Straight-line code and where it leads. Blocks stand in an order in which a loop's blocks are
/// adjacent and what follows them comes later, so that lanes that diverged meet again when those
/// furthest behind run first.
struct BasicBlock {
  std::uint32_t first_op = 0;
  std::uint32_t op_count = 0;
  std::uint32_t instructions = 0;      ///< PTX instructions, the last one included
  std::uint32_t float_operations = 0;  ///< of a thread
  /// What a thread's share in products of matrices takes, in instructions.
  std::uint32_t product_work = 0;
  Waits waits;
  InstructionMix mix;          ///< of a warp
  std::vector<LineMix> lines;  ///< of its instructions
  EndKind end = EndKind::next;
  bool is_negated = false;
  std::uint32_t predicate = none;
  std::uint32_t target = none;
  std::uint32_t next = none;
  std::uint32_t instruction = none;    ///< of the end; of the first op where it has none
  std::uint32_t index = none;          ///< slot of an indexed branch's index
  std::vector<std::uint32_t> targets;  ///< of an indexed branch
  bool merges = true;                  ///< lanes that come one after the other go on together
  Op op;                               ///< of a collective or barrier

  bool has_op() const { return end == EndKind::collective || end == EndKind::barrier; }
};

/// A slot that holds a constant, or what is constant for a launch, block or warp.
struct ConstantSlot {
  enum class Kind : std::uint8_t {
    immediate,       ///< value
    parameter,       ///< `type` at byte `value` of the parameters
    parameter_base,  ///< the address of the parameters plus value
    variable,        ///< the address of module variable `value` plus `offset`
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    gridid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    dynamic_shared_size,
    total_shared_size,
    all_shared_size,  ///< with the reserved
    reserved_shared_begin,
    reserved_shared_end,
    reserved_shared_capacity,
    reserved_shared_0,
    reserved_shared_1,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    cluster_nctaid_x,
    cluster_nctaid_y,
    cluster_nctaid_z,
    cluster_nctarank,
    is_explicit_cluster,
    envreg1,  ///< the upper half of the address of what grid.sync() works on
    envreg2,  ///< the lower half
    // What differs between the blocks of a grid of clusters.
    clusterid_x,
    clusterid_y,
    clusterid_z,
    cluster_ctaid_x,
    cluster_ctaid_y,
    cluster_ctaid_z,
    cluster_ctarank,
    shared_address,  ///< value, from where the block's shared memory begins
  };
  Kind kind = Kind::immediate;
  bool varies_by_lane = false;  ///< or is read as others that do
  std::uint8_t bits = 32;       ///< of the value: 1, 8, 16, 32 or 64
  ptx::Type type = ptx::Type::b32;
  std::uint64_t value = 0;
  std::int64_t offset = 0;
  std::uint32_t slot = 0;
};

/// For messages and reports: what an op was in the PTX, and where in the source.
struct InstructionInfo {
  std::string opcode;
  std::uint32_t ptx_line = 0;
  std::vector<ptx::Place> places;  ///< its own first, then the calls it was inlined through
};

/// A static variable in a block's shared memory, and where it lies there.
struct SharedVariable {
  std::string name;  ///< as the source has it
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// A kernel, ready to be executed.
struct Kernel {
  std::string name;
  std::vector<Op> ops;
  std::vector<BasicBlock> blocks;  ///< starts at the first
  std::vector<MemoryOp> memory;
  std::vector<CollectiveOp> collectives;
  std::vector<BarrierOp> barriers;
  std::vector<MbarrierOp> mbarriers;
  std::vector<ClusterAddressOp> cluster_addresses;
  std::vector<CopyGroupOp> copy_groups;
  std::vector<MatrixOp> matrix_products;
  std::vector<WarpgroupOrder> warpgroup_orders;
  std::vector<CallOp> calls;
  std::vector<FrameMove> frame_moves;
  std::vector<ConstantSlot> constants;
  std::vector<InstructionInfo> instructions;
  std::vector<std::uint64_t> parameter_sizes;
  std::vector<std::uint64_t> parameter_offsets;
  std::uint64_t parameter_bytes = 0;
  std::uint32_t register_bytes = 0;  ///< of one warp
  std::uint64_t static_shared_bytes = 0;
  std::vector<SharedVariable> shared_variables;
  std::uint64_t local_bytes = 0;  ///< of one thread, the stack of its calls included
  std::uint64_t call_stack = 0;   ///< where that begins
  std::uint32_t max_threads = 0;  ///< of a block; 0: no limit given
  /// The extents of the clusters that it is compiled for; 0: the launch says it.
  std::array<std::uint32_t, 3> cluster{};
  std::uint32_t max_cluster_blocks = 0;  ///< 0: no limit given
  bool needs_cluster = false;
  bool has_grid_barrier = false;  ///< it asks where grid.sync()'s workspace is
  bool has_alloca = false;
  bool has_reserved_shared = false;  ///< it names the system's own shared memory
  bool has_calls = false;            ///< parts of it are functions of their own in the machine code
  /// Whether blocks can see each other's work: global atomics, volatile accesses, fences.
  bool is_linked = false;
  /// Module variables that the kernel names, by index.
  std::vector<std::uint32_t> variables;
  std::vector<std::string> file_names;  ///< by the places' file number
};

/// A kernel that the emulator cannot execute: the instruction, where it stands, and what to do.
class UnsupportedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// `where`: and what it is; `file` and `line` of the source, if they are known.
  UnsupportedError(const std::string& where, const std::string& message, std::string file = {},
                   std::uint32_t line = 0)
      : std::runtime_error(where + ": " + message),
        file_(std::move(file)),
        line_(line),
        where_(where),
        message_(message) {}

  const std::string& file() const { return file_; }
  std::uint32_t line() const { return line_; }  ///< 0: unknown
  const std::string& where() const { return where_; }
  const std::string& message() const { return message_; }  ///< without `where`

 private:
  std::string file_;
  std::uint32_t line_ = 0;
  std::string where_;
  std::string message_;
};

/// Makes the kernel `entry` of a module ready for execution: calls become part of it, registers
/// and constants get slots, basic blocks an order. Only code that the entry reaches is looked at.
/// Throws UnsupportedError and ptx::SyntaxError.
Kernel lower(const ptx::Module& module, const std::string& entry, Simd simd);

}  // namespace sweep
