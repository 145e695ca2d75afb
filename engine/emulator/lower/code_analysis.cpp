#include "engine/emulator/lower/code_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;

EndKind end_kind(const FlatInstruction& flat) {
  // A call and the end of a function's body become branches into it and out of it.
  return flat.target != 0 ? EndKind::branch : row_of(*flat.instruction).end;
}

bool is_branch(EndKind kind) {
  return kind == EndKind::branch || kind == EndKind::indexed_branch;
}

/// Where a branch leads: flat instructions.
std::vector<std::uint32_t> targets_of(const FlatCode& flat, const FlatInstruction& branch) {
  if (branch.target != 0) return {branch.target};
  if (branch.step != none) return flat.steps[branch.step].targets;
  const ptx::Instruction& instruction = *branch.instruction;
  const std::vector<std::uint32_t>& begins = flat.frames[branch.frame].begins;
  std::vector<std::uint32_t> targets;
  const auto add = [&](const Operand& label) {
    if (label.kind != Operand::Kind::label || label.value < 0 ||
        static_cast<std::uint64_t>(label.value) >= begins.size()) {
      throw unsupported("line {} of the PTX branches to no label", instruction.ptx_line);
    }
    targets.push_back(begins[static_cast<std::size_t>(label.value)]);
  };
  const std::vector<Operand>& operands = instruction.operands;
  if (end_kind(branch) == EndKind::branch) {
    if (!operands.empty()) add(operands.front());
  } else if (operands.size() > 1) {
    for (const Operand& label : operands[1].elements) add(label);
  }
  if (targets.empty()) {
    throw unsupported("line {} of the PTX branches nowhere", instruction.ptx_line);
  }
  return targets;
}

/// Cuts flat code into blocks, each with the one that follows it as its next.
std::vector<CodeBlock> cut(const FlatCode& flat) {
  const auto size = static_cast<std::uint32_t>(flat.code.size());
  std::vector<bool> is_leader(size + 1, false);
  for (std::uint32_t at = 0; at < size; ++at) {
    const EndKind kind = end_kind(flat.code[at]);
    if (kind != EndKind::next) is_leader[at + 1] = true;
    if (!is_branch(kind)) continue;
    for (const std::uint32_t target : targets_of(flat, flat.code[at])) is_leader[target] = true;
  }
  std::vector<std::uint32_t> block_at(size + 1, none);
  std::vector<CodeBlock> blocks;
  const auto add = [&](CodeBlock block) {
    block.next = static_cast<std::uint32_t>(blocks.size() + 1);
    blocks.push_back(std::move(block));
  };
  for (std::uint32_t at = 0; at < size;) {
    CodeBlock block;
    block.begin = at;
    block_at[at] = static_cast<std::uint32_t>(blocks.size());
    const auto runs_into = [&] { return at == size || (at != block.begin && is_leader[at]); };
    while (!runs_into() && end_kind(flat.code[at]) == EndKind::next) ++at;
    block.end = at;
    if (runs_into()) {
      add(block);
      continue;
    }
    const EndKind kind = end_kind(flat.code[at]);
    const bool is_guarded = flat.code[at].instruction->guard.has_value();
    if (kind == EndKind::collective || kind == EndKind::barrier) {
      // What has to wait for other lanes is a block of its own, so that they can meet before it;
      // lanes whose guard does not hold go around it.
      if (is_guarded) {
        block.kind = EndKind::branch;
        block.ender = at;
        block.is_guard_inverted = true;
        block.targets = {at + 1};
      }
      if (is_guarded || block.begin != at) add(block);
      add({.begin = at, .end = at, .kind = kind, .ender = at});
    } else {
      const bool is_call =
          flat.code[at].target != 0 && flat.code[at].instruction->mnemonic == "call";
      block.kind = is_call && !is_guarded ? EndKind::next : kind;
      block.ender = at;
      block.is_guard_inverted = is_call;
      if (is_branch(block.kind)) block.targets = targets_of(flat, flat.code[at]);
      add(block);
    }
    ++at;
  }
  // Running off the end of the kernel is leaving it.
  block_at[size] = static_cast<std::uint32_t>(blocks.size());
  blocks.push_back({.begin = size, .end = size, .kind = EndKind::exit});
  for (CodeBlock& block : blocks) {
    for (std::uint32_t& target : block.targets) target = block_at[target];
    if (block.kind == EndKind::branch) block.target = std::exchange(block.targets, {}).front();
  }
  return blocks;
}

std::vector<std::uint32_t> successors_of(const FlatCode& flat, const CodeBlock& block) {
  std::vector<std::uint32_t> list = block.targets;
  if (block.target != none) list.push_back(block.target);
  const bool has_guard =
      block.ender != none && flat.code[block.ender].instruction->guard.has_value();
  const bool never_goes_on = block.kind == EndKind::branch || block.kind == EndKind::exit ||
                             block.kind == EndKind::trap || block.kind == EndKind::indexed_branch;
  if (block.next != none && (!never_goes_on || has_guard)) list.push_back(block.next);
  return list;
}

}  // namespace

std::vector<std::uint32_t> loop_contiguous_order(
    const std::vector<std::vector<std::uint32_t>>& successors) {
  using Node = std::uint32_t;
  struct State {
    std::uint32_t part = 0;   ///< of the graph: the innermost loop without its entry
    std::uint32_t index = 0;  ///< 0: not seen
    std::uint32_t low = 0;
    std::uint32_t next = 0;  ///< the successor to look at
    bool is_open = false;
  };
  std::vector<State> states(successors.size());
  std::vector<Node> open;
  std::vector<Node> path;
  std::uint32_t part = 0;
  std::uint32_t last_index = 0;
  // Strongly connected components still to be ordered, the next one last; the first node of each is
  // where the search entered it.
  std::vector<std::vector<Node>> pending;
  const auto enter = [&](Node node) {
    State& state = states[node];
    state.index = state.low = ++last_index;
    state.is_open = true;
    open.push_back(node);
    path.push_back(node);
  };
  // Tarjan's algorithm without recursion: finds the components of the part that a node reaches,
  // each after those that it leads to.
  const auto search = [&](Node root) {
    if (states[root].part != part || states[root].index != 0) return;
    enter(root);
    while (!path.empty()) {
      const Node node = path.back();
      State& state = states[node];
      if (state.next < successors[node].size()) {
        const Node to = successors[node][state.next++];
        if (states[to].part != part) continue;
        if (states[to].index == 0) {
          enter(to);
        } else if (states[to].is_open) {
          state.low = std::min(state.low, states[to].index);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) states[path.back()].low = std::min(states[path.back()].low, state.low);
      if (state.low != state.index) continue;
      auto begin = open.end();
      do {
        states[*--begin].is_open = false;
      } while (*begin != node);
      pending.emplace_back(begin, open.end());
      open.erase(begin, open.end());
    }
  };
  std::vector<Node> order;
  if (!successors.empty()) search(0);
  while (!pending.empty()) {
    const std::vector<Node> component = std::move(pending.back());
    pending.pop_back();
    const Node entry = component.front();
    order.push_back(entry);
    if (component.size() == 1) continue;
    // Without its entry the loop falls apart into what is ordered next.
    ++part;
    for (const Node node : component) states[node] = {.part = part};
    states[entry].part = none;
    for (const Node node : successors[entry]) search(node);
    for (const Node node : component) search(node);
  }
  return order;
}

std::vector<CodeBlock> find_blocks(const FlatCode& flat) {
  std::vector<CodeBlock> blocks = cut(flat);
  std::vector<std::vector<std::uint32_t>> successors;
  for (const CodeBlock& block : blocks) successors.push_back(successors_of(flat, block));
  const std::vector<std::uint32_t> order = loop_contiguous_order(successors);
  std::vector<std::uint32_t> place(blocks.size(), none);
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<CodeBlock> ordered;
  for (const std::uint32_t old : order) {
    CodeBlock block = std::move(blocks[old]);
    if (block.next != none) block.next = place[block.next];
    if (block.target != none) block.target = place[block.target];
    for (std::uint32_t& target : block.targets) target = place[target];
    ordered.push_back(std::move(block));
  }
  return ordered;
}

namespace {

/// What is known of registers is kept by their slots, of which the narrowest have 4 bytes.
constexpr std::uint32_t slot_step = 4;

SlotList slots(SlotList list) {
  std::erase(list, none);
  return list;
}

/// Of a load, store, atomic, copy or matrix move.
OpFacts memory_facts(OpKind kind, const MemoryOp& memory) {
  OpFacts facts;
  facts.reads = slots({memory.address.slot, memory.to_address.slot, memory.size,
                       memory.ignore_source, memory.barrier.slot, memory.multicast});
  facts.writes = slots({memory.result});
  facts.writes.insert(facts.writes.end(), memory.results.begin(), memory.results.end());
  // Local memory is each lane's own, and a generic address may lie in it.
  facts.varies_by_lane = kind != OpKind::load ||
                         (memory.space != ptx::Space::global && memory.space != ptx::Space::shared);
  facts.reads.insert(facts.reads.end(), memory.coordinates.begin(), memory.coordinates.end());
  const bool is_load =
      kind == OpKind::load || kind == OpKind::load_matrix || kind == OpKind::texture;
  SlotList& values = is_load ? facts.writes : facts.reads;
  values.insert(values.end(), memory.values.begin(), memory.values.end());
  if (memory.type != ptx::Type::b128) return facts;
  for (const std::uint32_t value : memory.values) values.push_back(value + upper_half);
  if (memory.result != none) facts.writes.push_back(memory.result + upper_half);
  return facts;
}

using Node = std::uint32_t;

/// Whether a lane at `from` can end without passing `avoided`.
bool can_end_without(const std::vector<BasicBlock>& blocks, Node from, Node avoided) {
  std::vector<bool> is_seen(blocks.size(), false);
  is_seen[avoided] = true;
  std::vector<Node> open = {from};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (is_seen[node]) continue;
    is_seen[node] = true;
    const EndKind end = blocks[node].end;
    if (end == EndKind::exit || end == EndKind::trap) return true;
    for (const Node to : ways_out_of(blocks[node])) open.push_back(to);
  }
  return false;
}

/// Which registers hold one value in all lanes of a warp, as far as a compiler sees it: those that
/// a single op computes from constants, parameters, the block's place, or what it loads from a
/// uniform address of memory that the lanes share. By slot.
std::vector<bool> find_uniform_registers(const Kernel& kernel) {
  std::vector<bool> is_uniform(kernel.register_bytes / slot_step + 1, false);
  for (const ConstantSlot& constant : kernel.constants) {
    if (!constant.varies_by_lane) is_uniform[constant.slot / slot_step] = true;
  }
  std::vector<std::uint8_t> writers(is_uniform.size(), 0);  // 2: several
  const auto note_writes = [&](const OpFacts& facts) {
    for (const std::uint32_t slot : facts.writes) {
      std::uint8_t& count = writers[slot / slot_step];
      count = static_cast<std::uint8_t>(std::min(count + 1, 2));
    }
  };
  std::vector<OpFacts> candidates;
  for (const Op& op : kernel.ops) {
    OpFacts facts = facts_of(kernel, op);
    note_writes(facts);
    if (op.guard == none && !facts.varies_by_lane) candidates.push_back(std::move(facts));
  }
  for (const BasicBlock& block : kernel.blocks) {
    if (block.has_op()) note_writes(facts_of(kernel, block.op));
  }
  const auto is_settled = [&](const OpFacts& facts) {
    const bool reads_uniform = std::ranges::all_of(
        facts.reads, [&](std::uint32_t slot) { return is_uniform[slot / slot_step]; });
    if (!reads_uniform) return false;
    for (const std::uint32_t slot : facts.writes) {
      if (writers[slot / slot_step] == 1) is_uniform[slot / slot_step] = true;
    }
    return true;
  };
  while (std::erase_if(candidates, is_settled) != 0) {
  }
  return is_uniform;
}

/// Whether one lane can do what a warp's lanes do at one address: sums of integers, those of 64
/// bits when all add the same; other operations on 32 bits when nothing needs their results.
/// Measured on 9.0.
bool can_be_aggregated(const MemoryOp& memory, bool has_uniform_value) {
  const bool is_32 = memory.type == ptx::Type::b32 || memory.type == ptx::Type::u32 ||
                     memory.type == ptx::Type::s32;
  const bool is_64 = memory.type == ptx::Type::u64 || memory.type == ptx::Type::s64;
  if (memory.operation == AtomicOperation::add) return is_32 || (is_64 && has_uniform_value);
  return memory.operation <= AtomicOperation::bit_xor && is_32 && memory.has_unused_result;
}

}  // namespace

std::vector<std::uint32_t> ways_out_of(const BasicBlock& block) {
  std::vector<std::uint32_t> list = block.targets;
  if (block.end == EndKind::branch) list.push_back(block.target);
  if (block.next != none) list.push_back(block.next);
  return list;
}

OpFacts facts_of(const Kernel& kernel, const Op& op) {
  switch (op.kind) {
    case OpKind::alu: {
      const AluOperands& operands = op.operands;
      return {slots({op.reads_a ? operands.a : none, op.reads_b ? operands.b : none,
                     op.reads_c ? operands.c : none, op.reads_e ? operands.e : none}),
              slots({operands.d, op.writes_d2 ? operands.d2 : none}), false};
    }
    case OpKind::load:
    case OpKind::load_matrix:
    case OpKind::store:
    case OpKind::atomic:
    case OpKind::async_copy:
    case OpKind::bulk_copy:
    case OpKind::tensor_copy:
    case OpKind::texture:
    case OpKind::store_matrix:
      return memory_facts(op.kind, kernel.memory[op.detail]);
    case OpKind::multiply_matrices: {
      const MatrixOp& matrices = kernel.matrix_products[op.detail];
      OpFacts facts = {matrices.a, matrices.d};
      facts.reads.insert(facts.reads.end(), matrices.b.begin(), matrices.b.end());
      facts.reads.insert(facts.reads.end(), matrices.c.begin(), matrices.c.end());
      if (matrices.product.is_sparse) facts.reads.push_back(matrices.product.metadata);
      return facts;
    }
    case OpKind::multiply_warpgroup: {
      const MatrixOp& matrices = kernel.matrix_products[op.detail];
      OpFacts facts = {slots({matrices.a_descriptor, matrices.b_descriptor, matrices.scale_d}),
                       matrices.d};
      facts.reads.insert(facts.reads.end(), matrices.a.begin(), matrices.a.end());
      facts.reads.insert(facts.reads.end(), matrices.c.begin(), matrices.c.end());
      if (matrices.product.is_sparse) facts.reads.push_back(matrices.product.metadata);
      return facts;
    }
    case OpKind::mbarrier: {
      const MbarrierOp& barrier = kernel.mbarriers[op.detail];
      return {slots({barrier.address.slot, barrier.value, barrier.beside.slot}),
              slots({barrier.d})};
    }
    case OpKind::move_frame: {
      const FrameMove& move = kernel.frame_moves[op.detail];
      OpFacts facts = {{move.base}, {move.base}};
      SlotList& kept = move.kind == FrameMove::Kind::pop ? facts.writes : facts.reads;
      for (const FrameMove::Kept& each : move.kept) kept.push_back(each.slot);
      return facts;
    }
    case OpKind::read_clock:
    case OpKind::active_mask:
      return {{}, {op.operands.d}};
    case OpKind::copy_group:
    case OpKind::proxy_fence:
    case OpKind::nanosleep:
    case OpKind::fence:
    case OpKind::order_warpgroup:
    case OpKind::cluster_fence:
    case OpKind::print:
    case OpKind::assert_fail:
      return {};
    case OpKind::stack_allocate:
    case OpKind::stack_restore:
      return {slots({kernel.calls[op.detail].a}), slots({kernel.calls[op.detail].d})};
    case OpKind::shuffle:
    case OpKind::vote:
    case OpKind::match:
    case OpKind::reduce:
    case OpKind::elect:
    case OpKind::warp_barrier:
    case OpKind::move_matrix: {
      const CollectiveOp& collective = kernel.collectives[op.detail];
      return {slots({collective.members, collective.a, collective.b, collective.c}),
              slots({collective.d, collective.predicate})};
    }
    case OpKind::cluster_address: {
      const ClusterAddressOp& address = kernel.cluster_addresses[op.detail];
      return {slots({address.a, address.rank}), {address.d}, false};
    }
    case OpKind::cluster_barrier:
    case OpKind::barrier: {
      const BarrierOp& barrier = kernel.barriers[op.detail];
      return {slots({barrier.barrier, barrier.threads, barrier.predicate}), slots({barrier.d})};
    }
  }
  return {};
}

std::vector<bool> find_merging_blocks(const std::vector<BasicBlock>& blocks) {
  std::vector<std::uint32_t> ways_in(blocks.size(), 0);
  for (const BasicBlock& block : blocks) {
    for (const std::uint32_t to : ways_out_of(block)) ++ways_in[to];
  }
  std::vector<bool> merges(blocks.size(), true);
  const auto judge = [&](std::uint32_t to, std::uint32_t other) {
    // A collective waits for the lanes that it names.
    if (to == 0 || ways_in[to] != 1 || blocks[to].has_op()) return;
    merges[to] = !can_end_without(blocks, other, to);
  };
  for (const BasicBlock& block : blocks) {
    if (block.end != EndKind::branch) continue;
    judge(block.target, block.next);
    judge(block.next, block.target);
  }
  return merges;
}

void mark_aggregated_atomics(Kernel& kernel) {
  const auto is_atomic = [](const Op& op) { return op.kind == OpKind::atomic; };
  if (std::ranges::none_of(kernel.ops, is_atomic)) return;
  const std::vector<bool> is_uniform = find_uniform_registers(kernel);
  for (const Op& op : kernel.ops) {
    if (!is_atomic(op)) continue;
    MemoryOp& memory = kernel.memory[op.detail];
    memory.is_aggregated = is_uniform[memory.address.slot / slot_step] &&
                           can_be_aggregated(memory, is_uniform[memory.values.front() / slot_step]);
  }
}

}  // namespace sweep
