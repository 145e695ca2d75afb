#include <algorithm>
#include <map>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

bool is_tensor_work(OpKind kind) {
  return kind == OpKind::multiply_matrices || kind == OpKind::multiply_warpgroup;
}

/// The buffers that an address may lie in, by the parameters it is computed from: a bit for each,
/// the last one for all further ones. All bits: it comes out of memory.
using Sources = std::uint64_t;
constexpr Sources anywhere = ~Sources{0};

/// Which ops decide on what a kernel asks the caches for: those that ask, and those that
/// compute addresses and predicates, whatever the order of the ops. What is stored to global memory
/// matters only where what is loaded from there matters and may be the same.
class RequestSlice {
 public:
  explicit RequestSlice(const Kernel& kernel)
      : kernel_(kernel),
        is_needed_(kernel.register_bytes / slot_step + 1, false),
        sources_(is_needed_.size(), 0) {
    find_sources();
    for (const BasicBlock& block : kernel.blocks) {
      need(block.predicate);
      need(block.index);
    }
    do {
      has_changed_ = false;
      for (const Op& op : kernel.ops) follow(op);
      for (const BasicBlock& block : kernel.blocks) {
        if (block.has_op()) follow_end(block.op);
      }
    } while (has_changed_);
  }

  bool keeps(const Op& op) const {
    switch (op.kind) {
      case OpKind::alu:
      case OpKind::active_mask:
      case OpKind::read_clock:
      case OpKind::cluster_address:
      case OpKind::multiply_matrices:
      case OpKind::multiply_warpgroup:
        return is_any_needed(facts_of(kernel_, op).writes);
      case OpKind::order_warpgroup:
        return keeps_products_;
      case OpKind::print:
      case OpKind::assert_fail:
        return false;
      case OpKind::load:
      case OpKind::load_matrix:
        return asks_caches(op) || is_any_needed(facts_of(kernel_, op).writes);
      case OpKind::store:
      case OpKind::store_matrix:
        return asks_caches(op) || reads_block_memory_;
      case OpKind::atomic:
        return asks_caches(op) || reads_block_memory_ ||
               is_any_needed(facts_of(kernel_, op).writes);
      default:
        return true;
    }
  }

  /// Whether an op that is kept is one for its requests alone.
  bool moves_no_data(const Op& op) const {
    if (!asks_caches(op)) return false;
    const MemoryOp& memory = kernel_.memory[op.detail];
    if (op.kind == OpKind::async_copy) return !reads_block_memory_;
    if (is_any_needed(facts_of(kernel_, op).writes)) return false;
    if (op.kind == OpKind::load) return true;
    const bool may_be_of_block = memory.space != ptx::Space::global && reads_block_memory_;
    return !may_be_of_block && (sources(memory.address.slot) & loaded_) == 0;
  }

 private:
  static constexpr std::uint32_t slot_step = 4;  ///< bytes: slots of predicates have no more

  bool asks_caches(const Op& op) const {
    if (op.kind != OpKind::load && op.kind != OpKind::store && op.kind != OpKind::atomic &&
        op.kind != OpKind::async_copy) {
      return false;
    }
    const ptx::Space space = kernel_.memory[op.detail].space;
    return space == ptx::Space::global || space == ptx::Space::local ||
           space == ptx::Space::generic;
  }
  bool is_any_needed(const SlotList& slots) const {
    return std::ranges::any_of(slots, [&](auto slot) { return is_needed_[slot / slot_step]; });
  }
  Sources sources(std::uint32_t slot) const {
    return slot == none ? 0 : sources_[slot / slot_step];
  }

  void need(std::uint32_t slot) {
    if (slot == none || is_needed_[slot / slot_step]) return;
    is_needed_[slot / slot_step] = true;
    has_changed_ = true;
  }
  void need(const SlotList& slots) {
    for (const std::uint32_t slot : slots) need(slot);
  }
  template <class Fact>
  void note(Fact& fact, Fact more) {
    if ((fact | more) == fact) return;
    fact = static_cast<Fact>(fact | more);
    has_changed_ = true;
  }

  void find_sources() {
    std::map<std::uint64_t, Sources> known;  // parameters, by their places
    for (const ConstantSlot& constant : kernel_.constants) {
      const bool is_variable = constant.kind == ConstantSlot::Kind::variable;
      if (constant.kind != ConstantSlot::Kind::parameter && !is_variable) continue;
      const std::uint64_t key = constant.value << 1U | (is_variable ? 1 : 0);
      const auto [bit, is_new] = known.try_emplace(key, 0);
      constexpr std::size_t most = 63;
      if (is_new) bit->second = Sources{1} << std::min(known.size() - 1, most);
      sources_[constant.slot / slot_step] |= bit->second;
    }
    do {
      has_changed_ = false;
      for (const Op& op : kernel_.ops) add_sources(op);
      for (const BasicBlock& block : kernel_.blocks) {
        if (block.has_op()) add_sources(block.op);
      }
    } while (has_changed_);
  }

  void add_sources(const Op& op) {
    const OpFacts facts = facts_of(kernel_, op);
    Sources sum = 0;
    if (op.kind == OpKind::load) {
      // A pointer; a narrower value is the number of something.
      const MemoryOp& memory = kernel_.memory[op.detail];
      if (ptx::bytes_of(memory.type) * 8 >= 64) sum = anywhere;
    } else {
      for (const std::uint32_t slot : facts.reads) sum |= sources(slot);
    }
    for (const std::uint32_t slot : facts.writes) note(sources_[slot / slot_step], sum);
  }

  void follow(const Op& op) {
    if (!keeps(op)) return;
    need(op.guard);
    if (is_tensor_work(op.kind)) note(keeps_products_, true);
    if (op.kind != OpKind::load && op.kind != OpKind::load_matrix && op.kind != OpKind::store &&
        op.kind != OpKind::store_matrix && op.kind != OpKind::atomic) {
      return need(facts_of(kernel_, op).reads);
    }
    const MemoryOp& memory = kernel_.memory[op.detail];
    need(memory.address.slot);
    if (!moves_no_data(op)) need(facts_of(kernel_, op).reads);
    if (!is_any_needed(facts_of(kernel_, op).writes)) return;
    if (memory.space != ptx::Space::global) note(reads_block_memory_, true);
    if (asks_caches(op)) note(loaded_, sources(memory.address.slot));
  }

  /// What waits for other lanes or warps stays; what it computes may be for nothing.
  void follow_end(const Op& op) {
    const OpFacts facts = facts_of(kernel_, op);
    const bool is_of_block = op.kind == OpKind::barrier || op.kind == OpKind::cluster_barrier;
    const bool is_of_warp = op.kind >= OpKind::shuffle && !is_of_block;
    if (!is_of_warp || is_any_needed(facts.writes)) return need(facts.reads);
    need(kernel_.collectives[op.detail].members);
  }

  const Kernel& kernel_;
  std::vector<bool> is_needed_;   ///< registers, by slot
  std::vector<Sources> sources_;  ///< likewise
  Sources loaded_ = 0;            ///< of the addresses of loads that matter
  bool reads_block_memory_ = false;
  bool keeps_products_ = false;
  bool has_changed_ = false;
};

}  // namespace

Kernel request_skeleton(const Kernel& kernel) {
  const RequestSlice slice(kernel);
  Kernel skeleton = kernel;
  skeleton.ops.clear();
  for (BasicBlock& block : skeleton.blocks) {
    const std::uint32_t first = block.first_op;
    block.first_op = static_cast<std::uint32_t>(skeleton.ops.size());
    for (std::uint32_t i = 0; i < block.op_count; ++i) {
      const Op& op = kernel.ops[first + i];
      if (!slice.keeps(op)) continue;
      skeleton.ops.push_back(op);
      if (slice.moves_no_data(op)) skeleton.memory[op.detail].moves_no_data = true;
    }
    block.op_count = static_cast<std::uint32_t>(skeleton.ops.size()) - block.first_op;
    block.instructions = block.op_count + 1;
    block.float_operations = 0;
    block.product_work = 0;
    block.waits = {};
    block.mix = {};
  }
  return skeleton;
}

}  // namespace sweep
