#include "report/compare/counter_comparison.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/report/compare/compared_runs.h"

namespace sweep::testing {
namespace {
namespace counter_comparison {

/// A point of four blocks of so many warps that the emulator counted.
StoredPoint emulated(std::int64_t stride, double sectors, double warps = 8) {
  return ok_point("p", {{"STRIDE", integer(stride)}},
                  {{"blocks", Origin::emulated, 4},
                   {"warps", Origin::emulated, 4 * warps},
                   {"load_sectors", Origin::emulated, sectors},
                   {"load_sectors", Origin::hardware, 1},
                   {"load_requests", Origin::emulated, 8}});
}

ProfiledLaunch launch(const char* number, double sectors, std::int64_t threads = 256,
                      const char* kernel = "p") {
  return {number, kernel,  std::string(kernel) + "(float*)",
          4,      threads, {{"load_sectors", Origin::hardware, sectors}}};
}

CounterComparison compare(std::vector<ProfiledLaunch> launches, std::vector<StoredPoint> points,
                          std::vector<Expression> where = {}) {
  return compare_counters(launches, "x.csv", run_of("a.db:1", std::move(points)), where,
                          [](const PointKey& key) { return std::vector{key.pattern_name}; });
}

std::string refusal(const std::vector<ProfiledLaunch>& launches,
                    const std::vector<StoredPoint>& points) {
  try {
    compare(launches, points);
  } catch (const ComparisonError& error) {
    return error.what();
  }
  return {};
}

}  // namespace counter_comparison

using namespace counter_comparison;

BOOST_AUTO_TEST_SUITE(counter_comparison_suite)

BOOST_AUTO_TEST_CASE(a_launch_is_held_against_the_point_of_its_kernel_and_size) {
  const CounterComparison found =
      compare({launch("3", 1001)}, {emulated(1, 1000), emulated(2, 5, 4)});
  BOOST_TEST(describe_verdict(found) == "agreement: 1 of 1 figure agree");
  const std::string text = render_markdown(counter_document(found));
  BOOST_TEST(contains(text, "| 3      | STRIDE = 1    | load_sectors |"), text);
  BOOST_TEST(contains(text,
                      "no counters for load_requests; with them: ncu --csv --page raw --metrics "
                      "sm__sass_inst_executed_op_global_ld.sum,"),
             text);
  const auto json = nlohmann::json::parse(write_counters_json(found));
  BOOST_TEST(json["agree"] == true);
  BOOST_TEST(json["figures"].size() == 1U);
  BOOST_TEST(json["figures"][0]["parameters"]["STRIDE"] == 1);
  BOOST_TEST(json["figures"][0]["hardware"] == 1001);
}

BOOST_AUTO_TEST_CASE(figures_beyond_the_tolerance_of_their_metric_disagree) {
  const CounterComparison found = compare({launch("0", 2000)}, {emulated(1, 1000)});
  BOOST_TEST(found.disagreeing == 1U);
  BOOST_TEST(describe_verdict(found) == "disagreement: 0 of 1 figure agree");
  const std::string text = render_markdown(counter_document(found));
  BOOST_TEST(contains(text, "no, not within 0.5 % or 1"), text);
  BOOST_TEST(contains(text, "-50.00 %"), text);
}

BOOST_AUTO_TEST_CASE(of_launches_of_one_kernel_and_size_the_last_counts) {
  const CounterComparison found = compare(
      {launch("0", 7), launch("1", 1000), launch("2", 4, 128, "other")}, {emulated(1, 1000)});
  BOOST_TEST(found.disagreeing == 0U);
  BOOST_TEST(found.matches.front().launch == "1");
  BOOST_REQUIRE(found.notes.size() == 3U);
  BOOST_TEST(
      found.notes[0] ==
      "launches 0 to 1 of p (4 blocks of 256 threads) differ in load_sectors; the last counts");
  BOOST_TEST(found.notes[1] ==
             "launch 2 of other (4 blocks of 128 threads): left out: no pattern of the run has a "
             "kernel of that name");
}

BOOST_AUTO_TEST_CASE(points_of_one_size_are_told_apart_by_where) {
  const std::vector<StoredPoint> points = {emulated(1, 1000), emulated(2, 2000)};
  BOOST_TEST(
      refusal({launch("0", 2000)}, points) ==
      "x.csv and a.db:1 have nothing to compare:\n  launch 0 of p (4 blocks of 256 threads): "
      "left out: 2 points have that size, for example STRIDE = 1; name the one that was "
      "profiled with --where");
  BOOST_TEST(compare({launch("0", 2000)}, points, {condition("STRIDE == 2")}).agreeing == 1U);
}

BOOST_AUTO_TEST_CASE(without_a_figure_in_both_there_is_no_verdict) {
  BOOST_TEST(contains(refusal({launch("0", 1, 64)}, {emulated(1, 1)}), "has that size"));
  BOOST_TEST(contains(refusal({}, {emulated(1, 1)}), "no kernel was launched"));
  ProfiledLaunch empty = launch("0", 1);
  empty.metrics.clear();
  BOOST_TEST(
      contains(refusal({empty}, {emulated(1, 1)}), "the file has no counters for load_sectors"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
