#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "report/factor_words.h"
#include "report/failures.h"
#include "report/point_records.h"
#include "report/sentences.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(words)

namespace {

struct FactorCase {
  double factor = 1;
  const char* words = "";
};
std::ostream& operator<<(std::ostream& out, const FactorCase& each) {
  return out << each.factor;
}

constexpr FactorCase factor_cases[] = {
    {1.0025, "0.25 % slower"}, {1.034, "3.4 % slower"}, {1.12, "12 % slower"},
    {1.99, "99 % slower"},     {2, "2.0 times slower"}, {31.25, "31.2 times slower"},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_factor_is_a_share_or_a_multiple, boost::unit_test::data::make(factor_cases),
                     each) {
  BOOST_TEST(describe_factor(each.factor, "slower") == each.words);
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
