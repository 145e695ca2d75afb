#include "engine/run/statistics.h"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(statistics)

BOOST_AUTO_TEST_CASE(median_is_the_middle_or_the_mean_of_the_two_middle_ones) {
  BOOST_TEST(sweep::median(std::vector<double>{7}) == 7);
  BOOST_TEST(sweep::median(std::vector<double>{3, 1, 2}) == 2);
  BOOST_TEST(sweep::median(std::vector<double>{4, 1, 3, 2}) == 2.5);
}

// Ranks from tables of the sign test at 95 %: with n samples the interval runs from the k-th
// smallest to the k-th largest.
BOOST_DATA_TEST_CASE(interval_uses_the_ranks_of_the_sign_test,
                     data::make({1, 2, 5, 6, 8, 9, 10, 12, 15, 20, 25, 30, 50, 100}) ^
                         data::make({1, 1, 1, 1, 1, 2, 2, 3, 4, 6, 8, 10, 18, 40}),
                     count, rank) {
  std::vector<double> samples(static_cast<std::size_t>(count));
  std::iota(samples.begin(), samples.end(), 1.0);
  const sweep::Interval interval = sweep::median_interval(samples);
  BOOST_TEST(interval.low == rank);
  BOOST_TEST(interval.high == count + 1 - rank);
}

BOOST_AUTO_TEST_CASE(interval_does_not_depend_on_the_order) {
  std::vector<double> samples(31);
  std::iota(samples.begin(), samples.end(), 1.0);
  const sweep::Interval ordered = sweep::median_interval(samples);
  std::shuffle(samples.begin(), samples.end(), std::mt19937(1));
  const sweep::Interval shuffled = sweep::median_interval(samples);
  BOOST_TEST(ordered.low == shuffled.low);
  BOOST_TEST(ordered.high == shuffled.high);
}

BOOST_AUTO_TEST_CASE(interval_holds_the_true_median_about_as_often_as_it_says) {
  // A skewed distribution; its median is exp(0) = 1.
  std::mt19937 generator(7);
  std::lognormal_distribution<double> distribution(0, 0.5);
  int held = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> samples(30);
    for (double& sample : samples) sample = distribution(generator);
    const sweep::Interval interval = sweep::median_interval(samples);
    held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  const double share = static_cast<double>(held) / trials;
  BOOST_TEST(share > 0.945);
  BOOST_TEST(share < 0.98);
}

BOOST_AUTO_TEST_SUITE_END()
