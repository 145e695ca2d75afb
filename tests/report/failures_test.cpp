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

BOOST_AUTO_TEST_CASE(messages_that_differ_in_figures_alone_are_one_mistake) {
  const std::string place = "p.cu:3:5: error: ";
  BOOST_TEST(mistake_of(place + "uses 12 B\n  x12\n") == mistake_of(place + "uses 340 B\n  x3\n"));
  BOOST_TEST(mistake_of(place + "uses 12 B\n") != mistake_of("p.cu:4:5: error: uses 12 B\n"));
  BOOST_TEST(mistake_of(place + "a\n") != mistake_of(place + "a\n" + place + "b\n"));
  BOOST_TEST(mistake_of("data[12] is 3") != mistake_of("data[13] is 3"));
  RunResults results;
  for (std::int64_t i = 0; i < 12; ++i) {
    results.points.push_back(
        failed_point("p", {{"A", integer(i)}}, place + "uses " + std::to_string(i) + " B\n"));
  }
  const std::string markdown = write_markdown(results);
  BOOST_TEST(contains(markdown,
                      "12 of 12 configurations:\n\n- A = 0\n- A = 1\n- and 10 more, which the "
                      "CSV has\n\n```text\np.cu:3:5: error: uses 0 B\n"),
             markdown);
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
