#include "engine/emulator/lower/control_flow.h"

#include <algorithm>
#include <numeric>

namespace sweep {
namespace {

using Neighbours = std::vector<std::vector<std::uint32_t>>;

/// Finding regions takes time by the square of the blocks, and by the dominators tried for each.
constexpr std::size_t most_blocks = 2048;
constexpr int most_tried = 16;

/// The nodes that the root leads to, each before those that it alone leads to: in the reverse of
/// the order in which a depth-first search leaves them.
std::vector<std::uint32_t> reverse_postorder(const Neighbours& ways_on, std::uint32_t root) {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> next(ways_on.size(), 0);  // the way to follow; 0: not reached yet
  std::vector<std::uint32_t> open = {root};
  next[root] = 1;
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    if (next[node] > ways_on[node].size()) {
      order.push_back(node);
      open.pop_back();
      continue;
    }
    const std::uint32_t to = ways_on[node][next[node]++ - 1];
    if (next[to] != 0) continue;
    next[to] = 1;
    open.push_back(to);
  }
  std::ranges::reverse(order);
  return order;
}

/// Each node's immediate dominator, the root's being itself (K. Cooper, T. Harvey, K. Kennedy, "A
/// Simple, Fast Dominance Algorithm", 2001); `none` for those that the root does not lead to.
std::vector<std::uint32_t> immediate_dominators(const Neighbours& ways_on,
                                                const Neighbours& ways_in, std::uint32_t root) {
  const std::vector<std::uint32_t> order = reverse_postorder(ways_on, root);
  std::vector<std::uint32_t> place(ways_on.size(), none);
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<std::uint32_t> above(ways_on.size(), none);
  above[root] = root;
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) (place[a] > place[b] ? a : b) = above[place[a] > place[b] ? a : b];
    return a;
  };
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const std::uint32_t node : order) {
      if (node == root) continue;
      std::uint32_t found = none;
      for (const std::uint32_t from : ways_in[node]) {
        if (above[from] == none) continue;
        found = found == none ? from : meet(found, from);
      }
      has_changed |= found != above[node];
      above[node] = found;
    }
  }
  return above;
}

bool is_above(const std::vector<std::uint32_t>& above, std::uint32_t other, std::uint32_t node) {
  while (node != other && above[node] != none && above[node] != node) node = above[node];
  return node == other;
}

/// Whether a lane that was at a node can come there again without passing the other.
bool can_return(const Neighbours& ways_on, std::uint32_t node, std::uint32_t without) {
  std::vector<bool> is_seen(ways_on.size(), false);
  is_seen[without] = true;
  std::vector<std::uint32_t> open = {node};
  while (!open.empty()) {
    const std::uint32_t from = open.back();
    open.pop_back();
    for (const std::uint32_t to : ways_on[from]) {
      if (to == node) return true;
      if (is_seen[to]) continue;
      is_seen[to] = true;
      open.push_back(to);
    }
  }
  return false;
}

std::vector<std::uint32_t> ways_on(const BasicBlock& block) {
  std::vector<std::uint32_t> list = block.targets;
  if (block.end == EndKind::branch) list.push_back(block.target);
  if (block.next != none) list.push_back(block.next);
  return list;
}

}  // namespace

ControlFlow::ControlFlow(const std::vector<BasicBlock>& blocks) : regions_(blocks.size()) {
  const auto count = static_cast<std::uint32_t>(blocks.size());
  // The number after the last block's is that of the kernel's end.
  Neighbours ways(std::size_t{count} + 1);
  Neighbours ways_in(std::size_t{count} + 1);
  for (std::uint32_t from = 0; from < count; ++from) {
    ways[from] = ways_on(blocks[from]);
    if (ways[from].empty()) ways[from].push_back(count);
    for (const std::uint32_t to : ways[from]) ways_in[to].push_back(from);
  }
  const std::vector<std::uint32_t> above = immediate_dominators(ways, ways_in, 0);
  const std::vector<std::uint32_t> after = immediate_dominators(ways_in, ways, count);
  std::iota(regions_.begin(), regions_.end(), 0);
  if (count > most_blocks) return;
  for (std::uint32_t block = 1; block < count; ++block) {
    if (above[block] == none) continue;
    std::uint32_t before = block;
    for (int tried = 0; tried < most_tried && before != 0; ++tried) {
      before = above[before];
      if (!is_above(after, block, before)) break;
      if (can_return(ways, before, block) || can_return(ways, block, before)) continue;
      regions_[block] = regions_[before];
      break;
    }
  }
}

}  // namespace sweep
