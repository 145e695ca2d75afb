#pragma once

#include <cstdint>
#include <vector>

namespace sweep {

/// A graph's nodes that node 0 reaches, in a topological order in which every loop's nodes are
/// adjacent, its entry first, and so on within it (F. Bourdoncle, "Efficient chaotic iteration
/// strategies with widenings", 1993). `successors` has one list for each node.
std::vector<std::uint32_t> loop_contiguous_order(
    const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace sweep
