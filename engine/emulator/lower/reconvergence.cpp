#include "engine/emulator/lower/reconvergence.h"

#include <cstdint>

namespace sweep {
namespace {

template <class Work>
void for_each_successor(const BasicBlock& block, Work work) {
  if (block.end == EndKind::branch) work(block.target);
  for (const std::uint32_t target : block.targets) work(target);
  if (block.next != none) work(block.next);
}

/// Whether a lane at `from` can end without passing `avoided`.
bool can_end_without(const std::vector<BasicBlock>& blocks, std::uint32_t from,
                     std::uint32_t avoided) {
  std::vector<bool> is_seen(blocks.size(), false);
  std::vector<std::uint32_t> open = {from};
  is_seen[from] = is_seen[avoided] = true;
  while (!open.empty()) {
    const BasicBlock& block = blocks[open.back()];
    open.pop_back();
    if (block.end == EndKind::exit || block.end == EndKind::trap) return true;
    for_each_successor(block, [&](std::uint32_t to) {
      if (!is_seen[to]) open.push_back(to);
      is_seen[to] = true;
    });
  }
  return false;
}

}  // namespace

std::vector<bool> find_merging_blocks(const std::vector<BasicBlock>& blocks) {
  std::vector<std::uint32_t> ways_in(blocks.size(), 0);
  for (const BasicBlock& block : blocks) {
    for_each_successor(block, [&](std::uint32_t to) { ++ways_in[to]; });
  }
  std::vector<bool> merges(blocks.size(), true);
  const auto judge = [&](std::uint32_t to, std::uint32_t other) {
    // A collective waits for the lanes that it names.
    const bool waits = blocks[to].end == EndKind::collective || blocks[to].end == EndKind::barrier;
    if (to == 0 || ways_in[to] != 1 || waits) return;
    merges[to] = !can_end_without(blocks, other, to);
  };
  for (const BasicBlock& block : blocks) {
    if (block.end != EndKind::branch) continue;
    judge(block.target, block.next);
    judge(block.next, block.target);
  }
  return merges;
}

}  // namespace sweep
