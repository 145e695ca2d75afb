#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/search/comparison.h"
#include "engine/search/strategy.h"
#include "engine/text/diagnostic.h"
#include "tests/rapidcheck_case.h"
#include "tests/search/arbitrary_space.h"

BOOST_AUTO_TEST_SUITE(strategy_properties)

namespace {

using namespace sweep::testing;
using sweep::CostTable;
using sweep::make_strategy;
using sweep::SearchSpace;

using Rows = std::vector<std::size_t>;

const std::vector<std::string> names = sweep::strategy_names();

/// Costs of any sign and size; some rows fail, some answer with what is no number.
CostTable arbitrary_costs(std::size_t rows) {
  const auto cost = rc::gen::map(rc::gen::inRange(-6, 30), [](int drawn) {
    if (drawn == -6) return std::numeric_limits<double>::quiet_NaN();
    if (drawn == -5) return -std::numeric_limits<double>::infinity();
    return drawn * 0.5;
  });
  const auto sign = *rc::gen::element(-1, 0, 1);  // all below zero, any, all above
  const auto numbers = *rc::gen::container<std::vector<double>>(rows, cost);
  const auto failing = *rc::gen::element(0, 0, 1, 6);  // of six
  const auto dice = *rc::gen::container<std::vector<int>>(rows, rc::gen::inRange(0, 6));
  CostTable costs;
  for (std::size_t row = 0; row < rows; ++row) {
    const double number = sign == 0 ? numbers[row] : sign * (std::abs(numbers[row]) + 0.25);
    costs.push_back(dice[row] < failing ? std::nullopt : std::optional(number));
  }
  return costs;
}

/// The rows a strategy proposes until it ends, `ahead` of them asked for before the first is told.
Rows course(const std::string& name, const SearchSpace& space, const CostTable& costs,
            std::uint64_t seed, std::size_t ahead) {
  const auto strategy = make_strategy(name, space, seed);
  Rows rows;
  std::size_t told = 0;
  while (const auto row = strategy->ask()) {
    rows.push_back(*row);
    if (rows.size() > space.size()) return rows;
    for (; told + ahead <= rows.size(); ++told) strategy->tell(rows[told], costs[rows[told]]);
  }
  return rows;
}

SearchSpace ladder() {
  std::vector<SearchSpace::Value> rows;
  for (SearchSpace::Value i = 0; i < 9; ++i) {
    rows.insert(rows.end(),
                {static_cast<SearchSpace::Value>(i / 3), static_cast<SearchSpace::Value>(i % 3)});
  }
  return {{{3, true}, {3, false}}, rows};
}

}  // namespace

BOOST_DATA_TEST_CASE(tries_every_row_once_and_ends, boost::unit_test::data::make(names), name) {
  check_property([&name] {
    SearchSpace space = arbitrary_space();
    if (*rc::gen::arbitrary<bool>()) {
      std::vector<double> predictions;
      for (std::size_t row = 0; row < space.size(); ++row) {
        predictions.push_back(row % 3 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                           : static_cast<double>(row));
      }
      space.set_predictions(std::move(predictions));
    }
    const CostTable costs = arbitrary_costs(space.size());
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto ahead = *rc::gen::inRange<std::size_t>(1, 5);
    const Rows rows = course(name, space, costs, seed, ahead);
    RC_ASSERT(rows.size() == space.size());
    RC_ASSERT(std::set<std::size_t>(rows.begin(), rows.end()).size() == space.size());
    RC_ASSERT(std::ranges::all_of(rows, [&](std::size_t row) { return row < space.size(); }));
    RC_ASSERT(rows == course(name, space, costs, seed, ahead));
  });
}

BOOST_DATA_TEST_CASE(never_proposes_what_it_was_told, boost::unit_test::data::make(names), name) {
  const SearchSpace space = ladder();
  const auto strategy = make_strategy(name, space, 3);
  strategy->tell(4, std::nullopt);
  strategy->tell(0, 2.5);
  strategy->tell(0, 1.5);
  std::set<std::size_t> rows;
  while (const auto row = strategy->ask()) {
    strategy->tell(*row, 1.0);
    rows.insert(*row);
  }
  BOOST_TEST(rows == (std::set<std::size_t>{1, 2, 3, 5, 6, 7, 8}),
             boost::test_tools::per_element());
  BOOST_TEST(!strategy->ask());
}

BOOST_DATA_TEST_CASE(refuses_what_is_no_row, boost::unit_test::data::make(names), name) {
  const SearchSpace space = ladder();
  BOOST_CHECK_THROW(make_strategy(name, space, 3)->tell(9, 1), std::out_of_range);
}

BOOST_AUTO_TEST_CASE(a_value_to_maximise_gives_the_course_of_its_inverse) {
  for (const std::string& name : names) {
    const SearchSpace space = ladder();
    CostTable times;
    CostTable bandwidths;
    for (const double power : {3, 0, -2, 1, 4, 2, -1, 6, 5}) {
      times.emplace_back(std::exp2(-power));
      bandwidths.emplace_back(sweep::cost_of(std::exp2(power), sweep::Objective::maximise));
    }
    BOOST_TEST(course(name, space, times, 1, 1) == course(name, space, bandwidths, 1, 1),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(other_seeds_give_other_courses) {
  const SearchSpace space = ladder();
  const CostTable costs(space.size(), 1.0);
  for (const std::string& name : names) {
    if (name == "exhaustive") continue;
    BOOST_CHECK(course(name, space, costs, 1, 1) != course(name, space, costs, 2, 1));
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_is_no_strategy_gives_none) {
  const SearchSpace space = ladder();
  BOOST_TEST(!make_strategy("anealing", space, 1));
  BOOST_TEST(sweep::did_you_mean("anealing", names) == "did you mean 'annealing'?");
}

BOOST_AUTO_TEST_SUITE_END()
