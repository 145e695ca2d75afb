#include <boost/test/unit_test.hpp>

#include "report/run_analysis.h"
#include "report/run_report.h"
#include "tests/contains.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(failures)

namespace {

BOOST_AUTO_TEST_CASE(points_stand_with_the_reason_they_share) {
  const std::vector<StoredPoint> stored = {
      failed_point("p", {{"A", integer(1)}}, "x"), ok_point("p", {{"A", integer(2)}}, {}),
      failed_point("p", {{"A", integer(3)}}, ""), failed_point("p", {{"A", integer(4)}}, "x")};
  std::vector<const PointRecord*> points;
  for (const StoredPoint& point : stored) points.push_back(&point.point);
  const std::vector<Failure> failures = failures_of(points);
  BOOST_REQUIRE(failures.size() == 2U);
  BOOST_TEST(failures[0].reason == "x");
  BOOST_TEST((failures[0].points == std::vector{points[0], points[3]}));
  BOOST_TEST(failures[1].reason == "no reason is known");
}

BOOST_AUTO_TEST_CASE(a_report_shows_the_first_reasons) {
  RunResults results;
  for (std::int64_t i = 0; i < 25; ++i) {
    const std::string reason = "reason " + std::to_string(i);
    results.points.push_back(failed_point("p", {{"A", integer(i)}}, reason));
  }
  const std::string markdown = write_markdown(results);
  BOOST_TEST(contains(markdown, "reason 19\n"));
  BOOST_TEST(!contains(markdown, "reason 20"));
  BOOST_TEST(contains(markdown, "Others failed for 5 other reasons, which the CSV has."));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()
}  // namespace sweep::testing
