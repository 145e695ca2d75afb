#include "engine/run/statistics.h"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "tests/rapidcheck_case.h"

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

// With n samples and the k-th smallest and largest as its ends the interval holds the median unless
// fewer than k of n fair coins show heads, or fewer than k show tails.
BOOST_AUTO_TEST_CASE(confidence_is_95_percent_or_more_from_six_samples_on_and_no_more_than_needed) {
  for (std::size_t count = 1; count <= 1000; ++count) {
    BOOST_TEST_INFO(count);
    std::vector<double> samples(count);
    std::iota(samples.begin(), samples.end(), 1.0);
    const sweep::Interval interval = sweep::median_interval(samples);
    BOOST_TEST(interval.low + interval.high == static_cast<double>(count + 1));
    const auto fewer_than = [&](double k) {
      const auto n = static_cast<double>(count);
      double sum = 0;
      for (double x = 0; x < k; ++x) {
        sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) -
                        n * std::log(2.0));
      }
      return sum;
    };
    BOOST_TEST((1 - 2 * fewer_than(interval.low) >= 0.95) == (count >= sweep::fewest_for_interval));
    BOOST_TEST(1 - 2 * fewer_than(interval.low + 1) < 0.95);
  }
}

BOOST_AUTO_TEST_CASE(quantiles_are_linear_between_neighbours) {
  const std::vector<double> samples = {40, 10, 30, 20, 50};
  BOOST_TEST(sweep::quantile(samples, 0) == 10);
  BOOST_TEST(sweep::quantile(samples, 0.25) == 20);
  BOOST_TEST(sweep::quantile(samples, 0.375) == 25);
  BOOST_TEST(sweep::quantile(samples, 0.75) == 40);
  BOOST_TEST(sweep::quantile(samples, 1) == 50);
  BOOST_TEST(sweep::quantile(std::vector<double>{7}, 0.25) == 7);
}

BOOST_AUTO_TEST_CASE(quantiles_of_any_samples_are_in_order) {
  sweep::testing::check_property([](const std::vector<int>& integers, int shift) {
    std::vector<double> samples(integers.begin(), integers.end());
    samples.push_back(shift);
    const double first = sweep::quantile(samples, 0.25);
    const double third = sweep::quantile(samples, 0.75);
    RC_ASSERT(first <= sweep::median(samples));
    RC_ASSERT(sweep::median(samples) <= third);
    RC_ASSERT(std::abs(sweep::quantile(samples, 0.5) - sweep::median(samples)) <= 1e-6);
    const sweep::Interval interval = sweep::median_interval(samples);
    RC_ASSERT(interval.low <= sweep::median(samples) && sweep::median(samples) <= interval.high);
  });
}

BOOST_AUTO_TEST_CASE(fences_stand_three_ranges_away_and_never_within_a_hundredth) {
  const sweep::Interval wide = sweep::far_fences(std::vector<double>{80, 90, 100, 110, 120});
  BOOST_TEST(wide.low == 90 - 3 * 20);
  BOOST_TEST(wide.high == 110 + 3 * 20);
  const sweep::Interval steady = sweep::far_fences(std::vector<double>(10, 100.0));
  BOOST_TEST(steady.low == 99);
  BOOST_TEST(steady.high == 101);
}

BOOST_AUTO_TEST_SUITE_END()
