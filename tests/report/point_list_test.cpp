#include "report/point_list.h"

#include <boost/test/unit_test.hpp>

#include "tests/report/example_results.h"

namespace sweep::testing {
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

BOOST_AUTO_TEST_SUITE(point_list)

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

BOOST_AUTO_TEST_CASE(a_run_without_points_has_no_rows) {
  BOOST_TEST(list_points({}).rows.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
