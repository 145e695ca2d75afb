#include "engine/emulator/lower/block_order.h"

#include <algorithm>

namespace sweep {
namespace {

constexpr std::uint32_t none_of_them = 0xffffffff;

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
    part[entry] = none_of_them;
    std::vector<std::uint32_t> roots = successors[entry];
    roots.insert(roots.end(), component.begin() + 1, component.end());
    push(components.find(roots, last_part));
  }
  return order;
}

}  // namespace sweep
