#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "report/display_text.h"
#include "report/point_columns.h"
#include "report/run_analysis.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(words)

namespace {

struct DifferenceCase {
  const char* metric = "";
  double ratio = 1;
  const char* words = "";
};
std::ostream& operator<<(std::ostream& out, const DifferenceCase& each) {
  return out << each.metric << ' ' << each.ratio;
}

constexpr DifferenceCase difference_cases[] = {
    {"time", 1.0025, "1.0025 times slower"},   {"time", 1.034, "1.034 times slower"},
    {"time", 1.73, "1.73 times slower"},       {"time", 31.25, "31.2 times slower"},
    {"time", 0.5, "2.00 times faster"},        {"time_min", 1.12, "1.12 times slower"},
    {"bandwidth", 0.577, "42 % less"},         {"bandwidth", 0.9971, "0.29 % less"},
    {"bandwidth", 0.966, "3.4 % less"},        {"bandwidth", 0.0005, "99.95 % less"},
    {"bandwidth", 1.12, "12 % more"},          {"shared_bandwidth", 3, "3.00 times as much"},
    {"load_sectors", 8, "8.00 times as much"}, {"load_sectors", 0.5, "50 % less"},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_difference_is_told_in_the_metrics_own_way,
                     boost::unit_test::data::make(difference_cases), each) {
  BOOST_TEST(describe_difference(each.ratio, {each.metric, Origin::measured}) == each.words);
}

BOOST_AUTO_TEST_CASE(sentences_begin_with_a_capital_and_end_with_one_stop) {
  BOOST_TEST(as_sentence("the winner is it") == "The winner is it.");
  BOOST_TEST(as_sentence("Done.") == "Done.");
  BOOST_TEST(as_sentence("") == ".");
  BOOST_TEST(as_paragraph(Names{"One", "", "Two"}) == "One. Two.");
  BOOST_TEST(as_paragraph({}) == "");
}

BOOST_AUTO_TEST_CASE(failures_are_gathered_by_their_reason) {
  const std::vector<StoredPoint> points = {failed_point("p", {}, "b"), ok_point("p", {}, {}),
                                           failed_point("p", {}, ""), failed_point("q", {}, "b")};
  const std::vector<Failure> failures = failures_of(records_of(points));
  BOOST_REQUIRE_EQUAL(failures.size(), 2U);
  BOOST_TEST(failures[0].reason == "b");
  BOOST_TEST(failures[0].points.size() == 2U);
  BOOST_TEST(failures[0].points[1] == &points[3].point);
  BOOST_TEST(failures[1].reason == "no reason is known");
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace sweep::testing
