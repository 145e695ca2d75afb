#include <boost/test/unit_test.hpp>

#include "report/findings.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(point_list)

namespace {

Names key_names(const TableModel& table) {
  Names names;
  for (const auto& key : table.key_columns) names.push_back(key.name);
  return names;
}

Names headings(const TableModel& table) {
  Names headings;
  for (const auto& lines : table.headings) headings.push_back(lines.at(0));
  return headings;
}

BOOST_AUTO_TEST_CASE(what_varies_tells_the_points_apart) {
  const RunResults results = stride_results();
  const TableModel table = list_points(results.points);
  BOOST_TEST(key_names(table) == (Names{"T", "STRIDE", "BLOCK"}), boost::test_tools::per_element());
  BOOST_TEST(headings(table) ==
                 (Names{"time [us]", "bandwidth [GB/s]", "percent_of_peak [%]", "noise [%]"}),
             boost::test_tools::per_element());
  BOOST_TEST(table.rows.size() == results.points.size());
  BOOST_TEST(table.rows[0].keys == (Names{"float", "1", "128"}), boost::test_tools::per_element());
  BOOST_TEST((table.rows[5].cells[0].kind == Cell::Kind::failed));
}

BOOST_AUTO_TEST_CASE(without_the_main_metrics_others_are_shown) {
  const std::vector<StoredPoint> points = {
      ok_point("p", {}, {{"useful_bytes", Origin::emulated, 1}, {"x", Origin::hardware, 2}})};
  BOOST_TEST(
      headings(list_points(points)) == (Names{"useful_bytes [B], emulated", "x, hardware counter"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_times_the_main_counts_are_shown) {
  const std::vector<StoredPoint> points = {
      ok_point("p", {},
               {{"load_requests", Origin::emulated, 1},
                {"load_sectors_per_request", Origin::emulated, 2},
                {"shared_conflicts", Origin::emulated, 0},
                {"efficiency", Origin::emulated, 50}})};
  BOOST_TEST(headings(list_points(points)) ==
                 (Names{"load_sectors_per_request, emulated", "efficiency [%], emulated",
                        "shared_conflicts, emulated"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_run_whose_points_all_failed_has_a_column_for_that) {
  const std::vector<StoredPoint> points = {failed_point("p", {{"A", integer(1)}}, "x"),
                                           failed_point("p", {{"A", integer(2)}}, "x")};
  const TableModel table = list_points(points);
  BOOST_TEST(headings(table) == (Names{"result"}), boost::test_tools::per_element());
  BOOST_TEST((table.rows[1].cells.at(0).kind == Cell::Kind::failed));
}

BOOST_AUTO_TEST_CASE(a_metric_may_be_shown_beside_the_main_ones) {
  const std::vector<StoredPoint> points = {
      ok_point("p", {}, {{"time", Origin::measured, 1}, {"l2_hit_rate", Origin::hardware, 2}})};
  const MetricColumn time = {"time", Origin::measured};
  const MetricColumn hits = {"l2_hit_rate", Origin::hardware};
  BOOST_TEST(headings(list_points(points, {}, time)) == (Names{"time [us]"}),
             boost::test_tools::per_element());
  BOOST_TEST(headings(list_points(points, {}, hits)) ==
                 (Names{"time [us]", "l2_hit_rate [%], hardware counter"}),
             boost::test_tools::per_element());
}

/// A list of so many points, each a little slower than the one before; the last is the best.
struct LongList {
  explicit LongList(std::int64_t count) {
    std::vector<StoredPoint> points;
    for (std::int64_t i = 0; i < count; ++i) {
      points.push_back(ok_point("p", {{"A", integer(i)}}, {{"time", Origin::measured, 1}}));
      PointVerdict verdict;
      verdict.kind = i + 1 < count ? PointVerdict::Kind::slower : PointVerdict::Kind::best;
      verdict.slower = i + 1 < count ? 0.01 * static_cast<double>(i + 1) : 0;
      verdicts.emplace_back(verdict);
    }
    table = list_points(points, verdicts);
  }
  std::vector<std::optional<PointVerdict>> verdicts;
  TableModel table;
};

BOOST_AUTO_TEST_CASE(of_a_long_list_the_best_and_the_worst_are_kept) {
  LongList list(100);
  list.verdicts[0].reset();
  keep_best_and_worst(list.table, list.verdicts);
  BOOST_REQUIRE(list.table.rows.size() == 23);
  BOOST_TEST(list.table.rows[0].keys[0] == "99");
  BOOST_TEST(list.table.rows[1].keys[0] == "1");
  BOOST_TEST(list.table.rows[19].keys[0] == "19");
  BOOST_TEST(list.table.rows[20].keys[0] == "96");
  BOOST_TEST(list.table.rows[22].keys[0] == "98");
  BOOST_TEST(list.table.title == "The best 20 and the worst 3 points");
  BOOST_TEST(list.table.caption ==
             "Of 100 points, of which 99 can be compared, by how far they are behind the best of "
             "their group; the CSV has all.");
}

BOOST_AUTO_TEST_CASE(a_short_list_stays_as_it_is) {
  LongList list(23);
  keep_best_and_worst(list.table, list.verdicts);
  BOOST_TEST(list.table.rows.size() == 23U);
  BOOST_TEST(list.table.title == "All points");
  BOOST_TEST(list.table.rows[22].keys[0] == "22");
}

BOOST_AUTO_TEST_CASE(of_a_long_list_what_cannot_be_compared_is_left_out) {
  LongList list(24);
  list.verdicts[3].reset();
  keep_best_and_worst(list.table, list.verdicts);
  BOOST_TEST(list.table.rows.size() == 23U);
  BOOST_TEST(list.table.title == "All points that can be compared");
}

BOOST_AUTO_TEST_CASE(a_run_without_points_has_no_rows) {
  BOOST_TEST(list_points({}).rows.empty());
}

BOOST_AUTO_TEST_CASE(of_too_many_points_the_first_are_listed) {
  std::vector<StoredPoint> points;
  for (std::int64_t i = 0; i < 5; ++i) {
    points.push_back(ok_point("p", {{"A", integer(i)}}, {{"time", Origin::measured, 1}}));
  }
  const std::vector<std::optional<PointVerdict>> verdicts(points.size());
  const TableModel table = list_points(points, verdicts, {}, 2);
  BOOST_TEST(table.rows.size() == 2U);
  BOOST_TEST(table.caption == "Shown are the first 2 of 5 points; the CSV has all.");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
