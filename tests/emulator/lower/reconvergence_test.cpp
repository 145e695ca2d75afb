// Where lanes go on together, against the rule as it is written.

#include <fmt/format.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

#include "engine/emulator/lower/code_analysis.h"
#include "tests/emulator/lower/lowered.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(reconvergence)

namespace {

std::vector<std::uint32_t> successors(const BasicBlock& block) {
  std::vector<std::uint32_t> list = block.targets;
  if (block.end == EndKind::branch) list.push_back(block.target);
  if (block.next != none) list.push_back(block.next);
  return list;
}

bool can_end_without(const std::vector<BasicBlock>& blocks, std::uint32_t from,
                     std::uint32_t avoided, std::vector<bool>& seen) {
  if (from == avoided || seen[from]) return false;
  seen[from] = true;
  if (blocks[from].end == EndKind::exit) return true;
  return std::ranges::any_of(successors(blocks[from]), [&](std::uint32_t to) {
    return can_end_without(blocks, to, avoided, seen);
  });
}

std::vector<bool> merging_by_the_rule(const std::vector<BasicBlock>& blocks) {
  std::vector<bool> merges(blocks.size(), true);
  std::vector<std::uint32_t> ways_in(blocks.size(), 0);
  for (const BasicBlock& block : blocks) {
    for (const std::uint32_t to : successors(block)) ++ways_in[to];
  }
  for (const BasicBlock& block : blocks) {
    if (block.end != EndKind::branch) continue;
    for (const auto& [to, other] :
         {std::pair(block.target, block.next), std::pair(block.next, block.target)}) {
      std::vector<bool> seen(blocks.size(), false);
      if (to == 0 || ways_in[to] != 1 || blocks[to].end == EndKind::barrier) continue;
      merges[to] = !can_end_without(blocks, other, to, seen);
    }
  }
  return merges;
}

/// Mostly forward branches, some loops, and places that nothing leaves.
std::vector<BasicBlock> random_blocks(std::mt19937_64& random) {
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  const std::uint32_t size = 2 + below(14);
  std::vector<BasicBlock> blocks(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto somewhere = [&] {
      return below(3) == 0 ? below(size) : std::min(size - 1, i + 1 + below(3));
    };
    BasicBlock& block = blocks[i];
    const std::uint32_t kind = i + 1 == size ? 0 : below(10);
    block.next = somewhere();
    if (kind == 0) {
      block.end = EndKind::exit;
      if (below(3) != 0) block.next = none;
    } else if (kind < 6) {
      block.end = EndKind::branch;
      block.target = somewhere();
    } else if (kind == 6) {
      block.end = EndKind::indexed_branch;
      block.targets = {somewhere(), somewhere()};
      block.next = none;
    } else if (kind == 7) {
      block.end = EndKind::barrier;
    }
  }
  return blocks;
}

}  // namespace

BOOST_AUTO_TEST_CASE(follows_the_rule) {
  std::mt19937_64 random(1);
  std::size_t apart = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::vector<BasicBlock> blocks = random_blocks(random);
    const std::vector<bool> merges = find_merging_blocks(blocks);
    BOOST_REQUIRE((merges == merging_by_the_rule(blocks)));
    apart += static_cast<std::size_t>(std::ranges::count(merges, false));
  }
  BOOST_TEST(apart > 1000u);
}

BOOST_AUTO_TEST_CASE(takes_no_long_time_for_a_long_kernel) {
  std::string body;
  for (int i = 0; i < 5'000; ++i) {
    body += fmt::format("@%p1 bra L{0}; add.u32 %r1, %r1, 1; L{0}:\n", i);
  }
  BOOST_TEST(lowered(body).blocks.size() > 10'000u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
