#include <boost/test/unit_test.hpp>

#include "report/point_columns.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(parameter_values)

namespace {

std::vector<ParameterValues> parameters_of(const std::vector<StoredPoint>& stored) {
  std::vector<const PointRecord*> points;
  for (const StoredPoint& point : stored) points.push_back(&point.point);
  return sweep::parameters_of(points);
}

std::vector<std::string> shown(const std::vector<std::int64_t>& numbers) {
  ParameterValues parameter("N");
  for (const std::int64_t number : numbers) parameter.add(number);
  std::vector<std::string> texts;
  for (const Value& value : parameter.values()) texts.push_back(parameter.show(value));
  return texts;
}

void check_shown(const std::vector<std::int64_t>& numbers, const Names& expected) {
  BOOST_TEST(shown(numbers) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(values_stand_in_the_order_they_first_appear) {
  const auto parameters = parameters_of({ok_point("p", {{"A", integer(3)}, {"B", word("x")}}, {}),
                                         ok_point("p", {{"A", integer(1)}, {"B", word("x")}}, {}),
                                         ok_point("p", {{"A", integer(3)}, {"B", word("x")}}, {})});
  BOOST_REQUIRE(parameters.size() == 3);
  BOOST_TEST(parameters[0].name == "pattern");
  BOOST_TEST(!parameters[0].varies());
  BOOST_TEST(parameters[1].name == "A");
  BOOST_TEST((parameters[1].values() == std::vector<Value>{integer(3), integer(1)}));
  BOOST_TEST(parameters[1].varies());
  BOOST_TEST(parameters[1].rank_of(integer(1)) == 1);
  BOOST_TEST(parameters[1].rank_of(integer(2)) == 2);
  BOOST_TEST(!parameters[2].varies());
  BOOST_TEST(find_parameter(parameters, "B") == &parameters[2]);
  BOOST_TEST(find_parameter(parameters, "C") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_parameter_that_some_points_lack_varies) {
  const auto parameters = parameters_of(
      {ok_point("p", {{"A", integer(1)}}, {}), ok_point("q", {{"B", integer(1)}}, {})});
  BOOST_TEST(parameters.size() == 3U);
  for (const ParameterValues& parameter : parameters) BOOST_TEST(parameter.varies());
}

BOOST_AUTO_TEST_CASE(what_is_computed_from_others_tells_nothing_apart) {
  std::vector<StoredPoint> points;
  for (const std::int64_t a : {1, 2}) {
    points.push_back(ok_point("p", {{"A", integer(a)}, {"N", integer(64 * a)}}, {}));
    points.back().point.derived = {"N"};
  }
  const auto parameters = parameters_of(points);
  BOOST_TEST(parameters[2].is_derived);
  BOOST_TEST(parameters[2].varies());
  const auto told = telling_parameters(parameters);
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST(told[0].name == "A");
  // In one pattern computed, in another one given.
  points.push_back(ok_point("q", {{"N", integer(7)}}, {}));
  BOOST_TEST(!find_parameter(parameters_of(points), "N")->is_derived);
}

BOOST_AUTO_TEST_CASE(large_round_numbers_are_shown_in_binary_units) {
  check_shown({64 << 20}, {"64 Mi"});
  check_shown({1024, 65536}, {"1 Ki", "64 Ki"});
  check_shown({128, 256, 1024}, {"128", "256", "1024"});
  check_shown({1024, 16384}, {"1024", "16384"});
  check_shown({100000, 65536}, {"100000", "65536"});
}

BOOST_AUTO_TEST_CASE(sorted_values_are_found_at_their_new_places) {
  ParameterValues parameter("N");
  for (const std::int64_t number : {30, 10, 20, 10}) parameter.add(number);
  parameter.sort();
  BOOST_TEST((parameter.values() == std::vector<Value>{integer(10), integer(20), integer(30)}));
  BOOST_TEST(parameter.rank_of(integer(30)) == 2U);
  BOOST_TEST(parameter.rank_of(integer(40)) == 3U);
}

BOOST_AUTO_TEST_CASE(numbers_alone_are_numeric) {
  ParameterValues parameter("N");
  BOOST_TEST(!parameter.is_numeric());
  for (const std::int64_t number : {1, 2}) parameter.add(integer(number));
  BOOST_TEST(parameter.is_numeric());
  parameter.add(word("x"));
  BOOST_TEST(!parameter.is_numeric());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
