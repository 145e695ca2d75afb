#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "report/findings.h"
#include "tests/contains.h"
#include "tests/report/example_results.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(expectation_check)

namespace {

StoredPoint strided(std::int64_t stride, std::vector<Metric> metrics) {
  return ok_point("stride", {{"STRIDE", integer(stride)}, {"T", element("float")}},
                  std::move(metrics));
}

/// STRIDE 1, 2 and 4 with as many sectors per request, the last without efficiency; a failed
/// point, and one of another pattern.
std::vector<StoredPoint> some_points() {
  const auto sectors = [](double value) {
    return Metric{"load_sectors_per_request", Origin::emulated, 4 * value};
  };
  return {strided(1, {sectors(1), {"efficiency", Origin::emulated, 100}}),
          strided(2, {sectors(2), {"efficiency", Origin::emulated, 50}}), strided(4, {sectors(4)}),
          failed_point("stride", {{"STRIDE", integer(8)}, {"T", element("float")}}, "x"),
          ok_point("tile", {{"PAD", integer(1)}}, {{"shared_conflicts", Origin::emulated, 0}})};
}

ExpectationResult check(const std::string& yaml, const std::vector<StoredPoint>& points) {
  return check_expectations_on(read_stored_sweep("expect: " + yaml + "\n").expect, points).at(0);
}

struct Case {
  std::string expectation;
  std::string verdict;
  bool kept;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) {
    return out << row.expectation;
  }
};

const std::vector<Case> cases = {
    // Points without the metric are mentioned; those without a parameter are not meant.
    {"load_sectors_per_request <= 4 * STRIDE", "holds", true},
    {"load_sectors_per_request == STRIDE * sizeof(T)", "holds", true},
    {"load_sectors_per_request <= 8 * (STRIDE / STRIDE)", "broken by 1 of 3 points", false},
    {"load_sectors_per_request <= 16",
     "holds; cannot be checked at 1 of 4 points: they have no load_sectors_per_request", true},
    {"gld_transactions_per_request < 16",
     "broken by 1 of 4 points; cannot be checked at 1 of 4 points: they have no "
     "load_sectors_per_request",
     false},
    {"{check: load_sectors_per_request == 4, where: STRIDE == 1}", "holds", true},
    {"{check: load_sectors_per_request == 4, where: STRIDE > 1}", "broken by 2 of 2 points", false},
    {"{check: shared_conflicts == 0, where: pattern == 'tile'}", "holds", true},
    {"{check: shared_conflicts != 0, where: PAD == 1}", "broken by 1 of 1 point", false},
    {"{check: efficiency >= 50 %, where: pattern == 'stride'}",
     "holds; cannot be checked at 1 of 3 points: they have no efficiency", true},
    {"{check: efficiency >= 50 %, where: STRIDE == 4}",
     "cannot be checked: no point has efficiency", false},
    {"bandwidth >= 1", "cannot be checked: no point has bandwidth", false},
    {"bandwidth >= shared_efficiency",
     "cannot be checked: no point has bandwidth and shared_efficiency", false},
    {"{check: efficiency > 0, where: STRIDE == 8}",
     "cannot be checked: no point that succeeded is meant by it", false},
    {"load_sectors_per_request == 4 / (STRIDE - 1)",
     "broken by 2 of 3 points; cannot be checked at 1 of 3 points: it has no value there", false},
};

BOOST_DATA_TEST_CASE(verdicts, data::make(cases)) {
  const auto points = some_points();
  const ExpectationResult result = check(sample.expectation, points);
  BOOST_TEST(verdict_of(result) == sample.verdict);
  BOOST_TEST(result.kept() == sample.kept);
}

BOOST_AUTO_TEST_CASE(the_measured_figure_counts_first) {
  const std::vector<StoredPoint> points = {strided(1, {{"time", Origin::emulated, 1},
                                                       {"time", Origin::hardware, 2},
                                                       {"time", Origin::measured, 3}})};
  BOOST_TEST(check("time == 3", points).kept());
}

BOOST_AUTO_TEST_CASE(what_is_found_is_shown_exactly_with_its_unit) {
  const std::vector<StoredPoint> points = {
      strided(3, {{"efficiency", Origin::emulated, 33.333333333333336},
                  {"load_sectors", Origin::emulated, 12},
                  {"store_sectors", Origin::emulated, 4}})};
  const auto found = [&](const std::string& text) {
    const ExpectationResult result = check(text, points);
    return result.broken.at(0).found;
  };
  BOOST_TEST(found("efficiency >= 50 %") == "efficiency = 33.333333333333336 %");
  BOOST_TEST(found("8 > load_sectors") == "load_sectors = 12");
  BOOST_TEST(found("load_sectors <= STRIDE * 2") == "load_sectors = 12, STRIDE * 2 = 6");
  BOOST_TEST(found("store_sectors == load_sectors") == "store_sectors = 4, load_sectors = 12");
}

BOOST_AUTO_TEST_CASE(what_is_broken_is_shown_with_its_place_and_points) {
  const auto points = some_points();
  const auto results = check_expectations_on(
      read_stored_sweep("expect:\n"
                        "  - {check: load_sectors_per_request <= 4, where: STRIDE > 0}\n"
                        "  - shared_conflicts == 0\n"
                        "  - efficiency >= 1 * STRIDE\n"
                        "  - bandwidth >= 1\n"
                        "  - load_sectors_per_request > 0 * STRIDE\n")
          .expect,
      points);
  BOOST_TEST(describe_broken(results, points, false) ==
             "the stored sweep:2:13: error: 'load_sectors_per_request <= 4, where STRIDE > 0': "
             "broken by 2 of 3 points\n"
             "    - {check: load_sectors_per_request <= 4, where: STRIDE > 0}\n"
             "              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
             "  pattern = stride, STRIDE = 2: load_sectors_per_request = 8\n"
             "  pattern = stride, STRIDE = 4: load_sectors_per_request = 16\n"
             "the stored sweep:3:5: warning: 'shared_conflicts == 0': cannot be checked at 3 of 4 "
             "points: they have no shared_conflicts\n"
             "    - shared_conflicts == 0\n"
             "      ^~~~~~~~~~~~~~~~~~~~~\n"
             "the stored sweep:4:5: warning: 'efficiency >= 1 * STRIDE': cannot be checked at 1 of "
             "3 points: they have no efficiency\n"
             "    - efficiency >= 1 * STRIDE\n"
             "      ^~~~~~~~~~~~~~~~~~~~~~~~\n"
             "the stored sweep:5:5: error: 'bandwidth >= 1': cannot be checked: no point has "
             "bandwidth\n"
             "    - bandwidth >= 1\n"
             "      ^~~~~~~~~~~~~~\n"
             "  help: it takes a GPU\n");
}

BOOST_AUTO_TEST_CASE(of_a_part_of_a_sweep_an_expectation_without_a_point_is_a_note) {
  const auto points = some_points();
  const auto expectations =
      read_stored_sweep("expect: [{check: efficiency > 0, where: STRIDE == 3}]\n").expect;
  const auto whole = check_expectations_on(expectations, points);
  BOOST_TEST(!whole.at(0).kept());
  BOOST_TEST(describe_broken(whole, points, false).starts_with("the stored sweep:1:18: error: "));
  const auto part = check_expectations_on(expectations, points, true);
  BOOST_TEST(part.at(0).kept());
  BOOST_TEST(describe_broken(part, points, false) ==
             "the stored sweep:1:18: note: 'efficiency > 0, where STRIDE == 3': cannot be checked: "
             "no point that succeeded is meant by it\n"
             "  expect: [{check: efficiency > 0, where: STRIDE == 3}]\n"
             "                   ^~~~~~~~~~~~~~\n");
}

BOOST_AUTO_TEST_CASE(of_a_part_of_a_sweep_an_expectation_without_its_metric_is_an_error) {
  const auto points = some_points();
  const auto results =
      check_expectations_on(read_stored_sweep("expect: bandwidth >= 1\n").expect, points, true);
  BOOST_TEST(!results.at(0).kept());
}

BOOST_AUTO_TEST_CASE(a_metric_of_the_caches_says_what_gives_it) {
  const auto points = some_points();
  const auto results =
      check_expectations_on(read_stored_sweep("expect: l2_hit_rate > 0\n").expect, points);
  const std::string text = describe_broken(results, points, false);
  BOOST_TEST(text.find("  help: the emulator gives it with measure: {caches: true}\n") !=
                 std::string::npos,
             text);
}

BOOST_AUTO_TEST_CASE(of_many_broken_points_ten_are_shown) {
  std::vector<StoredPoint> points;
  for (std::int64_t i = 0; i < 13; ++i)
    points.push_back(strided(i, {{"time", Origin::measured, 2}}));
  const auto results =
      check_expectations_on(read_stored_sweep("expect: time < 2\n").expect, points);
  const std::string text = describe_broken(results, points, false);
  BOOST_TEST(text.find("  STRIDE = 9: time = 2 us\n  and 3 more\n") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(
    expectations_take_results_that_are_verified_whole_unless_one_says_what_is_enough) {
  const auto points = [](double share) {
    return std::vector{strided(
        1, {{"load_sectors", Origin::emulated, 4}, {"verified_share", Origin::emulated, share}})};
  };
  const auto check_all = [](const std::string& yaml, const std::vector<StoredPoint>& on) {
    return check_expectations_on(read_stored_sweep("expect: " + yaml + "\n").expect, on);
  };
  BOOST_TEST(check_all("load_sectors == 4", points(100)).size() == 1U);
  const auto part = points(6.25);
  const auto results = check_all("load_sectors == 4", part);
  BOOST_REQUIRE(results.size() == 2U);
  BOOST_TEST(results[0].kept());
  BOOST_TEST(!results[1].kept());
  const std::string message = describe_broken(results, part, false);
  BOOST_TEST(contains(message, "'verified_share == 100 %': broken by 1 of 1 point"), message);
  BOOST_TEST(contains(message, "emulator: {set: {N: 1 Mi}}"), message);
  BOOST_TEST(contains(message, "--exact"), message);
  const auto enough = check_all("[load_sectors == 4, verified_share >= 5]", part);
  BOOST_REQUIRE(enough.size() == 2U);
  BOOST_TEST(enough[1].kept());
  BOOST_TEST(!check_all("[verified_share >= 7]", part).front().kept());
  // A sweep that expects nothing says it in its report.
  BOOST_TEST(check_expectations_on({}, part).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
