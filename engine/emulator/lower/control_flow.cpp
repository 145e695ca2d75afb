#include "engine/emulator/lower/control_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/emulator/lower/lower.h"
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
  const ptx::Instruction& instruction = *branch.instruction;
  const std::vector<std::uint32_t>& begins = flat.begins[branch.frame];
  std::vector<std::uint32_t> targets;
  const auto add = [&](const Operand& label) {
    if (label.kind != Operand::Kind::label || label.value < 0 ||
        static_cast<std::uint64_t>(label.value) >= begins.size()) {
      throw UnsupportedError(
          fmt::format("line {} of the PTX branches to no label", instruction.ptx_line));
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
    throw UnsupportedError(
        fmt::format("line {} of the PTX branches nowhere", instruction.ptx_line));
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

}  // namespace sweep
