#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/jit/translation_unit.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(equality)

BOOST_DATA_TEST_CASE(
    splits_at_the_only_equality,
    data::make({"a==b", "data[i] == T(i % 7)", "out[i] == splat<T>(i, 2)", "f(a == b) == g(c != d)",
                "a <= b == c", "band == f(a and b)"}) ^
        data::make({"a", "data[i] ", "out[i] ", "f(a == b) ", "a <= b ", "band "}) ^
        data::make({"b", " T(i % 7)", " splat<T>(i, 2)", " g(c != d)", " c", " f(a and b)"}),
    condition, actual, expected) {
  const auto split = sweep::split_equality(condition);
  BOOST_REQUIRE(split.has_value());
  BOOST_TEST(split->actual == actual);
  BOOST_TEST(split->expected == expected);
}

BOOST_DATA_TEST_CASE(leaves_other_conditions_whole,
                     data::make({"a", "a != b", "a == b && c == d", "a == b || c", "c ? a == b : d",
                                 "a == b == c", "a == b, c", "a == b | c", "(a == b)",
                                 "a == b != c", "f<a, b>(c) == d", "a == b and c", "a or b == c",
                                 "a == b not_eq c", "a == b bitand c"}),
                     condition) {
  BOOST_TEST(!sweep::split_equality(condition).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
