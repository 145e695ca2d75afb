#include <boost/test/unit_test.hpp>
#include <vector>

#include "report/run_analysis.h"
#include "tests/report/example_results.h"
#include "tests/report/stream_results.h"

using namespace sweep;
using namespace sweep::testing;

BOOST_AUTO_TEST_SUITE(the_best_of_each_pattern)

namespace {

using Places = std::vector<std::size_t>;

RunResults results_of(std::vector<StoredPoint> points) {
  RunResults results;
  results.points = std::move(points);
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    results.points[i].ordinal = static_cast<std::int64_t>(i);
  }
  return results;
}

}  // namespace

BOOST_AUTO_TEST_CASE(is_the_one_of_its_verdict) {
  BOOST_TEST(best_of_patterns(measured_streams()) == (Places{1, 2}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(is_the_best_of_a_search_s_groups) {
  // float4 reaches more than float.
  BOOST_TEST(best_of_patterns(tuned_streams()) == Places{3}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(is_the_first_that_succeeded_where_nothing_is_timed) {
  const Metric sectors{"load_sectors", Origin::emulated, 8};
  const RunResults results =
      results_of({failed_point("a", {}, "wrong"), ok_point("b", {{"N", integer(1)}}, {sectors}),
                  ok_point("a", {{"N", integer(2)}}, {sectors}),
                  ok_point("a", {{"N", integer(3)}}, {sectors}), failed_point("c", {}, "wrong")});
  BOOST_TEST(best_of_patterns(results) == (Places{1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(is_the_only_point_that_has_no_verdict) {
  BOOST_TEST(best_of_patterns(results_of({ok_point("a", {}, {{"time", Origin::measured, 3}})})) ==
                 Places{0},
             boost::test_tools::per_element());
  BOOST_TEST(best_of_patterns(RunResults{}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
