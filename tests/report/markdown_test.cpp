#include <boost/test/unit_test.hpp>

#include "report/run_report.h"
#include "tests/report/example_results.h"
#include "tests/report/tuned_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(markdown)

namespace {

bool has(const RunResults& results, const std::string& part) {
  return write_markdown(results).find(part) != std::string::npos;
}

BOOST_AUTO_TEST_CASE(it_says_whether_the_run_is_whole) {
  RunResults results = stride_results();
  BOOST_TEST(!has(results, "**The run"));
  results.run.state = RunState::running;
  BOOST_TEST(has(results, "**The run has not finished: it is still going on, or it was killed.**"));
  results.run.state = RunState::interrupted;
  BOOST_TEST(has(results, "**The run was interrupted: not all of its points are here.**"));
}

BOOST_AUTO_TEST_CASE(it_counts_the_points) {
  RunResults results = stride_results();
  results.points.resize(4);
  results.points[0].measured_by = 3;
  BOOST_TEST(has(results, "\n4 points on NVIDIA H200: 4 ok, 0 failed.\n"));
  results.points[1].measured_by = 1;
  results.points[2].measured_by = 2;
  BOOST_TEST(has(results, ": 4 ok, 0 failed, 2 reused from runs 1 and 2.\n"));
  results.points.resize(1);
  BOOST_TEST(has(results, "\n1 point on NVIDIA H200: 1 ok, 0 failed.\n"));
}

BOOST_AUTO_TEST_CASE(a_range_and_a_gap_are_shown_with_dashes) {
  RunResults results;
  const auto samples = [](std::int64_t a, std::int64_t b, double value) {
    return ok_point("p", {{"A", integer(a)}, {"B", integer(b)}},
                    {{"samples", Origin::measured, value}});
  };
  results.points = {samples(1, 1, 10), samples(1, 2, 20), samples(2, 3, 30)};
  results.layout.tables = {layout({"A"}, {}, {"samples"})};
  BOOST_TEST(has(results, "|   1 | 10.00–20.00 |\n"));
  results.layout.tables = {layout({"A"}, {"B"}, {"samples"})};
  BOOST_TEST(has(results, "|   1 | 10.00 | 20.00 |     – |\n"));
}

BOOST_AUTO_TEST_CASE(the_best_cell_is_bold_and_a_cut_off_one_is_rough) {
  RunResults results;
  for (const std::int64_t n : {1, 2, 3}) {
    results.points.push_back(ok_point("p", {{"N", integer(n)}},
                                      {{"time", Origin::measured, 100 * static_cast<double>(n)}}));
  }
  results.points[2].point.stopped_by = "cut-off";
  results.layout.tables = {layout({"N"}, {}, {"time"})};
  BOOST_TEST(has(results,
                 "\\~ stands before what a few samples say of a configuration that the search then "
                 "gave up.\n\n"
                 "|   N | time [us] |\n"
                 "|----:|----------:|\n"
                 "|   1 | **100.0** |\n"
                 "|   2 |     200.0 |\n"
                 "|   3 |    ~300.0 |\n"));
}

BOOST_AUTO_TEST_CASE(a_search_that_was_broken_off_has_a_best_so_far) {
  RunResults results = tuned_results();
  results.run.state = RunState::interrupted;
  BOOST_TEST(!has(results, "so far"));
  results.run.tuning->groups.clear();
  BOOST_TEST(has(results, "The search in these groups has no winner."));
  BOOST_TEST(has(results, "| best so far "));
}

BOOST_AUTO_TEST_CASE(a_run_without_points_is_a_document_too) {
  RunResults results;
  results.run.provenance.sweep_name = "empty";
  BOOST_TEST(write_markdown(results) ==
             "# empty\n\n"
             "**The run has not finished: it is still going on, or it was killed.**\n\n"
             "0 points: 0 ok, 0 failed.\n\n"
             "## All points\n\n"
             "<details>\n<summary>Where the figures come from</summary>\n\n"
             "|     |     |\n"
             "|:----|:----|\n"
             "| run | 0   |\n\n"
             "</details>\n");
}

BOOST_AUTO_TEST_CASE(nothing_from_a_file_becomes_markup) {
  RunResults results = emulated_results();
  results.summary = "# one | two\n\n<script>";
  BOOST_TEST(has(results, "\n\\# one \\| two  \\<script>\n"));
  BOOST_TEST(!has(results, "\n<script>"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
