#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/argument_objects.h"
#include "engine/emulator/count/model.h"
#include "engine/emulator/machine/access_sites.h"
#include "engine/emulator/machine/copies_in_flight.h"
#include "engine/emulator/machine/launch.h"
#include "engine/emulator/machine/shadow_state.h"
#include "engine/emulator/machine/warpgroups.h"

namespace sweep {

class AccessUnit;
class BlockRun;

/// What the blocks of a cluster have in common. Without clusters each block has one of its own.
struct Cluster {
  /// Throws std::bad_alloc.
  explicit Cluster(const Launch& launch);

  /// Begins one: nobody has arrived.
  void reset();

  std::vector<AccessUnit*> units;          ///< by rank
  std::vector<BlockRun*> blocks;           ///< likewise
  std::unique_ptr<RaceDetector> races;     ///< null where nothing looks for them
  std::unique_ptr<CopiesInFlight> copies;  ///< null where the kernel begins none
  // The barrier of the cluster.
  std::uint32_t live = 0;     ///< threads that have not ended
  std::uint32_t arrived = 0;  ///< of these: those that have come to it
  std::uint64_t phases = 0;   ///< how often all had come
  /// How many ops have changed what its shared memories hold, but for the states of mbarriers.
  std::uint64_t shared_writes = 0;
};

/// "reads", "writes" or "updates"
const char* what_access_does(AccessKind kind);

/// Makes a register of all lanes, two elements each of an 8 x 8 matrix, that of the transposed one.
void transpose_matrix(std::uint32_t* lanes);

/// The memory of the block under way: checks, counts and executes its accesses. What a kernel must
/// not do is a KernelFault.
class AccessUnit {
 protected:
  /// The next block of the cluster. Adds the counts to `count`. Throws std::bad_alloc and
  /// MemoryShortage.
  AccessUnit(const Launch& launch, Cluster& cluster, LaunchCount& count);

  void begin_block(std::uint64_t index);
  /// Adds to the count what access_as_before has put off.
  void count_hits();
  /// Executes a load or store, by its memory op, whose addresses lie as they did before; false: it
  /// has done nothing.
  bool access_as_before(Warp& warp, std::uint32_t number, std::uint32_t lanes);
  /// Executes an op that is none of registers alone, for the lanes in `mask`.
  void execute(Warp& warp, const Op& op, std::uint32_t mask);
  /// Throws where a lane uses registers that are all undefined: `use` says how.
  void check_defined(const Warp& warp, std::span<const std::uint32_t> slots, std::uint32_t lanes,
                     const char* use, std::uint32_t instruction) const {
    if (undefined_ != nullptr) find_undefined(warp, slots, lanes, use, instruction);
  }
  void find_undefined(const Warp& warp, std::span<const std::uint32_t> slots, std::uint32_t lanes,
                      const char* use, std::uint32_t instruction) const;
  /// That all warps of the block's warpgroups have done the same, once all have ended.
  void check_warpgroups() const;
  /// Throws what a lane did wrong.
  [[noreturn]] void fail_at(const Warp& warp, unsigned lane, std::uint32_t instruction,
                            const std::string& what) const;
  [[noreturn]] void fail_at_thread(std::uint32_t warp, unsigned lane, std::uint32_t instruction,
                                   const std::string& what) const;

  static constexpr std::uint32_t barriers_of_block = 16;
  // A warp and a barrier of the block, as the cluster's RaceDetector knows them; behind the
  // barriers are the warpgroups.
  std::uint32_t racer(const Warp& warp) const { return rank_ * launch_.warps() + warp.index; }
  std::uint64_t racing_barrier(std::uint32_t number) const {
    return RaceDetector::barrier_address(rank_, number);
  }
  /// A warp that reads what it has just read, and has written nothing since, lets others go on.
  void look_for_poll(Warp& warp, const Op& op, std::uint32_t lanes);
  /// The block has ended: throws if another one may still reach for its memory.
  void check_late_visits() const;

  const Launch& launch_;
  const Kernel& kernel_;
  LaunchCount& count_;
  Cluster& cluster_;
  std::uint32_t rank_;  ///< in the cluster
  std::uint64_t block_index_ = 0;
  std::uint32_t live_ = 0;    ///< threads that have not ended
  std::uint64_t writes_ = 0;  ///< how many ops have changed memory so far
  // What follows the cluster's accesses and the block's values; null where nothing does.
  RaceDetector* races_;
  std::unique_ptr<UndefinedValues> undefined_;
  CopiesInFlight* copies_;   ///< of the cluster; null where the kernel begins none
  std::uint64_t order_ = 0;  ///< numbers the executed ops
  /// What a warp has read last of what others may write.
  struct Poll {
    const Op* op = nullptr;
    std::uint64_t address = 0;
    std::uint64_t writes = 0;  ///< of the block, until then
  };
  std::vector<Poll> polls_;        ///< by warp, where blocks may wait for each other
  bool is_repeated_poll_ = false;  ///< of the ops that may wait: the one executed last
  std::unique_ptr<Warpgroups> warpgroups_;

  /// When all threads have ended.
  void finish_copies();
  /// What mbarriers lack that threads wait for: "; the mbarrier at ...", or nothing.
  std::string describe_waits() const;

 private:
  using Addresses = std::array<std::uint64_t, warp_size>;
  Addresses addresses_of(const AddressOperand& address) const {
    Addresses addresses;  // NOLINT(cppcoreguidelines-pro-type-member-init): each is set below
    take_addresses(address, full_mask, addresses);
    return addresses;
  }
  void take_addresses(const AddressOperand& address, std::uint32_t mask,
                      Addresses& addresses) const;
  std::uint64_t address_of(const AddressOperand& address, unsigned lane) const {
    const auto offset = static_cast<std::uint64_t>(address.offset);
    if (address.is_64) return warp_->slot<std::uint64_t>(address.slot)[lane] + offset;
    return warp_->slot<std::uint32_t>(address.slot)[lane] + static_cast<std::uint32_t>(offset);
  }

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
  void access_in_cluster(const WarpAccess& access, AccessKind kind);
  void access_other_block(AccessUnit& owner, const WarpAccess& access, AccessKind kind);
  void access_generic(WarpAccess& access, AccessKind kind);
  void move(const WarpAccess& access, std::uintptr_t bias, bool is_global);

  // What must hold of them.
  void check_alignment(const WarpAccess& access, const Spread& spread) const;
  void check_inside(const WarpAccess& access, const Spread& spread, bool is_shared) const;
  Allocation& resolve(const WarpAccess& access, const Spread& spread, std::uint32_t& lanes);
  void prepare(Allocation& allocation, WarpAccess& access, AccessKind kind);
  void touch(const Allocation& allocation, const std::uint64_t* begin, std::uint64_t bytes,
             std::uint32_t lanes, bool writes) const;
  std::uint64_t racing_block() const;
  /// What the lanes of a store write: those of lane t are `step` * t bytes behind the first.
  struct StoredValues {
    const std::byte* values = nullptr;
    std::size_t step = 0;
  };
  StoredValues stored_values(std::uint32_t lanes,
                             std::array<std::byte, std::size_t{warp_size} * 32>& room) const;
  void check_order(const Allocation& allocation, unsigned lane, std::uint64_t begin,
                   std::uint64_t bytes, bool writes);
  void check_written(const Allocation& allocation, const std::uint64_t* begin, WarpAccess& access);
  bool is_in_base(const Spread& spread, std::uint64_t bytes) const;
  void check_base(unsigned lane, std::uint64_t begin, std::uint64_t bytes, bool is_load) const;
  void check_writable(unsigned lane, const Allocation& allocation, std::uint64_t address) const;
  void check_races(const AccessUnit& owner, const WarpAccess& access, AccessKind kind,
                   bool is_uniform);
  void note_shared(std::uint64_t begin, std::uint64_t bytes, unsigned lane, AccessKind kind,
                   const std::byte* values, bool is_strong = false) {
    note_shared(*this, begin, bytes, lane, kind, values, is_strong);
  }
  void note_shared(const AccessUnit& owner, std::uint64_t begin, std::uint64_t bytes, unsigned lane,
                   AccessKind kind, const std::byte* values, bool is_strong);
  void fail_for_race(const AccessUnit& owner, std::uint64_t begin, unsigned lane, AccessKind kind,
                     const RaceDetector::Event& now, const RaceDetector::Conflict& conflict) const;

  // The shared memory of the blocks of the cluster.
  /// A place in the shared memory of a block.
  struct SharedPlace {
    AccessUnit* block = nullptr;
    std::uint64_t offset = 0;

    std::byte* bytes() const { return block->shared_.data() + offset; }
    /// For the cluster's RaceDetector.
    std::uint64_t address() const { return block->rank_ * block->shared_bytes_ + offset; }
  };
  std::uint32_t rank_at(std::uint64_t address) const;
  /// How far from the block's shared memory's beginning an address of it, plain or generic, lies.
  std::uint64_t own_offset(std::uint64_t address) const {
    return in_window(address) - rank_ * window_size;
  }
  static std::uint64_t in_window(std::uint64_t address) {
    return address - shared_window < shared_window_size ? address - shared_window : address;
  }
  SharedPlace shared_place(unsigned lane, std::uint64_t address, std::uint64_t bytes, bool is_load,
                           bool may_be_other);
  void check_reachable(unsigned lane, const AccessUnit& owner);
  void check_own(unsigned lane, std::uint64_t address) const;
  /// "shared memory", or "the shared memory of block (1, 0, 0)"
  std::string memory_of(const AccessUnit& owner) const;
  /// A place among those of all blocks of the cluster, as the RaceDetector knows it.
  SharedPlace place_at(std::uint64_t address) const {
    return {cluster_.units[address / shared_bytes_], address % shared_bytes_};
  }
  RaceDetector::Event racing_event(unsigned lane, bool is_strong) const;
  std::vector<SharedPlace> places_of_copy(unsigned lane, std::uint64_t address,
                                          std::uint64_t bytes);
  void map_address(unsigned lane);

  // What they cost.
  void count_access(const WarpAccess& access, const Spread& spread, AccessKind kind,
                    ptx::Space space);
  void note_shape(const WarpAccess& access, const Spread& spread, const RequestCost& cost);
  /// The same of what the hardware executes.
  void count_issued(const WarpAccess& access, const Spread& spread, AccessKind kind,
                    ptx::Space space);
  void add_count(const WarpAccess& access, const Spread& spread, AccessKind kind, ptx::Space space,
                 SiteCount& site);
  void report_request(const WarpAccess& access, const Spread& spread, AccessKind kind,
                      std::uint64_t counted_sectors) const;
  void note_atomics(const WarpAccess& access, const Spread& spread);
  void report_range(std::uint64_t first, std::uint64_t count, AccessKind kind,
                    std::uint64_t counted_sectors) const;

  // Copies, mbarriers and matrices.
  std::byte* bytes_at(unsigned lane, ptx::Space space, std::uint64_t address, std::uint64_t count,
                      bool is_load);
  void async_copy(std::uint32_t mask);
  void bulk_copy(std::uint32_t mask);
  SharedPlace mbarrier_at(const AddressOperand& address, ptx::Space space, bool is_of_cluster,
                          unsigned lane);
  void check_initialised(const SharedPlace& place, MbarrierMode mode, unsigned lane);
  void use_mbarriers(std::uint32_t mask);
  SharedPlace mbarrier_for(const MbarrierOp& barrier, unsigned lane);
  void use_mbarrier(const MbarrierOp& barrier, const SharedPlace& place, unsigned lane,
                    std::uint32_t lanes);
  static constexpr std::uint32_t matrix_row_bytes = 16;
  bool are_rows_plain(std::span<const std::uint64_t> addresses) const;
  std::byte* matrix_row(unsigned lane, std::uint64_t address, bool is_load);
  void move_matrices(std::uint32_t mask, bool is_load);
  void count_matrix(const Addresses& addresses, unsigned matrix, AccessKind kind);
  void multiply_matrices(std::uint32_t mask);
  void check_metadata(const MatrixOp& op) const;
  void require_whole_warp(std::uint32_t mask) const;

  // Copies in flight.
  CopyInFlight& begin_copy(CopyList& list);
  CopyInFlight& begin_bulk_copy(unsigned lane, std::uint32_t bytes, const SharedPlace& place);
  void begin_arrival(unsigned lane, std::uint64_t key);
  void begin_writing(unsigned lane, CopyInFlight::Range range);
  void note_bulk_copy(unsigned lane, const CopyInFlight& copy);
  void check_visible(unsigned lane, std::uint64_t begin, std::uint64_t bytes, std::uint32_t warp,
                     const char* reader) const;
  void copy_group(std::uint32_t mask);
  void complete_copies(const SharedPlace& mbarrier);
  void land(CopyInFlight& copy, std::uint32_t lanes, std::optional<std::uint64_t> key);
  /// The memory that a copy's rows lie in.
  std::byte* bytes_of(const CopyInFlight& copy) const {
    return cluster_.units[copy.rank]->shared_.data();
  }
  void load_row(const CopyInFlight& copy, const CopyInFlight::Row& row);
  void store_row(const CopyInFlight& copy, const CopyInFlight::Row& row);
  void take_source(CopyInFlight& copy);
  void check_sources(unsigned lane, std::uint64_t begin, std::uint64_t bytes);
  void check_targets(const WarpAccess& access, const Allocation& allocation, AccessKind kind);
  static const char* wait_for(CopyInFlight::Told told, bool is_for_reads);
  /// A byte by its place among those of the cluster's blocks: "byte 8 of 'tile'", and whose it is.
  std::string describe_place(std::uint64_t address) const;
  std::string describe_thread_of(const RaceDetector::Event& event) const;
  void fail_for_copy(unsigned lane, AccessKind kind, const RaceDetector::Conflict& conflict) const;
  [[noreturn]] void fail_copy(const CopyInFlight& copy, const std::string& what) const;

  // Warpgroups.
  void join_warpgroup(std::uint32_t mask, const Warpgroups::Descriptors& descriptors);
  void require(const std::optional<Warpgroups::Mistake>& mistake) const;
  std::uint64_t descriptor_at(std::uint32_t slot) const;
  void gather_matrix(std::uint64_t descriptor, bool is_across, std::uint64_t first,
                     std::uint64_t lines, std::uint64_t tile_lines, std::uint64_t parts,
                     std::byte* to);
  void judge_matrix(std::uint64_t descriptor, bool is_across, std::uint64_t first,
                    std::uint64_t lines, std::uint64_t parts, bool is_of_all);
  ConvertedFactor& gather_factor(const MatrixOp& op, std::uint64_t descriptor, std::byte* to);
  void multiply_warpgroup(std::uint32_t mask);
  void order_warpgroup(std::uint32_t mask);
  void finish_reads();

  // Copies of a tensor's boxes.
  void tensor_copy(std::uint32_t mask);
  void check_box_begin(const TensorMap& map, unsigned lane,
                       const std::array<std::int64_t, 5>& first) const;
  void copy_box(const TensorMap& map, unsigned lane, std::uint64_t address);
  void add_row(const TensorMap& map, CopyInFlight& copy, unsigned lane,
               const std::array<std::int64_t, 5>& coordinates, std::uint64_t place);

  // Textures.
  using Texel = std::array<std::uint32_t, 4>;
  /// The texels that the lanes of a warp read, in the order of the lanes.
  static constexpr unsigned lanes_of_quad = 4;
  struct TexelAddresses {
    std::array<std::uint64_t, std::size_t{4} * warp_size> places{};
    std::size_t count = 0;
    std::array<std::size_t, warp_size / lanes_of_quad> quads{};  ///< where each four lanes' end
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
  void move_frame(unsigned lane);
  void stack_allocate(unsigned lane);
  void stack_restore(unsigned lane);
  std::string text_at(std::uint64_t address) const;
  std::uint64_t argument(std::uint64_t offset, unsigned lane, unsigned bytes) const;
  /// What an argument's or result's offset is counted from.
  std::uint64_t base_of(const CallOp& call, unsigned lane) const {
    return call.base == none ? 0 : warp_->slot<std::uint64_t>(call.base)[lane];
  }

  std::uint32_t thread_of(unsigned lane) const { return warp_->index * warp_size + lane; }
  std::byte* local(unsigned lane) const { return local_.data() + thread_of(lane) * local_bytes_; }

  // What is executed: the memory op of loads, stores, atomics, copies and matrix moves.
  Warp* warp_ = nullptr;
  const Op* op_ = nullptr;
  const MemoryOp* memory_ = nullptr;
  WarpAccess access_;  ///< of the running load, store or atomic
  // By memory op, made when it is counted first.
  std::vector<std::unique_ptr<GlobalCounter>> global_counters_;
  std::vector<std::unique_ptr<SharedCounter>> shared_counters_;
  std::vector<Allocation*> last_;  ///< by memory op: where it went last
  /// A load or store, and what follows from the layout that it had last: what each access needs.
  struct alignas(64) Site {
    bool is_simple : 1 = false;  ///< it does nothing that needs to be looked at access by access
    bool is_64 : 1 = true;       ///< the address register
    bool is_load : 1 = true;
    bool is_shared : 1 = false;
    bool is_global : 1 = true;
    bool is_counted : 1 = false;
    bool is_leader : 1 = false;
    bool is_usable : 1 = false;
    std::uint8_t width_shift = 0;
    std::uint32_t slot = none;   ///< of the address
    std::uint32_t first = none;  ///< of the first active lane's
    std::uint32_t leader = none;
    std::uint32_t value = none;  ///< the only register that it moves
    std::uint32_t place = 0;     ///< where in a period it was last, and how often since
    std::uint32_t times = 0;     ///< within a block
    std::int32_t offset = 0;
    const LaneLayout* layout = nullptr;
    std::uint64_t low = 0;
    std::uint64_t bytes = 0;
    ElementMove move = nullptr;
  };
  struct SiteUses {
    std::unique_ptr<LaneLayouts> layouts;          ///< of a leader
    std::vector<std::unique_ptr<LayoutUse>> uses;  ///< by layout
    LayoutUse* last = nullptr;
  };
  /// Accesses that are not counted yet.
  struct Hits {
    std::uint32_t site = 0;
    std::uint32_t layout = 0;
    std::uint32_t place = 0;
  };
  void prepare_sites();
  void take_layout(std::uint32_t number, const LaneLayout& layout);
  void note_hits(std::uint32_t number);
  bool prepare_as_before(Allocation& allocation, std::uint32_t number, std::uint64_t base);
  LayoutUse::Cost cost_of(const Hits& hits) const;
  std::uint64_t in_period_ = 0;  ///< the bits of an address that decide what an access costs
  // By memory op; none where each access is to be looked at.
  std::vector<Site> sites_;
  std::vector<const LaneLayout*> layouts_;  ///< of leaders: that of the last access, if it is known
  std::vector<SiteUses> uses_;
  std::vector<Hits> hits_;
  std::uint64_t shared_bytes_;
  LazyPages shared_;
  /// What a product that is under way reads of shared memory, in pieces of 16 bytes.
  struct LateRead {
    std::uint32_t warp = 0;
    std::uint64_t group = 0;
    std::uint64_t writes = 0;  ///< AccessUnit::writes_ at the time
    const Op* op = nullptr;
    std::vector<std::uint64_t> places;
  };
  std::vector<LateRead> late_reads_;  ///< where races are looked for
  /// The matrix b of a product, for the other warps of the warpgroup.
  struct KeptFactor {
    std::uint64_t descriptor = 0;
    std::uint64_t shared_writes = 0;  ///< the cluster's at the time
    const MatrixOp* op = nullptr;
    ConvertedFactor converted;
  };
  std::vector<KeptFactor> kept_factors_;  ///< the last ones, in a ring
  std::size_t next_kept_ = 0;
  /// How the block's threads use an mbarrier.
  struct MbarrierUse {
    std::uint32_t expects = none;  ///< the instruction that expected bytes last
    bool is_waited_for = false;    ///< the last wait for it was in vain
  };
  std::map<std::uint64_t, MbarrierUse> mbarriers_;  ///< by place
  std::uint64_t local_bytes_;                       ///< of one thread, room for alloca included
  LazyPages local_;
  std::vector<WarpVisits> visits_;  ///< of the block, by warp and memory op; where shapes are noted
  std::vector<std::uint64_t> stack_;  ///< of each thread: where alloca takes from
};

/// Executes one block after the other, of each cluster that of one rank. Lanes that diverge go on
/// as fragments of their warp; the one furthest behind in the order of basic blocks runs first, and
/// fragments that meet become one.
class BlockRun : AccessUnit {
 public:
  /// Adds the counts to `count`, which nobody else's thread shares. Throws std::bad_alloc.
  BlockRun(const Launch& launch, Cluster& cluster, LaunchCount& count);

  /// Begins a block by its cluster's number in the grid, or lanes of a warp
  /// (Launch::chooses_lanes).
  void start(std::uint64_t index);
  /// Begins up to a warp's worth of threads, each as if its number in the grid were that of an
  /// element: for functions over elements, whose blocks are one warp.
  void start_elements(std::span<const std::uint64_t> elements);

  /// Adds to the count what takes less time when many blocks' are added at once: all but the work.
  void complete_count();

  /// What a turn of a block came to.
  struct Turn {
    bool has_gone_on = false;  ///< false: no warp could
    bool is_idle = true;       ///< they did nothing but look at an mbarrier or a flag, or sleep
  };
  /// Lets every warp execute up to `turn` basic blocks. Throws KernelFault for what the kernel does
  /// wrong.
  Turn run(std::uint64_t turn);
  bool is_any_ready() const;

  std::uint64_t instructions() const { return instructions_; }
  /// Threads that ended since they read what was not theirs to judge.
  std::uint64_t retired() const { return retired_; }
  std::uint32_t live() const { return live_; }  ///< threads that have not ended
  /// "block (3, 0, 0)"
  std::string name() const { return describe_block(launch_, block_index_); }
  /// The places where the block's lanes are, and the first of them.
  std::pair<std::string, FaultPlace> whereabouts() const;
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
  void run_ops(Warp& warp, std::span<const ExecutionPlan::Step> steps, std::uint32_t& mask);
  void follow_ops(Warp& warp, const BasicBlock& block, std::uint32_t& mask);
  template <class Guarded>
  static std::uint32_t guarded_lanes(const Warp& warp, const Guarded& one, std::uint32_t mask);
  void note_wait(Warp& warp, const Op& op, std::uint32_t lanes);
  bool retire_stale(Warp& warp, std::uint32_t& mask);
  void retire(Warp& warp, std::uint32_t lanes);
  void require(const Warp& warp, std::uint32_t instruction,
               const std::optional<Warpgroups::Mistake>& mistake) const;
  void count(const BasicBlock& block, unsigned threads);
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

  // The blocks of the cluster that meet.
  bool cluster_barrier(Warp& warp, const BasicBlock& block, Fragment& fragment);
  void release_cluster();
  void go_on_behind_cluster_barrier();
  void acquire_cluster_barrier(const Warp& warp);

  // The warps of the block that meet.
  bool barrier(Warp& warp, const BasicBlock& block, Fragment& fragment);
  bool wait_for_warpgroup(Warp& warp, const BasicBlock& block, Fragment& fragment);
  void release_complete(std::uint32_t number);
  void check_together(std::uint32_t number) const;

  std::uint64_t instructions_ = 0;
  std::uint64_t retired_ = 0;
  std::vector<Warp> warps_;
  bool follows_values_ = false;  ///< or what registers wgmma works with
  bool has_spent_turn_ = false;
  LazyPages registers_;
  /// How often a basic block was executed, since the count was complete.
  struct Passages {
    std::uint64_t warps = 0;
    std::uint64_t threads = 0;
  };
  std::size_t number_of(const BasicBlock& block) const {
    return static_cast<std::size_t>(&block - kernel_.blocks.data());
  }
  std::vector<Passages> passages_;  ///< by basic block
  std::array<Barrier, barriers_of_block> barriers_;
};

}  // namespace sweep
