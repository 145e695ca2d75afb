#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "engine/cuda/device_memory.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(pool_decisions)

namespace {

using Sizes = std::vector<std::uint64_t>;

/// "2 0 -": the block of each size.
std::string assigned(const Sizes& capacities, const Sizes& sizes) {
  std::string text;
  for (const auto& block : assign_blocks(capacities, sizes)) {
    if (!text.empty()) text += ' ';
    text += block ? std::to_string(*block) : "-";
  }
  return text;
}

/// Whether every size can have a block: the largest the largest, and so on.
bool all_can_fit(Sizes capacities, Sizes sizes) {
  if (capacities.size() < sizes.size()) return false;
  std::ranges::sort(capacities, std::greater<>());
  std::ranges::sort(sizes, std::greater<>());
  return std::equal(sizes.begin(), sizes.end(), capacities.begin(), std::less_equal<>());
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_size_gets_the_smallest_block_that_it_fits_into) {
  BOOST_TEST(assigned({10, 20, 30}, {20, 5}) == "1 0");
  BOOST_TEST(assigned({10, 20, 30}, {21, 15, 10}) == "2 1 0");
  BOOST_TEST(assigned({30}, {5, 25}) == "- 0");
  BOOST_TEST(assigned({10}, {11}) == "-");
  BOOST_TEST(assigned({}, {1, 2}) == "- -");
  BOOST_TEST(assigned({1, 2}, {}) == "");
}

BOOST_AUTO_TEST_CASE(blocks_fit_are_used_once_and_none_is_left_that_would_have_fitted) {
  testing::check_property([] {
    const auto sizes_of = [] {
      return *rc::gen::container<Sizes>(rc::gen::inRange<std::uint64_t>(1, 50));
    };
    const Sizes capacities = sizes_of();
    const Sizes sizes = sizes_of();
    const auto result = assign_blocks(capacities, sizes);
    RC_ASSERT(result.size() == sizes.size());
    std::set<std::size_t> used;
    bool all = true;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      all = all && result[i].has_value();
      if (!result[i]) continue;
      RC_ASSERT(capacities.at(*result[i]) >= sizes[i]);
      RC_ASSERT(used.insert(*result[i]).second);
    }
    RC_ASSERT(all == all_can_fit(capacities, sizes));
  });
}

BOOST_AUTO_TEST_CASE(a_block_is_at_most_an_eighth_larger_than_its_buffer_but_for_a_page) {
  testing::check_property([] {
    const auto shift = *rc::gen::inRange(0, 40);
    const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 1'000'000) << shift;
    const std::uint64_t capacity = pooled_capacity(bytes);
    RC_ASSERT(capacity >= bytes);
    RC_ASSERT(capacity <= bytes + std::max<std::uint64_t>(bytes / 8, 2U << 20U));
    RC_ASSERT(pooled_capacity(capacity) == capacity);
  });
  BOOST_TEST(pooled_capacity(1) == 512U);
  BOOST_TEST(pooled_capacity(~std::uint64_t{0}) == ~std::uint64_t{0});
}

BOOST_AUTO_TEST_CASE(the_smallest_blocks_are_freed_until_there_is_enough) {
  const auto freed = [](const Sizes& idle, std::uint64_t bytes) {
    return blocks_to_free(idle, bytes);
  };
  BOOST_TEST(freed({30, 10, 20}, 25) == (std::vector<std::size_t>{1, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(freed({30, 10}, 100).size() == 2U);
  BOOST_TEST(freed({30, 10}, 0).empty());
  BOOST_TEST(freed({}, 10).empty());
}

BOOST_AUTO_TEST_CASE(sums_do_not_overflow) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63U;
  BOOST_TEST(total_of(Sizes{1, 2, 3}) == 6U);
  BOOST_TEST(total_of(Sizes{half, half, 5}) == ~std::uint64_t{0});
}

BOOST_AUTO_TEST_SUITE_END()
