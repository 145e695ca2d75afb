#include "engine/emulator/lower/control_flow.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <random>

#include "engine/emulator/lower/code_analysis.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(control_flow)

namespace {

using Ways = std::vector<std::vector<std::uint32_t>>;

/// Blocks that lead to these others, none being the end.
std::vector<BasicBlock> blocks_of(const Ways& ways) {
  std::vector<BasicBlock> blocks(ways.size());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    blocks[i].end = ways[i].empty() ? EndKind::exit : EndKind::indexed_branch;
    blocks[i].targets = ways[i];
  }
  return blocks;
}

std::vector<std::uint32_t> regions_of(const Ways& ways) {
  const ControlFlow flow(blocks_of(ways));
  std::vector<std::uint32_t> regions;
  for (std::uint32_t i = 0; i < ways.size(); ++i) regions.push_back(flow.region(i));
  return regions;
}

struct Case {
  const char* name;
  Ways ways;
  std::vector<std::uint32_t> regions;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.name; }
};

const std::vector<Case> cases = {
    {"one after the other", {{1}, {2}, {}}, {0, 0, 0}},
    {"a branch and where it meets again", {{1, 2}, {2}, {}}, {0, 1, 0}},
    {"both sides of a branch", {{1, 2}, {3}, {3}, {}}, {0, 1, 2, 0}},
    {"an early end", {{1, 2}, {}, {}}, {0, 1, 2}},
    {"a loop", {{1}, {1, 2}, {}}, {0, 1, 0}},
    {"a loop that is left in its midst", {{1}, {2, 3}, {1}, {}}, {0, 1, 2, 0}},
    {"a loop of two blocks", {{1}, {2}, {1, 3}, {}}, {0, 1, 1, 0}},
    {"a loop in a loop", {{1}, {2}, {2, 3}, {1, 4}, {}}, {0, 1, 2, 1, 0}},
    {"a loop that can leave out a block", {{2, 1}, {2, 3}, {4, 3}, {0}, {}}, {0, 1, 2, 3, 4}},
    // Lanes that stay in it execute nothing else, wherever it stands.
    {"a loop without end", {{1, 2}, {1}, {}}, {0, 1, 0}},
};

/// A graph in the order that kernels have, from a random one.
Ways random_ways(std::mt19937& engine) {
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  const std::uint32_t size = 2 + random() % 12;
  Ways graph(size);
  for (std::uint32_t node = 0; node + 1 < size; ++node) {
    for (std::uint32_t edges = 1 + random() % 2; edges > 0; --edges) {
      graph[node].push_back(random() % 3 == 0 ? random() % size
                                              : node + 1 + random() % (size - node - 1));
    }
  }
  const std::vector<std::uint32_t> order = loop_contiguous_order(graph);
  std::vector<std::uint32_t> place(size, none);
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  Ways ordered;
  for (const std::uint32_t node : order) {
    ordered.push_back(graph[node]);
    for (std::uint32_t& to : ordered.back()) to = place[to];
  }
  return ordered;
}

}  // namespace

BOOST_DATA_TEST_CASE(regions, data::make(cases), row) {
  BOOST_TEST(regions_of(row.ways) == row.regions, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(blocks_of_a_region_are_executed_equally_often) {
  std::mt19937 engine(11);
  std::size_t shared = 0;
  for (int round = 0; round < 400; ++round) {
    const Ways ways = random_ways(engine);
    const std::vector<std::uint32_t> regions = regions_of(ways);
    for (int walk = 0; walk < 20; ++walk) {
      std::vector<unsigned> visits(ways.size(), 0);
      std::uint32_t at = 0;
      int steps = 0;
      for (; steps < 1000; ++steps) {
        ++visits[at];
        if (ways[at].empty()) break;
        at = ways[at][engine() % ways[at].size()];
      }
      if (steps == 1000) continue;
      for (std::uint32_t i = 0; i < ways.size(); ++i) {
        BOOST_TEST_REQUIRE(visits[i] == visits[regions[i]]);
        shared += regions[i] != i ? 1 : 0;
      }
    }
  }
  BOOST_TEST(shared > 1000U);
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace sweep::testing
