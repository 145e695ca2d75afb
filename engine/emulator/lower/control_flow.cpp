#include "engine/emulator/lower/control_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/emulator/lower/lower.h"
#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;

/// Strongly connected components of a part of the graph by Tarjan's algorithm without recursion.
class Components {
 public:
  using Node = std::uint32_t;

  Components(const std::vector<std::vector<Node>>& successors, std::vector<std::uint32_t>& part)
      : successors_(successors), part_(part), state_(successors.size()) {}

  /// The components that the roots reach within part `part`, in topological order; the first node
  /// of each is where the search entered it.
  std::vector<std::vector<Node>> find(const std::vector<Node>& roots, std::uint32_t part) {
    found_.clear();
    next_index_ = 1;
    for (const Node root : roots) {
      if (part_[root] == part && state_[root].index == 0) search(root, part);
    }
    for (const auto& component : found_) {
      for (const Node node : component) state_[node] = {};
    }
    std::ranges::reverse(found_);
    return std::move(found_);
  }

 private:
  struct State {
    std::uint32_t index = 0;  ///< 0: not seen
    std::uint32_t low = 0;
    std::uint32_t next = 0;  ///< the successor to look at
    bool is_open = false;
  };

  void open(Node node) {
    state_[node] = {next_index_, next_index_, 0, true};
    ++next_index_;
    open_.push_back(node);
    path_.push_back(node);
  }

  void search(Node root, std::uint32_t part) {
    open(root);
    while (!path_.empty()) {
      const Node node = path_.back();
      State& state = state_[node];
      if (state.next < successors_[node].size()) {
        const Node to = successors_[node][state.next++];
        if (part_[to] != part) continue;
        if (state_[to].index == 0) {
          open(to);
        } else if (state_[to].is_open) {
          state.low = std::min(state.low, state_[to].index);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        State& parent = state_[path_.back()];
        parent.low = std::min(parent.low, state.low);
      }
      if (state.low == state.index) close(node);
    }
  }

  void close(Node entry) {
    std::vector<Node> component;
    do {
      component.push_back(open_.back());
      state_[open_.back()].is_open = false;
      open_.pop_back();
    } while (component.back() != entry);
    std::ranges::reverse(component);
    found_.push_back(std::move(component));
  }

  const std::vector<std::vector<Node>>& successors_;
  const std::vector<std::uint32_t>& part_;
  std::vector<State> state_;
  std::vector<Node> open_;
  std::vector<Node> path_;
  std::uint32_t next_index_ = 1;
  std::vector<std::vector<Node>> found_;
};

/// Cuts flat code into blocks whose targets are still flat instructions.
class Cutter {
 public:
  explicit Cutter(const FlatCode& flat) : flat_(flat), is_leader_(flat.code.size() + 1, false) {}

  std::vector<CodeBlock> run() {
    mark_leaders();
    const auto size = static_cast<std::uint32_t>(flat_.code.size());
    block_at_.assign(size + 1, none);
    for (std::uint32_t at = 0; at < size;) at = cut_from(at);
    // Running off the end of the kernel is leaving it.
    block_at_[size] = static_cast<std::uint32_t>(blocks_.size());
    CodeBlock end;
    end.begin = end.end = size;
    end.kind = EndKind::exit;
    blocks_.push_back(end);
    for (CodeBlock& block : blocks_) resolve(block);
    return std::move(blocks_);
  }

 private:
  const ptx::Instruction& instruction(std::uint32_t at) const {
    return *flat_.code[at].instruction;
  }

  EndKind end_kind(std::uint32_t at) const {
    // A call and the end of a function's body become branches into it and out of it.
    return flat_.code[at].target != 0 ? EndKind::branch : row_of(instruction(at)).end;
  }

  std::uint32_t label_target(std::uint32_t at, const Operand& label) const {
    const auto& begins = flat_.begins[flat_.code[at].frame];
    if (label.kind != Operand::Kind::label || label.value < 0 ||
        static_cast<std::uint64_t>(label.value) >= begins.size()) {
      throw UnsupportedError(
          fmt::format("line {} of the PTX branches to no label", instruction(at).ptx_line));
    }
    return begins[static_cast<std::size_t>(label.value)];
  }

  std::vector<std::uint32_t> targets_of(std::uint32_t at) const {
    const FlatInstruction& flat = flat_.code[at];
    if (flat.target != 0) return {flat.target};
    const std::vector<Operand>& operands = flat.instruction->operands;
    const bool is_indexed = end_kind(at) == EndKind::indexed_branch;
    std::vector<std::uint32_t> targets;
    if (!is_indexed && !operands.empty()) targets.push_back(label_target(at, operands.front()));
    if (is_indexed && operands.size() > 1) {
      for (const Operand& label : operands[1].elements) targets.push_back(label_target(at, label));
    }
    if (targets.empty()) {
      throw UnsupportedError(
          fmt::format("line {} of the PTX branches nowhere", flat.instruction->ptx_line));
    }
    return targets;
  }

  void mark_leaders() {
    for (std::uint32_t at = 0; at < flat_.code.size(); ++at) {
      const EndKind kind = end_kind(at);
      if (kind == EndKind::next) continue;
      is_leader_[at + 1] = true;
      if (kind == EndKind::branch || kind == EndKind::indexed_branch) {
        for (const std::uint32_t target : targets_of(at)) is_leader_[target] = true;
      }
    }
  }

  /// Adds the block that begins at an instruction and gives where the next begins.
  std::uint32_t cut_from(std::uint32_t begin) {
    CodeBlock block;
    block.begin = block.end = begin;
    block_at_[begin] = static_cast<std::uint32_t>(blocks_.size());
    std::uint32_t at = begin;
    while (at < flat_.code.size() && end_kind(at) == EndKind::next &&
           (at == begin || !is_leader_[at]))
      ++at;
    block.end = at;
    const bool stops_before = at == flat_.code.size() || (at != begin && is_leader_[at]);
    const EndKind kind = stops_before ? EndKind::next : end_kind(at);
    if (kind == EndKind::next) {
      block.next = at;
      blocks_.push_back(block);
      return at;
    }
    if (kind == EndKind::collective || kind == EndKind::barrier)
      return cut_waiting(block, at, kind);
    block.kind = kind;
    block.ender = at;
    block.next = at + 1;
    const bool is_call = flat_.code[at].target != 0 && instruction(at).mnemonic == "call";
    if (kind == EndKind::branch || kind == EndKind::indexed_branch) block.targets = targets_of(at);
    if (is_call && !instruction(at).guard) {
      block.kind = EndKind::next;
      block.targets.clear();
    }
    block.is_guard_inverted = is_call;
    blocks_.push_back(block);
    return at + 1;
  }

  /// What has to wait for other lanes is a block of its own, so that they can meet before it; lanes
  /// whose guard does not hold go around it.
  std::uint32_t cut_waiting(CodeBlock before, std::uint32_t at, EndKind kind) {
    const bool is_guarded = instruction(at).guard.has_value();
    CodeBlock waiting;
    waiting.begin = waiting.end = at;
    waiting.kind = kind;
    waiting.ender = at;
    waiting.next = at + 1;
    if (before.begin == at && !is_guarded) {
      blocks_.push_back(waiting);
      return at + 1;
    }
    if (is_guarded) {
      before.kind = EndKind::branch;
      before.ender = at;
      before.is_guard_inverted = true;
      before.targets = {at + 1};
    }
    before.next = waiting_next;
    blocks_.push_back(before);
    if (before.begin != at && !is_guarded)
      block_at_[at] = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back(waiting);
    return at + 1;
  }

  /// Flat instructions become block numbers.
  void resolve(CodeBlock& block) {
    const auto self = static_cast<std::uint32_t>(&block - blocks_.data());
    if (block.next == waiting_next) {
      block.next = self + 1;
    } else if (block.next != none) {
      block.next = block_at_[block.next];
    }
    for (std::uint32_t& target : block.targets) target = block_at_[target];
    if (block.kind == EndKind::branch) {
      block.target = block.targets.front();
      block.targets.clear();
    }
  }

  /// Stands for "the block that comes after this one in the list".
  static constexpr std::uint32_t waiting_next = none - 1;

  const FlatCode& flat_;
  std::vector<bool> is_leader_;
  std::vector<std::uint32_t> block_at_;
  std::vector<CodeBlock> blocks_;
};

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
  std::vector<std::uint32_t> order;
  if (successors.empty()) return order;
  // Loops still to be ordered, innermost last: a stack instead of recursion.
  std::vector<std::uint32_t> part(successors.size(), 0);
  Components components(successors, part);
  std::uint32_t last_part = 0;
  std::vector<std::vector<std::uint32_t>> pending;
  const auto push = [&](std::vector<std::vector<std::uint32_t>> found) {
    for (auto component = found.rbegin(); component != found.rend(); ++component) {
      pending.push_back(std::move(*component));
    }
  };
  push(components.find({0}, 0));
  while (!pending.empty()) {
    const std::vector<std::uint32_t> component = std::move(pending.back());
    pending.pop_back();
    order.push_back(component.front());
    if (component.size() == 1) continue;
    // Without its entry the loop falls apart into what is ordered next.
    ++last_part;
    for (const std::uint32_t node : component) part[node] = last_part;
    const std::uint32_t entry = component.front();
    part[entry] = none;
    std::vector<std::uint32_t> roots = successors[entry];
    roots.insert(roots.end(), component.begin() + 1, component.end());
    push(components.find(roots, last_part));
  }
  return order;
}

std::vector<CodeBlock> find_blocks(const FlatCode& flat) {
  std::vector<CodeBlock> blocks = Cutter(flat).run();
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
