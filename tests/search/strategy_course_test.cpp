#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "engine/search/strategy.h"

BOOST_AUTO_TEST_SUITE(strategy_courses)

namespace {

using sweep::SearchSpace;

using Rows = std::vector<std::size_t>;

/// 6 x 5 x 4 combinations, all valid, the last parameter unordered.
SearchSpace box() {
  std::vector<SearchSpace::Value> rows;
  for (SearchSpace::Value a = 0; a < 6; ++a) {
    for (SearchSpace::Value b = 0; b < 5; ++b) {
      for (SearchSpace::Value c = 0; c < 4; ++c) rows.insert(rows.end(), {a, b, c});
    }
  }
  return {{{6, true}, {5, true}, {4, false}}, rows};
}

/// Only whole and half numbers, so that nothing depends on how a library rounds; a tenth fails.
std::optional<double> cost_of_row(std::size_t row) {
  if (row % 10 == 7) return std::nullopt;
  return 1 + static_cast<double>(row * row * 7919 % 97) * 0.5;
}

struct Course {
  std::string strategy;
  Rows rows;
};
std::ostream& operator<<(std::ostream& out, const Course& course) {
  return out << course.strategy;
}

// A course changes whenever a strategy's rules or constants do: then print it and put it here.
const std::vector<Course> courses = {
    {"exhaustive", {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39}},
    {"random", {86, 106, 77, 74, 85, 83, 96, 63, 2, 54, 49, 87, 16, 98, 59, 64, 92, 44, 90, 99}},
    {"local", {7, 90, 24, 98, 44, 64, 104, 66, 61, 62, 80, 0, 16, 3, 8, 40, 82, 21, 28, 36}},
    {"annealing",
     {86, 106, 77, 74, 60, 1, 2, 40, 4, 12, 55, 95, 35, 61, 70, 109, 29, 110, 111, 10}},
    {"genetic",
     {86, 106, 77, 74, 85, 62, 64, 49, 105, 107, 33, 24, 110, 8, 5, 104, 111, 32, 20, 84}},
    {"forest", {2, 114, 67, 16, 56, 32, 19, 59, 99, 23, 27, 20, 7, 47, 111, 83, 102, 115, 87, 82}},
    {"bayesian",
     {2, 114, 67, 32, 56, 20, 19, 35, 27, 79, 75, 78, 95, 51, 83, 88, 103, 89, 101, 104}},
};

}  // namespace

BOOST_DATA_TEST_CASE(are_the_same_everywhere, boost::unit_test::data::make(courses), course) {
  const SearchSpace space = box();
  const auto strategy = sweep::make_strategy(course.strategy, space, 2024);
  Rows rows;
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t row = strategy->ask().value();
    strategy->tell(row, cost_of_row(row));
    if (trial % 2 == 1) rows.push_back(row);
  }
  BOOST_TEST(rows == course.rows, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
