#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "engine/search/strategy.h"

BOOST_AUTO_TEST_SUITE(random_generator)

BOOST_AUTO_TEST_CASE(the_seed_fixes_the_numbers) {
  sweep::RandomGenerator random(42);
  std::vector<std::size_t> drawn;
  for (int i = 0; i < 8; ++i) drawn.push_back(random.below(1000));
  const std::vector<std::size_t> expected = {406, 824, 450, 662, 381, 428, 536, 144};
  BOOST_TEST(drawn == expected, boost::test_tools::per_element());
  BOOST_TEST(random.unit() == 0x1.187273d8bae7ep-2);
}

BOOST_AUTO_TEST_CASE(each_number_comes_about_as_often) {
  sweep::RandomGenerator random(1);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(counts.size())];
  for (const int count : counts) BOOST_TEST(std::abs(count - 10000) < 500);
  BOOST_TEST(random.below(0) == 0);
  BOOST_TEST(random.below(1) == 0);
}

BOOST_AUTO_TEST_CASE(shares_are_of_one) {
  sweep::RandomGenerator random(1);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double share = random.unit();
    BOOST_REQUIRE((share >= 0 && share < 1));
    sum += share;
  }
  BOOST_TEST(std::abs(sum / 10000 - 0.5) < 0.02);
}

BOOST_AUTO_TEST_CASE(shuffling_keeps_what_there_is) {
  sweep::RandomGenerator random(1);
  std::vector<int> values(50);
  std::iota(values.begin(), values.end(), 0);
  std::vector<int> shuffled = values;
  random.shuffle(shuffled);
  BOOST_CHECK(shuffled != values);
  std::ranges::sort(shuffled);
  BOOST_TEST(shuffled == values, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
