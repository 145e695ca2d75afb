#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "engine/run/statistics.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(paired_comparison)

namespace {

const auto nearly = boost::test_tools::tolerance(1e-9);

}  // namespace

BOOST_AUTO_TEST_CASE(what_slows_both_down_drops_out_of_the_ratio) {
  const std::vector<double> first = {102, 204, 408, 816, 102, 51};
  const std::vector<double> second = {100, 200, 400, 800, 100, 50};
  const PairedComparison comparison = compare_paired(first, second).value();
  BOOST_TEST(comparison.ratio == 1.02, nearly);
  BOOST_TEST(comparison.low == 1.02, nearly);
  BOOST_TEST(comparison.high == 1.02, nearly);
  BOOST_TEST(comparison.rounds == 6U);
  BOOST_TEST(comparison.is_different());
}

BOOST_AUTO_TEST_CASE(fewer_than_six_rounds_prove_nothing) {
  const std::vector<double> first(5, 200.0);
  const std::vector<double> second(5, 100.0);
  const PairedComparison comparison = compare_paired(first, second).value();
  BOOST_TEST(comparison.ratio == 2, nearly);
  BOOST_TEST(comparison.rounds == 5U);
  BOOST_TEST(!comparison.is_different());
}

BOOST_AUTO_TEST_CASE(rounds_without_both_figures_are_left_out) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> first = {2, 0, 2, nothing, 2, 7};
  const std::vector<double> second = {1, 1, -1, 1, 1};
  BOOST_TEST(compare_paired(first, second).value().rounds == 2U);
  BOOST_TEST(!compare_paired(first, std::vector<double>{}).has_value());
}

BOOST_AUTO_TEST_CASE(exchanging_the_two_inverts_the_comparison) {
  sweep::testing::check_property(
      [](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& rounds) {
        std::vector<double> first = {1};
        std::vector<double> second = {2};
        for (const auto& [a, b] : rounds) {
          first.push_back(100.0 + a);
          second.push_back(100.0 + b);
        }
        const PairedComparison there = compare_paired(first, second).value();
        const PairedComparison back = compare_paired(second, first).value();
        RC_ASSERT(std::abs(there.ratio * back.ratio - 1) < 1e-9);
        RC_ASSERT(std::abs(there.low * back.high - 1) < 1e-9);
        RC_ASSERT(there.low <= there.ratio && there.ratio <= there.high);
        RC_ASSERT(there.is_different() == back.is_different());
      });
}

BOOST_DATA_TEST_CASE(equal_configurations_are_rarely_found_different_and_others_are_found,
                     data::make({6, 10, 25}), rounds) {
  std::mt19937 generator(5);
  std::normal_distribution<double> noise(0, 0.005);
  std::normal_distribution<double> drift(0, 0.2);
  constexpr int trials = 2000;
  int wrong = 0;
  int found = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> base;
    std::vector<double> equal;
    std::vector<double> slower;
    for (int round = 0; round < rounds; ++round) {
      const double speed = std::exp(drift(generator));
      base.push_back(speed * std::exp(noise(generator)));
      equal.push_back(speed * std::exp(noise(generator)));
      slower.push_back(speed * 1.03 * std::exp(noise(generator)));
    }
    wrong += compare_paired(equal, base).value().is_different() ? 1 : 0;
    found += compare_paired(slower, base).value().is_different() ? 1 : 0;
  }
  BOOST_TEST(wrong < 0.06 * trials);
  BOOST_TEST(found > 0.99 * trials);
}

BOOST_AUTO_TEST_CASE(those_that_might_be_the_best_are_worth_comparing) {
  const std::vector<RankedFigure> figures = {
      {100, {99, 101}},                              // too far
      {120, {119, 121}},                             // the best
      {118, {117.5, 118.5}},                         // within 2 %
      {110, {100, 119.5}},                           // its interval reaches the best's
      {0, {0, 0}},           {117, {116.5, 117.5}},  // 2.5 % away
      {119, {118.5, 119.5}},
  };
  const std::vector<std::size_t> highest = {1, 6, 2, 3};
  BOOST_TEST(worth_comparing(figures, Better::higher) == highest, boost::test_tools::per_element());
  const std::vector<std::size_t> lowest = {0, 3};
  BOOST_TEST(worth_comparing(figures, Better::lower) == lowest, boost::test_tools::per_element());
  const std::vector<std::size_t> two = {1, 6};
  BOOST_TEST(worth_comparing(figures, Better::higher, 0.02, 2) == two,
             boost::test_tools::per_element());
  BOOST_TEST(worth_comparing(figures, Better::neither).empty());
  BOOST_TEST(worth_comparing({}, Better::higher).empty());
}

BOOST_AUTO_TEST_CASE(at_most_eight_are_worth_comparing) {
  const std::vector<RankedFigure> figures(20, RankedFigure{100, {99, 101}});
  BOOST_TEST(worth_comparing(figures, Better::lower).size() == 8U);
}

BOOST_DATA_TEST_CASE(rounds_are_balanced, data::make({1, 2, 3, 4, 5, 6, 7, 8}), n) {
  const auto count = static_cast<std::size_t>(n);
  std::map<std::pair<std::size_t, std::size_t>, int> at_place;
  std::map<std::pair<std::size_t, std::size_t>, int> one_after_other;
  for (std::size_t round = 0; round < 2 * count; ++round) {
    const std::vector<std::size_t> order = round_order(count, round);
    BOOST_TEST(std::set<std::size_t>(order.begin(), order.end()).size() == count);
    BOOST_TEST(std::ranges::max(order) == count - 1);
    for (std::size_t place = 0; place < count; ++place) {
      ++at_place[{order[place], place}];
      if (place > 0) ++one_after_other[{order[place - 1], order[place]}];
    }
  }
  BOOST_TEST(at_place.size() == count * count);
  BOOST_TEST(one_after_other.size() == count * (count - 1));
  for (const auto& [key, times] : at_place) BOOST_TEST(times == 2);
  for (const auto& [key, times] : one_after_other) BOOST_TEST(times == 2);
}

BOOST_AUTO_TEST_CASE(no_configurations_no_order) {
  BOOST_TEST(round_order(0, 3).empty());
}

BOOST_AUTO_TEST_SUITE_END()
