#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(block_order)

namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;
using Order = std::vector<std::uint32_t>;

}  // namespace

BOOST_AUTO_TEST_CASE(puts_what_joins_behind_what_it_joins) {
  BOOST_TEST(loop_contiguous_order({{1, 2}, {3}, {3}, {}}).back() == 3U);
  BOOST_TEST(loop_contiguous_order({{2, 1}, {3}, {3}, {}}).back() == 3U);
}

BOOST_AUTO_TEST_CASE(keeps_a_loop_together) {
  // 0 -> 1; 1 -> 2 or out to 3; 2 -> 1; 3: the exit never stands within the loop.
  const Order expected = {0, 1, 2, 3};
  BOOST_TEST(loop_contiguous_order({{1}, {3, 2}, {1}, {}}) == expected);
  BOOST_TEST(loop_contiguous_order({{1}, {2, 3}, {1}, {}}) == expected);
  // A loop within it.
  BOOST_TEST(loop_contiguous_order({{1}, {4, 2}, {3}, {2, 1}, {}}) == (Order{0, 1, 2, 3, 4}));
}

BOOST_AUTO_TEST_CASE(leaves_out_what_nothing_reaches) {
  BOOST_TEST(loop_contiguous_order({{2}, {2}, {}}) == (Order{0, 2}));
}

BOOST_AUTO_TEST_CASE(holds_every_reachable_block_once_and_is_topological_without_loops) {
  std::mt19937 engine(7);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t size = 1 + random() % 20;
    const bool has_loops = round % 2 == 0;
    Graph graph(size);
    for (std::uint32_t node = 0; node < size; ++node) {
      for (std::uint32_t edges = random() % 3; edges > 0; --edges) {
        const std::uint32_t to = has_loops ? random() % size : node + 1 + random() % size;
        if (to < size) graph[node].push_back(to);
      }
    }
    std::set<std::uint32_t> reached = {0};
    Order open = {0};
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      for (const std::uint32_t to : graph[node]) {
        if (reached.insert(to).second) open.push_back(to);
      }
    }
    const Order order = loop_contiguous_order(graph);
    BOOST_TEST(order.front() == 0U);
    BOOST_TEST(order.size() == reached.size());
    BOOST_TEST((std::set<std::uint32_t>(order.begin(), order.end()) == reached));
    if (has_loops) continue;
    for (const std::uint32_t node : order) {
      for (const std::uint32_t to : graph[node]) {
        BOOST_TEST((std::ranges::find(order, node) < std::ranges::find(order, to)));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
