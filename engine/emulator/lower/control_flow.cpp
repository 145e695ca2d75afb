#include "engine/emulator/lower/control_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/emulator/lower/block_order.h"
#include "engine/emulator/lower/instruction_table.h"
#include "engine/emulator/lower/lower.h"

namespace sweep {
namespace {

using ptx::Operand;

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
    const EndKind end = row_of(instruction(at)).end;
    // The end of a function's body and a call become branches into it and out of it.
    const bool leaves_body =
        end == EndKind::exit && instruction(at).mnemonic == "ret" && flat_.code[at].frame != 0;
    const bool enters_body = instruction(at).mnemonic == "call" && flat_.code[at].target != 0;
    return leaves_body || enters_body ? EndKind::branch : end;
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
    const ptx::Instruction& ins = instruction(at);
    if (ins.mnemonic == "ret" || ins.mnemonic == "call") return {flat_.code[at].target};
    const bool is_indexed = ins.mnemonic == "brx";
    if (ins.operands.size() < (is_indexed ? 2U : 1U)) {
      throw UnsupportedError(fmt::format("line {} of the PTX branches nowhere", ins.ptx_line));
    }
    if (!is_indexed) return {label_target(at, ins.operands.front())};
    std::vector<std::uint32_t> targets;
    for (const Operand& label : ins.operands[1].elements)
      targets.push_back(label_target(at, label));
    if (targets.empty()) {
      throw UnsupportedError(fmt::format("line {} of the PTX branches nowhere", ins.ptx_line));
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
    const bool is_call = instruction(at).mnemonic == "call";
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
