#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

#include "engine/search/regression_forest.h"
#include "tests/rapidcheck_case.h"

BOOST_AUTO_TEST_SUITE(forest_columns)

namespace {

using sweep::forest_columns;
using sweep::ForestColumn;
using sweep::testing::check_property;

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

BOOST_AUTO_TEST_CASE(few_numbers_have_a_bin_each) {
  const auto columns = forest_columns(std::vector<double>{5, 1, 2, 1, 5, 2}, {false, true});
  BOOST_TEST(columns[0].bin_of.size() == 3);
  BOOST_TEST(columns.size() == 2);
  BOOST_TEST(columns[0].low.size() == 2);
  BOOST_TEST(columns[1].low.size() == 2);
  BOOST_TEST(!columns[0].by_equality);
  BOOST_TEST(columns[1].by_equality);
  const sweep::SplitTest between = columns[0].test(0, 1);
  BOOST_TEST(between.left(3.5));
  BOOST_TEST(!between.left(3.6));
  const sweep::SplitTest equal = columns[1].test(0, 0);
  BOOST_TEST(equal.left(1));
  BOOST_TEST(!equal.left(0));
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_a_bin_of_its_own) {
  const auto columns =
      forest_columns(std::vector<double>{3, not_a_number, 4, not_a_number}, {false});
  BOOST_TEST(columns[0].low.size() == 3);
  const sweep::SplitTest test = columns[0].test(1, 2);
  BOOST_TEST(test.left(4));
  BOOST_TEST(!test.left(not_a_number));
}

BOOST_AUTO_TEST_CASE(bins_keep_the_order_and_every_test_agrees_with_them) {
  check_property([] {
    const auto integers = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-150, 150));
    const std::vector<double> numbers(integers.begin(), integers.end());
    const auto columns = forest_columns(numbers, {false});
    RC_ASSERT(columns[0].low.size() <= ForestColumn::most_bins);
    const auto& bins = columns[0].bin_of;
    for (std::size_t bin = 0; bin + 1 < columns[0].low.size(); ++bin) {
      const sweep::SplitTest test = columns[0].test(bin, bin + 1);
      for (std::size_t row = 0; row < numbers.size(); ++row) {
        RC_ASSERT(test.left(numbers[row]) == (bins[row] <= bin));
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(many_numbers_fill_bins_of_about_as_many_rows) {
  std::vector<double> numbers;
  for (int i = 0; i < 1000; ++i) numbers.push_back(i * i);
  const auto columns = forest_columns(numbers, {true});
  BOOST_TEST(columns[0].low.size() == ForestColumn::most_bins);
  BOOST_TEST(!columns[0].by_equality);
  std::vector<std::size_t> counts(columns[0].low.size());
  for (const auto bin : columns[0].bin_of) ++counts[bin];
  for (const std::size_t count : counts) BOOST_TEST((count == 15 || count == 16));
}

BOOST_AUTO_TEST_SUITE_END()
