#include "engine/search/comparison.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/search/synthetic_spaces.h"

BOOST_AUTO_TEST_SUITE(comparison)

namespace {

using sweep::CostTable;
using sweep::SearchSpace;

const std::array<double, 2> shares = {0.5, 1};
const CostTable costs = {std::nullopt, 8, 3, 2, 4};

SearchSpace line_of(std::size_t length) {
  std::vector<SearchSpace::Value> rows;
  for (std::size_t i = 0; i < length; ++i) rows.push_back(static_cast<SearchSpace::Value>(i));
  return {{{length, true}}, rows};
}

std::vector<std::size_t> trials(const CostTable& table, std::size_t most) {
  const SearchSpace space = line_of(table.size());
  const auto strategy = sweep::make_strategy("exhaustive", space, 1);
  return sweep::trials_to_shares(*strategy, table, shares, most);
}

using Numbers = std::vector<std::size_t>;

}  // namespace

BOOST_AUTO_TEST_CASE(counts_rows_tried_until_a_share_is_reached) {
  BOOST_TEST(trials(costs, 5) == (Numbers{3, 4}), boost::test_tools::per_element());
  BOOST_TEST(trials(costs, 3) == (Numbers{3, 4}), boost::test_tools::per_element());
  BOOST_TEST(trials(costs, 2) == (Numbers{3, 3}), boost::test_tools::per_element());
  const CostTable bandwidths = {-10, -60, -100};
  BOOST_TEST(trials(bandwidths, 3) == (Numbers{2, 3}), boost::test_tools::per_element());
  const CostTable failures = {std::nullopt, std::nullopt};
  BOOST_TEST(trials(failures, 2) == (Numbers{3, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(compares_each_strategy_at_each_share) {
  const SearchSpace space = line_of(costs.size());
  const std::vector<std::string> names = {"random", "exhaustive"};
  const auto standings = sweep::compare_strategies(space, costs, names, shares, 11, 5);
  BOOST_REQUIRE(standings.size() == 4);
  BOOST_TEST(standings[0].strategy == "random");
  BOOST_TEST(standings[0].median <= standings[0].ninetieth);
  BOOST_TEST(standings[2].strategy == "exhaustive");
  BOOST_TEST(standings[2].share == 0.5);
  BOOST_TEST(standings[2].median == 3);
  BOOST_TEST(standings[3].ninetieth == 4);
}

BOOST_AUTO_TEST_CASE(threads_do_not_change_the_result) {
  const auto synthetic = sweep::testing::failing_space();
  const std::vector<std::string> names = {"random", "local", "genetic"};
  const auto compare = [&](std::size_t threads) {
    sweep::ComparisonPace pace;
    pace.threads = threads;
    return sweep::compare_strategies(synthetic.space, synthetic.costs, names, shares, 7, 300, pace);
  };
  const auto one = compare(1);
  BOOST_TEST(one.size() == 6U);
  BOOST_CHECK(compare(3) == one);
  BOOST_CHECK(compare(64) == one);
}

BOOST_AUTO_TEST_CASE(progress_reaches_the_end) {
  const SearchSpace space = line_of(costs.size());
  const std::vector<std::string> names = {"random", "exhaustive"};
  Numbers told;
  sweep::ComparisonPace pace;
  pace.threads = 2;
  pace.on_progress = [&](std::size_t done, std::size_t all) {
    BOOST_TEST(all == 10U);
    told.push_back(done);
  };
  sweep::compare_strategies(space, costs, names, shares, 5, 5, pace);
  BOOST_TEST(told == (Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_comparison_that_is_stopped_has_no_result) {
  const SearchSpace space = line_of(costs.size());
  const std::vector<std::string> names = {"random"};
  const std::atomic<bool> stop = true;
  sweep::ComparisonPace pace;
  pace.stop = &stop;
  BOOST_TEST(sweep::compare_strategies(space, costs, names, shares, 5, 5, pace).empty());
}

BOOST_AUTO_TEST_SUITE_END()
