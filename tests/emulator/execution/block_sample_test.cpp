#include "engine/emulator/execution/block_sample.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <numeric>

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(block_sample)

namespace {

LaunchCount count_of(std::uint64_t sectors) {
  LaunchCount count;
  count.sites.resize(1);
  count.sites[0].global.requests = 8;
  count.sites[0].global.sectors = sectors;
  count.warp_instructions = 100;
  count.thread_instructions = 3200;
  return count;
}

using SectorsOfBlock = std::function<std::uint64_t(std::uint64_t)>;

std::vector<LaunchCount> counts_of(const std::vector<std::uint64_t>& blocks,
                                   const SectorsOfBlock& sectors) {
  std::vector<LaunchCount> counts;
  for (const std::uint64_t block : blocks) counts.push_back(count_of(sectors(block)));
  return counts;
}

/// What executing all blocks gives.
LaunchCount whole(std::uint64_t total, const SectorsOfBlock& sectors) {
  LaunchCount sum;
  for (std::uint64_t block = 0; block < total; ++block) sum += count_of(sectors(block));
  return sum;
}

struct ScaledCase {
  const char* name;
  SectorsOfBlock sectors;
  friend std::ostream& operator<<(std::ostream& out, const ScaledCase& one) {
    return out << one.name;
  }
};

const std::vector<ScaledCase> scaled_cases = {
    {"one count for all", [](std::uint64_t) { return 32U; }},
    {"another in the first block", [](std::uint64_t block) { return block == 0 ? 40U : 32U; }},
    {"another in the last block", [](std::uint64_t block) { return block == 999 ? 5U : 32U; }},
    {"rising with the block", [](std::uint64_t block) { return 7 + 3 * block; }},
    {"falling with the block", [](std::uint64_t block) { return 5000 - 4 * block; }},
};

const std::vector<ScaledCase> other_cases = {
    {"every other block", [](std::uint64_t block) { return 32 + block % 2; }},
    {"a square", [](std::uint64_t block) { return block * block; }},
    {"one block that stands out", [](std::uint64_t block) { return block / 300 * 8; }},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_sample_has_both_ends_and_is_spread,
                     data::make({8, 20, 100}) * data::make({1000, 4096, 1000000}), wanted, total) {
  const auto most = static_cast<std::uint64_t>(wanted);
  const auto size = static_cast<std::uint64_t>(total);
  const std::vector<std::uint64_t> blocks = choose_blocks(size, most);
  BOOST_TEST(blocks.front() == 0U);
  BOOST_TEST(blocks.back() == size - 1);
  BOOST_TEST(std::ranges::is_sorted(blocks));
  BOOST_TEST((std::ranges::adjacent_find(blocks) == blocks.end()));
  BOOST_TEST(blocks.size() <= most);
  BOOST_TEST(blocks.size() >= most - 2);
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    BOOST_TEST(blocks[i] - blocks[i - 1] <= 2 * size / (most - 2) + 1);
  }
}

BOOST_AUTO_TEST_CASE(a_sample_has_no_period) {
  const std::vector<std::uint64_t> blocks = choose_blocks(1U << 20U, 200);
  for (const std::uint64_t period : {2U, 3U, 4U, 5U, 7U, 8U, 16U}) {
    std::vector<int> hits(period, 0);
    for (const std::uint64_t block : blocks) ++hits[block % period];
    BOOST_TEST(std::ranges::min(hits) > 0, "no block is " << period << " k + something");
  }
}

BOOST_AUTO_TEST_CASE(a_small_grid_is_taken_whole) {
  BOOST_TEST(choose_blocks(5, 8) == (std::vector<std::uint64_t>{0, 1, 2, 3, 4}),
             boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(linear_counts_are_scaled_exactly, data::make(scaled_cases), one) {
  constexpr std::uint64_t total = 1000;
  const std::vector<std::uint64_t> blocks = choose_blocks(total, 20);
  const auto scaled = scale_counts(blocks, counts_of(blocks, one.sectors), total);
  BOOST_REQUIRE(scaled.has_value());
  BOOST_TEST((*scaled == whole(total, one.sectors)));
}

BOOST_DATA_TEST_CASE(other_counts_are_not_scaled, data::make(other_cases), one) {
  constexpr std::uint64_t total = 1000;
  const std::vector<std::uint64_t> blocks = choose_blocks(total, 20);
  BOOST_TEST(!scale_counts(blocks, counts_of(blocks, one.sectors), total).has_value());
}

BOOST_DATA_TEST_CASE(two_linear_pieces_are_scaled_once_their_border_is_known,
                     data::make({1, 2, 3, 100, 555, 996, 997, 998, 999, 1000}), border) {
  constexpr std::uint64_t total = 1000;
  const auto turns = [&](std::uint64_t block) {
    return block < static_cast<std::uint64_t>(border) ? 63U : 62U;
  };
  std::vector<std::uint64_t> blocks = choose_blocks(total, 20);
  std::vector<std::uint64_t> told;
  while (const auto block = block_to_tell_pieces(blocks, counts_of(blocks, turns), total)) {
    BOOST_REQUIRE(!std::ranges::binary_search(blocks, *block));
    blocks.insert(std::ranges::upper_bound(blocks, *block), *block);
    told.push_back(*block);
  }
  BOOST_TEST(told.size() <= 12U);
  const auto scaled = scale_counts(blocks, counts_of(blocks, turns), total);
  BOOST_REQUIRE(scaled.has_value());
  BOOST_TEST((*scaled == whole(total, turns)));
}

BOOST_AUTO_TEST_CASE(three_pieces_are_not_scaled) {
  constexpr std::uint64_t total = 1000;
  const auto three = [](std::uint64_t block) { return block / 400; };
  std::vector<std::uint64_t> blocks = choose_blocks(total, 20);
  while (const auto block = block_to_tell_pieces(blocks, counts_of(blocks, three), total)) {
    blocks.insert(std::ranges::upper_bound(blocks, *block), *block);
  }
  BOOST_TEST(!scale_counts(blocks, counts_of(blocks, three), total).has_value());
}

BOOST_AUTO_TEST_CASE(totals_that_do_not_fit_are_not_given) {
  constexpr std::uint64_t largest_grid = 0x7fffffffULL * 65535 * 65535;
  const std::vector<std::uint64_t> blocks = choose_blocks(largest_grid, 20);
  const auto one = [](std::uint64_t) { return std::uint64_t{1}; };
  const auto rising = [](std::uint64_t block) { return block; };
  const auto same = [](std::uint64_t) { return std::uint64_t{1} << 40U; };
  BOOST_TEST(!scale_counts(blocks, counts_of(blocks, one), largest_grid).has_value());
  BOOST_TEST(!scale_counts(blocks, counts_of(blocks, rising), largest_grid).has_value());
  BOOST_TEST(!scale_counts(blocks, counts_of(blocks, same), largest_grid).has_value());
}

BOOST_AUTO_TEST_CASE(too_few_blocks_prove_nothing) {
  const std::vector<std::uint64_t> blocks = {0, 10, 99};
  const auto same = [](std::uint64_t) { return 32U; };
  BOOST_TEST(!scale_counts(blocks, counts_of(blocks, same), 100).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
