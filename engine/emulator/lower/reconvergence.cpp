#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/emulator/lower/kernel_passes.h"

namespace sweep {
namespace {

template <class Work>
void for_each_successor(const BasicBlock& block, Work work) {
  if (block.end == EndKind::branch) work(block.target);
  for (const std::uint32_t target : block.targets) work(target);
  if (block.next != none) work(block.next);
}

/// What every way from a block to the end of a thread passes, as a tree whose root is that end
/// (K. Cooper, T. Harvey and K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001). Blocks from
/// which no way leads there are not in it.
class PostDominators {
 public:
  using Node = std::uint32_t;

  explicit PostDominators(const std::vector<BasicBlock>& blocks)
      : blocks_(blocks),
        end_(static_cast<Node>(blocks.size())),
        rank_(blocks.size() + 1, none),
        parent_(blocks.size() + 1, none),
        first_(blocks.size() + 1, 0),
        last_(blocks.size() + 1, 0) {
    rank_nodes();
    parent_[end_] = end_;
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (auto node = order_.rbegin() + 1; node != order_.rend(); ++node) {
        has_changed |= update_parent(*node);
      }
    }
    number_tree();
  }

  /// Whether a lane at `from` can end without passing `avoided`.
  bool can_end_without(Node from, Node avoided) const {
    if (rank_[from] == none) return false;
    if (rank_[avoided] == none) return true;
    return first_[from] < first_[avoided] || first_[from] > last_[avoided];
  }

 private:
  template <class Work>
  void for_each_next(Node node, Work work) const {
    const BasicBlock& block = blocks_[node];
    for_each_successor(block, work);
    if (block.end == EndKind::exit || block.end == EndKind::trap) work(end_);
  }

  /// Those that come later in `order_`, which ends with the root, are nearer to it.
  void rank_nodes() {
    std::vector<std::vector<Node>> ways_in(blocks_.size() + 1);
    for (Node node = 0; node < end_; ++node) {
      for_each_next(node, [&](Node to) { ways_in[to].push_back(node); });
    }
    visit(
        ways_in, [&](Node) {},
        [&](Node node) {
          rank_[node] = static_cast<std::uint32_t>(order_.size());
          order_.push_back(node);
        });
  }

  bool update_parent(Node node) {
    Node found = none;
    for_each_next(node, [&](Node to) {
      if (parent_[to] == none) return;
      found = found == none ? to : common(found, to);
    });
    if (parent_[node] == found) return false;
    parent_[node] = found;
    return true;
  }

  /// The lowest node above both.
  Node common(Node a, Node b) const {
    while (a != b) {
      while (rank_[a] < rank_[b]) a = parent_[a];
      while (rank_[b] < rank_[a]) b = parent_[b];
    }
    return a;
  }

  /// What lies below a node has its numbers within the node's.
  void number_tree() {
    std::vector<std::vector<Node>> below(blocks_.size() + 1);
    for (const Node node : order_) {
      if (node != end_) below[parent_[node]].push_back(node);
    }
    std::uint32_t next = 0;
    visit(
        below, [&](Node node) { first_[node] = next++; },
        [&](Node node) { last_[node] = next - 1; });
  }

  /// Goes through a graph from the end on, depth first, each node once.
  template <class Enter, class Leave>
  void visit(const std::vector<std::vector<Node>>& edges, Enter enter, Leave leave) const {
    std::vector<bool> is_seen(edges.size(), false);
    std::vector<std::pair<Node, std::size_t>> path = {{end_, 0}};
    is_seen[end_] = true;
    enter(end_);
    while (!path.empty()) {
      const Node node = path.back().first;
      const std::size_t edge = path.back().second++;
      if (edge == edges[node].size()) {
        leave(node);
        path.pop_back();
        continue;
      }
      const Node to = edges[node][edge];
      if (is_seen[to]) continue;
      is_seen[to] = true;
      enter(to);
      path.emplace_back(to, 0);
    }
  }

  const std::vector<BasicBlock>& blocks_;
  Node end_;
  std::vector<Node> order_;
  std::vector<std::uint32_t> rank_;  ///< place in `order_`
  std::vector<Node> parent_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> last_;
};

}  // namespace

std::vector<bool> find_merging_blocks(const std::vector<BasicBlock>& blocks) {
  std::vector<std::uint32_t> ways_in(blocks.size(), 0);
  for (const BasicBlock& block : blocks) {
    for_each_successor(block, [&](std::uint32_t to) { ++ways_in[to]; });
  }
  std::vector<bool> merges(blocks.size(), true);
  const PostDominators ways_out(blocks);
  const auto judge = [&](std::uint32_t to, std::uint32_t other) {
    // A collective waits for the lanes that it names.
    const bool waits = blocks[to].end == EndKind::collective || blocks[to].end == EndKind::barrier;
    if (to == 0 || ways_in[to] != 1 || waits) return;
    merges[to] = !ways_out.can_end_without(other, to);
  };
  for (const BasicBlock& block : blocks) {
    if (block.end != EndKind::branch) continue;
    judge(block.target, block.next);
    judge(block.next, block.target);
  }
  return merges;
}

}  // namespace sweep
