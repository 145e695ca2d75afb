#include "engine/search/search_space.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <vector>

#include "tests/rapidcheck_case.h"
#include "tests/search/arbitrary_space.h"

BOOST_AUTO_TEST_SUITE(search_space)

namespace {

using namespace sweep::testing;
using sweep::SearchParameter;
using sweep::SearchSpace;

using Rows = std::vector<std::size_t>;
using Values = std::vector<SearchSpace::Value>;

/// An ordered and an unordered parameter, with holes.
SearchSpace holed() {
  const std::vector<SearchParameter> parameters = {{4, true}, {3, false}};
  const Values rows = {0, 0, 2, 0, 3, 0, 0, 1, 0, 2, 1, 2};
  return {parameters, rows};
}

std::size_t differing(const SearchSpace& space, std::size_t a, std::size_t b) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    if (space.values(a)[p] != space.values(b)[p]) ++count;
  }
  return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(finds_rows_by_their_values) {
  const SearchSpace space = holed();
  BOOST_TEST(space.size() == 6);
  BOOST_TEST(*space.find(Values{3, 0}) == 2);
  BOOST_TEST(!space.find(Values{1, 0}));
  BOOST_TEST(!space.find(Values{9, 9}));
  BOOST_TEST(!space.find(Values{0}));
}

BOOST_AUTO_TEST_CASE(knows_neighbours) {
  const SearchSpace space = holed();
  const auto check = [&](std::size_t row, const Rows& expected) {
    BOOST_TEST(space.neighbours(row) == expected, boost::test_tools::per_element());
  };
  check(0, {1, 2, 3, 4});
  check(2, {0, 1});
}

BOOST_AUTO_TEST_CASE(refuses_a_row_that_comes_twice) {
  const std::vector<SearchParameter> parameters = {{2, true}, {2, true}};
  BOOST_CHECK_THROW(SearchSpace(parameters, {0, 1, 1, 1, 0, 1}), std::invalid_argument);
  BOOST_TEST(SearchSpace(parameters, {}).size() == 0);
  BOOST_TEST(SearchSpace({}, {}).size() == 0);
  BOOST_TEST(!SearchSpace({}, {}).find({}));
}

BOOST_AUTO_TEST_CASE(every_row_is_found) {
  check_property([] {
    const SearchSpace space = arbitrary_space();
    for (std::size_t row = 0; row < space.size(); ++row) {
      RC_ASSERT(space.find(space.values(row)) == row);
    }
  });
}

BOOST_AUTO_TEST_CASE(hamming_neighbours_differ_in_one_parameter) {
  check_property([] {
    const SearchSpace space = arbitrary_space();
    for (std::size_t row = 0; row < space.size(); ++row) {
      Rows expected;
      for (std::size_t other = 0; other < space.size(); ++other) {
        if (differing(space, row, other) == 1) expected.push_back(other);
      }
      Rows found = space.neighbours(row);
      std::ranges::sort(found);
      RC_ASSERT(found == expected);
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
