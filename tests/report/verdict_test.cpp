#include <boost/test/unit_test.hpp>
#include <limits>

#include "report/findings.h"
#include "report/run_analysis.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(verdict)

namespace {

using Kind = PointVerdict::Kind;

/// A point of pattern "p" with a time, its interval and a bandwidth of 1000 / time.
StoredPoint timed(std::int64_t ordinal, double time, double half_interval) {
  StoredPoint stored = ok_point("p", {{"BLOCK", integer(ordinal)}},
                                {{"time", Origin::measured, time},
                                 {"time_low", Origin::measured, time - half_interval},
                                 {"time_high", Origin::measured, time + half_interval},
                                 {"bandwidth", Origin::measured, 1000 / time}});
  stored.ordinal = ordinal;
  return stored;
}

/// The same of too few samples for an interval.
StoredPoint without_interval(std::int64_t ordinal, double time) {
  StoredPoint stored = timed(ordinal, time, 0);
  std::erase_if(stored.point.metrics, [](const Metric& metric) {
    return metric.name == "time_low" || metric.name == "time_high";
  });
  return stored;
}

RunResults results_of(std::vector<StoredPoint> points) {
  RunResults results;
  results.points = std::move(points);
  return results;
}

Names texts(const RunResults& results) {
  Names texts;
  for (const auto& verdict : RunAnalysis(results).verdicts.of_points) {
    texts.push_back(verdict ? to_string(*verdict) : "");
  }
  return texts;
}

void check_texts(const RunResults& results, const Names& expected) {
  BOOST_TEST(texts(results) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(intervals_that_overlap_are_the_same) {
  const RunResults results =
      results_of({timed(0, 112, 1), timed(1, 100, 1), timed(2, 101.5, 1), timed(3, 103, 0.5)});
  check_texts(results, {"11 % less", "best", "same as best", "2.9 % less"});
  const Verdicts verdicts = RunAnalysis(results).verdicts;
  BOOST_REQUIRE(verdicts.groups.size() == 1);
  BOOST_TEST(verdicts.groups[0].best == 1);
  BOOST_TEST(verdicts.groups[0].slowest.value() == 0U);
  BOOST_TEST(verdicts.groups[0].not_compared == 0U);
  BOOST_TEST((verdicts.groups[0].same == std::vector<std::size_t>{2}));
  BOOST_TEST(verdicts.groups[0].metric.name == "bandwidth");
  BOOST_TEST(verdicts.of_points[1]->interval.value().low == 1000.0 / 101,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(verdicts.of_points[1]->interval.value().high == 1000.0 / 99,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(points_of_two_gpus_differ_by_more_than_the_gpus_do) {
  RunResults results = results_of({timed(0, 100, 1), timed(1, 104, 1), timed(2, 104, 1)});
  for (StoredPoint& stored : results.points) stored.point.key.device = "cuda GPU-a";
  results.points[2].point.key.device = "cuda GPU-b";
  results.run.devices = {{0, "GPU-a", {1, 1, 1}}, {1, "GPU-b", {0.99, 1.01, 1.03}}};
  check_texts(results, {"best", "3.8 % less", "same as best"});
  results.run.devices[1].to_first = {0.999, 1, 1.001};
  check_texts(results, {"best", "3.8 % less", "3.8 % less"});
}

BOOST_AUTO_TEST_CASE(a_comparison_counts_more_than_the_intervals) {
  RunResults results =
      results_of({timed(0, 100, 1), timed(1, 100.5, 1), timed(2, 101, 1), timed(3, 130, 1)});
  results.run.comparisons = {
      {1, 20, 1, 1, 1}, {0, 20, 0.999, 1.001, 1.003}, {2, 20, 1.002, 1.004, 1.006}};
  check_texts(results, {"same as best", "best", "0.40 % less", "23 % less"});
  const Verdicts verdicts = RunAnalysis(results).verdicts;
  BOOST_TEST(verdicts.of_points[0]->rounds == 20);
  BOOST_TEST(verdicts.of_points[3]->rounds == 0);
}

BOOST_AUTO_TEST_CASE(a_point_in_front_of_the_compared_best_is_the_same) {
  RunResults results = results_of({timed(0, 90, 1), timed(1, 100, 1), timed(2, 95, 1)});
  results.run.comparisons = {{1, 20, 1, 1, 1}, {2, 20, 0.9, 0.95, 0.99}};
  check_texts(results, {"same as best", "best", "same as best"});
}

BOOST_AUTO_TEST_CASE(comparisons_with_another_groups_best_do_not_count) {
  RunResults results = results_of({timed(0, 100, 1), timed(1, 120, 1)});
  results.run.comparisons = {{7, 20, 1, 1, 1}, {0, 20, 1.5, 1.6, 1.7}};
  check_texts(results, {"best", "17 % less"});
}

BOOST_AUTO_TEST_CASE(places_within_the_run_need_not_be_those_in_the_report) {
  RunResults results = results_of({timed(40, 100, 1), timed(70, 100.5, 1)});
  results.run.comparisons = {{70, 20, 1, 1, 1}, {40, 20, 1.1, 1.2, 1.3}};
  check_texts(results, {"17 % less", "best"});
}

BOOST_AUTO_TEST_CASE(each_pattern_has_its_own_best) {
  RunResults results =
      results_of({timed(0, 100, 1), timed(1, 200, 1), timed(2, 10, 1), timed(3, 11.5, 0.1)});
  results.points[2].point.key.pattern_name = "q";
  results.points[3].point.key.pattern_name = "q";
  check_texts(results, {"best", "50 % less", "best", "13 % less"});
  const Verdicts verdicts = RunAnalysis(results).verdicts;
  BOOST_TEST(verdicts.groups.at(1).pattern == "q");
  Names among_groups;
  for (const auto& verdict : verdicts.of_points) {
    among_groups.push_back(describe_among_groups(*verdict));
  }
  BOOST_TEST(among_groups == (Names{"best of p", "50 % less", "best of q", "13 % less"}),
             boost::test_tools::per_element());
  BOOST_TEST(describe_best(results) ==
                 (Names{"best of p: BLOCK = 0: 10.00 GB/s", "best of q: BLOCK = 2: 100.0 GB/s"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_slowest_is_that_of_all_patterns) {
  RunResults results =
      results_of({timed(0, 100, 1), timed(1, 200, 1), timed(2, 10, 1), timed(3, 11.5, 0.1)});
  for (std::size_t i = 2; i < 4; ++i) results.points[i].point.key.pattern_name = "q";
  const auto extremes = RunAnalysis(results).verdicts.overall.value();
  BOOST_TEST(extremes.best == 2U);
  BOOST_TEST(extremes.slowest.value() == 1U);
  BOOST_TEST(extremes.distance == "95 % less than the best");
  // A pattern's only point counts too.
  results.points.push_back(timed(4, 500, 1));
  results.points.back().point.key.pattern_name = "r";
  BOOST_TEST(RunAnalysis(results).verdicts.overall->slowest.value() == 4U);
  results.points[0].point.metrics.pop_back();
  BOOST_TEST(!RunAnalysis(results).verdicts.overall.has_value());
  BOOST_TEST(!RunAnalysis(results_of({timed(0, 100, 1), timed(1, 100.5, 1)}))
                  .verdicts.overall->slowest.has_value());
}

BOOST_AUTO_TEST_CASE(without_a_bandwidth_for_all_the_time_decides) {
  RunResults results = results_of({timed(0, 100, 1), timed(1, 50, 1)});
  results.points[0].point.metrics.pop_back();
  check_texts(results, {"2.00 times slower", "best"});
  BOOST_TEST(RunAnalysis(results).verdicts.groups.at(0).metric.name == "time");
  for (StoredPoint& stored : results.points) {
    stored.point.metrics.push_back({"shared_bandwidth", Origin::measured, 5});
  }
  check_texts(results, {"best", "same as best"});
}

BOOST_AUTO_TEST_CASE(without_any_interval_nothing_is_called_different) {
  const RunResults results =
      results_of({without_interval(0, 100), without_interval(1, 100), without_interval(2, 300)});
  check_texts(results, {"best", "not compared", "not compared"});
  BOOST_TEST(RunAnalysis(results).verdicts.groups.at(0).not_compared == 2U);
  BOOST_TEST(!RunAnalysis(results).verdicts.groups.at(0).slowest.has_value());
  BOOST_TEST(describe_best(results).at(0) ==
             "best: BLOCK = 0: 10.00 GB/s; 2 are not compared, for want of an interval");
}

BOOST_AUTO_TEST_CASE(what_has_no_interval_hides_nothing_of_the_others) {
  const RunResults results =
      results_of({without_interval(0, 90), timed(1, 100, 1), timed(2, 101, 1), timed(3, 120, 1),
                  without_interval(4, 500)});
  check_texts(results, {"not compared", "best", "same as best", "17 % less", "not compared"});
  BOOST_TEST(RunAnalysis(results).verdicts.groups.at(0).slowest.value() == 3U);
}

BOOST_AUTO_TEST_CASE(rounds_compare_also_what_has_no_interval) {
  RunResults results = results_of(
      {without_interval(0, 100), without_interval(1, 120), timed(2, 130, 1), timed(3, 100, 1)});
  results.run.comparisons = {{0, 12, 1, 1, 1}, {1, 12, 1.1, 1.2, 1.3}};
  check_texts(results, {"best", "17 % less", "not compared", "not compared"});
}

BOOST_AUTO_TEST_CASE(what_cannot_be_compared_has_no_verdict) {
  check_texts({}, {});
  check_texts(results_of({timed(0, 100, 1)}), {""});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check_texts(results_of({timed(0, 100, 1), failed_point("p", {}, "wrong"), timed(2, nan, 1),
                          timed(3, 101, 0.5), ok_point("p", {}, {{"time", Origin::emulated, 1}})}),
              {"best", "", "", "same as best", ""});
  BOOST_TEST(RunAnalysis(emulated_results()).verdicts.groups.empty());
  BOOST_TEST(describe_best(emulated_results()).empty());
}

BOOST_AUTO_TEST_CASE(the_best_is_told_in_a_line) {
  RunResults results = results_of({timed(0, 100, 1), timed(1, 50, 1), timed(2, 50, 1)});
  BOOST_TEST(
      describe_best(results) == Names{"best: BLOCK = 1: 20.00 GB/s; 1 configuration is the same"},
      boost::test_tools::per_element());
  results.points.push_back(timed(3, 50.5, 1));
  BOOST_TEST(describe_best(results).at(0) ==
             "best: BLOCK = 1: 20.00 GB/s; 2 configurations are the same");
  results.points.resize(2);
  BOOST_TEST(describe_best(results).at(0) == "best: BLOCK = 1: 20.00 GB/s");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
