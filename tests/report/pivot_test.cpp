#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "engine/text/units.h"
#include "report/findings.h"
#include "tests/contains.h"
#include "tests/rapidcheck_case.h"
#include "tests/report/example_results.h"
#include "tests/report/tuned_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(pivoting)

namespace {

std::string text_of(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::missing:
      return "-";
    case Cell::Kind::figure:
      return format_figure(cell.low);
    case Cell::Kind::range:
      return format_figure(cell.low) + ".." + format_figure(cell.high);
    case Cell::Kind::failed:
      break;
  }
  return "failed";
}

/// A table as text: the heading, then one line per row.
std::string drawn(const TableModel& table) {
  std::string text;
  for (const auto& key : table.key_columns) text += key.name + " ";
  for (const auto& lines : table.headings) {
    text += "|";
    for (const std::string& line : lines) text += " " + line;
    text += ' ';
  }
  for (const TableModel::Row& row : table.rows) {
    text += '\n';
    for (const std::string& key : row.keys) text += key + " ";
    for (const Cell& cell : row.cells) text += "| " + text_of(cell) + " ";
  }
  return text;
}

std::vector<Metric> bandwidth(double value) {
  return {{"bandwidth", Origin::measured, value}};
}

/// STRIDE and T as given, bandwidth as given.
StoredPoint point(std::int64_t stride, const char* type, double value) {
  return ok_point("stride", {{"STRIDE", integer(stride)}, {"T", element(type)}}, bandwidth(value));
}

/// Points of one cell: BLOCK and one metric.
StoredPoint in_one_cell(std::int64_t block, const char* metric, double value) {
  return ok_point("stride", {{"STRIDE", integer(1)}, {"BLOCK", integer(block)}},
                  {{metric, Origin::measured, value}});
}

BOOST_AUTO_TEST_CASE(rows_and_columns_stand_in_the_order_values_first_appear) {
  const std::vector<StoredPoint> points = {point(8, "float", 1), point(8, "double", 2),
                                           point(1, "float", 3), point(1, "double", 4)};
  const TableModel table = pivot(layout({"STRIDE"}, {"T"}, {"bandwidth"}), points);
  BOOST_TEST(drawn(table) ==
             "STRIDE | T = float | T = double \n"
             "8 | 1.000 | 2.000 \n"
             "1 | 3.000 | 4.000 ");
  BOOST_TEST(table.title == "bandwidth [GB/s] by STRIDE and T");
  BOOST_TEST(table.caption == "");
  BOOST_TEST(table.key_columns[0].numeric);
}

BOOST_AUTO_TEST_CASE(combinations_are_grouped_by_the_first_parameter) {
  std::vector<StoredPoint> points;
  for (const char* type : {"float", "double"}) {
    for (const std::int64_t stride : {2, 1}) points.push_back(point(stride, type, 1));
  }
  BOOST_TEST(drawn(pivot(layout({"STRIDE", "T"}, {}, {"bandwidth"}), points)) ==
             "STRIDE T | bandwidth [GB/s] \n"
             "2 float | 1.000 \n"
             "2 double | 1.000 \n"
             "1 float | 1.000 \n"
             "1 double | 1.000 ");
  BOOST_TEST(drawn(pivot(layout({}, {"STRIDE", "T"}, {"bandwidth"}), points)) ==
             "| STRIDE = 2 T = float | STRIDE = 2 T = double "
             "| STRIDE = 1 T = float | STRIDE = 1 T = double \n"
             "| 1.000 | 1.000 | 1.000 | 1.000 ");
}

BOOST_AUTO_TEST_CASE(combinations_without_a_point_have_no_row_and_gaps_are_missing) {
  const std::vector<StoredPoint> points = {point(1, "float", 1), point(2, "double", 2)};
  BOOST_TEST(drawn(pivot(layout({"STRIDE"}, {"T"}, {"bandwidth"}), points)) ==
             "STRIDE | T = float | T = double \n"
             "1 | 1.000 | - \n"
             "2 | - | 2.000 ");
}

BOOST_AUTO_TEST_CASE(the_best_of_a_cell_is_shown_and_the_caption_says_over_what) {
  const std::vector<StoredPoint> points = {in_one_cell(128, "bandwidth", 3),
                                           in_one_cell(512, "bandwidth", 5),
                                           in_one_cell(256, "bandwidth", 4)};
  const TableModel table = pivot(layout({"STRIDE"}, {}, {"bandwidth"}), points);
  BOOST_TEST(drawn(table) == "STRIDE | bandwidth [GB/s] \n1 | 5.000 ");
  BOOST_TEST(table.caption == "Each cell: the best over BLOCK (128, 256, 512).");
}

BOOST_AUTO_TEST_CASE(the_best_time_is_the_lowest) {
  const std::vector<StoredPoint> points = {in_one_cell(1, "time", 3), in_one_cell(2, "time", 2)};
  BOOST_TEST(drawn(pivot(layout({"STRIDE"}, {}, {"time"}), points)) ==
             "STRIDE | time [us] \n1 | 2.000 ");
}

BOOST_AUTO_TEST_CASE(a_metric_without_a_better_shows_its_range) {
  const auto table = [](double a, double b) {
    const std::vector<StoredPoint> points = {in_one_cell(1, "samples", a),
                                             in_one_cell(2, "samples", b)};
    return pivot(layout({"STRIDE"}, {}, {"samples"}), points);
  };
  BOOST_TEST(drawn(table(30, 10)) == "STRIDE | samples \n1 | 10.00..30.00 ");
  BOOST_TEST(table(30, 10).caption == "Each cell: the range over BLOCK (1, 2).");
  BOOST_TEST(drawn(table(10, 10)) == "STRIDE | samples \n1 | 10.00 ");
}

BOOST_AUTO_TEST_CASE(what_is_not_a_number_is_never_the_best) {
  for (const bool first : {true, false}) {
    const std::vector<StoredPoint> points = {in_one_cell(1, "time", first ? NAN : 2),
                                             in_one_cell(2, "time", first ? 2 : NAN)};
    BOOST_TEST(drawn(pivot(layout({"STRIDE"}, {}, {"time"}), points)) ==
               "STRIDE | time [us] \n1 | 2.000 ");
  }
}

BOOST_AUTO_TEST_CASE(configurations_measured_again_need_no_hidden_parameter) {
  const std::vector<StoredPoint> points = {point(1, "float", 1), point(1, "float", 2)};
  const TableModel table = pivot(layout({"STRIDE"}, {"T"}, {"bandwidth"}), points);
  BOOST_TEST(drawn(table) == "STRIDE | T = float \n1 | 2.000 ");
  BOOST_TEST(table.caption == "A configuration measured more than once shows its best.");
}

BOOST_AUTO_TEST_CASE(many_hidden_values_are_counted) {
  std::vector<StoredPoint> points;
  for (std::int64_t i = 1; i <= 9; ++i) points.push_back(in_one_cell(i, "bandwidth", 1));
  BOOST_TEST(pivot(layout({"STRIDE"}, {}, {"bandwidth"}), points).caption ==
             "Each cell: the best over BLOCK (9 values).");
}

BOOST_AUTO_TEST_CASE(several_hidden_parameters_are_all_named) {
  const std::vector<StoredPoint> points = {
      ok_point("copy", {{"A", integer(1)}, {"B", integer(1)}, {"C", integer(1)}}, bandwidth(1)),
      ok_point("copy", {{"A", integer(1)}, {"B", integer(2)}, {"C", integer(1)}}, bandwidth(1)),
      ok_point("read", {{"A", integer(1)}, {"D", integer(7)}}, bandwidth(1))};
  BOOST_TEST(pivot(layout({"A"}, {}, {"bandwidth"}), points).caption ==
             "Each cell: the best over pattern, B, C and D.");
}

BOOST_AUTO_TEST_CASE(a_cell_is_failed_only_when_all_of_its_points_are) {
  const std::vector<StoredPoint> points = {
      failed_point("stride", {{"STRIDE", integer(1)}, {"BLOCK", integer(1)}}, "x"),
      failed_point("stride", {{"STRIDE", integer(1)}, {"BLOCK", integer(2)}}, "x"),
      failed_point("stride", {{"STRIDE", integer(2)}, {"BLOCK", integer(1)}}, "x"),
      ok_point("stride", {{"STRIDE", integer(2)}, {"BLOCK", integer(2)}}, bandwidth(7)),
      ok_point("stride", {{"STRIDE", integer(3)}, {"BLOCK", integer(2)}}, {})};
  BOOST_TEST(drawn(pivot(layout({"STRIDE"}, {}, {"bandwidth"}), points)) ==
             "STRIDE | bandwidth [GB/s] \n1 | failed \n2 | 7.000 \n3 | - ");
}

BOOST_AUTO_TEST_CASE(the_first_metric_there_is_shown_with_its_origin) {
  const std::vector<StoredPoint> points = {
      ok_point("stride", {{"STRIDE", integer(1)}},
               {{"bandwidth", Origin::emulated, 1}, {"bandwidth", Origin::hardware, 2}}),
      ok_point("stride", {{"STRIDE", integer(2)}}, {{"bandwidth", Origin::emulated, 3}})};
  const TableModel table = pivot(layout({"STRIDE"}, {}, {"noise", "bandwidth"}), points);
  BOOST_TEST(drawn(table) ==
             "STRIDE | bandwidth [GB/s], hardware counter | bandwidth [GB/s], emulated \n"
             "1 | 2.000 | 1.000 \n2 | - | 3.000 ");
  BOOST_TEST(table.title == "bandwidth [GB/s], hardware counter and emulated by STRIDE");
}

BOOST_AUTO_TEST_CASE(the_hardwares_counts_have_the_emulated_ones_beside_them) {
  const auto counted = [](std::int64_t stride, const char* type, double value) {
    return ok_point(
        "stride", {{"STRIDE", integer(stride)}, {"T", element(type)}},
        {{"load_sectors", Origin::hardware, value}, {"load_sectors", Origin::emulated, value + 1}});
  };
  const std::vector<StoredPoint> points = {counted(1, "float", 4), counted(1, "double", 8)};
  BOOST_TEST(drawn(pivot(layout({"STRIDE"}, {"T"}, {"load_sectors"}), points)) ==
             "STRIDE | T = float hardware | T = float emulated | T = double hardware | "
             "T = double emulated \n1 | 4.000 | 5.000 | 8.000 | 9.000 ");
}

BOOST_AUTO_TEST_CASE(where_selects_points_and_stands_in_the_caption) {
  const std::vector<StoredPoint> points = {point(1, "float", 1), point(2, "float", 2),
                                           point(2, "double", 3)};
  const auto table =
      pivot(layout({"STRIDE"}, {"T"}, {"bandwidth"}, "STRIDE > 1 && T == float"), points);
  BOOST_TEST(drawn(table) == "STRIDE | T = float \n2 | 2.000 ");
  BOOST_TEST(table.caption == "Only points where STRIDE > 1 && T == float.");
  const auto titled =
      pivot(layout({"STRIDE"}, {"T"}, {"bandwidth"}, "STRIDE > 1", "My table"), points);
  BOOST_TEST(titled.title == "My table");
  BOOST_TEST(titled.caption == "bandwidth [GB/s], where STRIDE > 1.");
}

BOOST_AUTO_TEST_CASE(the_pattern_is_a_parameter_like_any_other) {
  const std::vector<StoredPoint> points = {
      ok_point("copy", {{"BLOCK", integer(1)}}, bandwidth(1)),
      ok_point("read", {{"BLOCK", integer(1)}}, bandwidth(2)),
      ok_point("write", {{"BLOCK", integer(1)}}, bandwidth(3))};
  BOOST_TEST(
      drawn(pivot(layout({"BLOCK"}, {"pattern"}, {"bandwidth"}, "pattern != 'read'"), points)) ==
      "BLOCK | pattern = copy | pattern = write \n1 | 1.000 | 3.000 ");
}

BOOST_AUTO_TEST_CASE(beside_the_pattern_a_parameter_may_be_missing) {
  const std::vector<StoredPoint> points = {
      ok_point("copy", {{"BLOCK", integer(1)}}, bandwidth(1)),
      ok_point("tile", {{"BLOCK", integer(1)}, {"PAD", integer(0)}}, bandwidth(2))};
  BOOST_TEST(drawn(pivot(layout({"pattern", "PAD"}, {}, {"bandwidth"}), points)) ==
             "pattern PAD | bandwidth [GB/s] \ncopy - | 1.000 \ntile 0 | 2.000 ");
  BOOST_TEST(drawn(pivot(layout({"PAD", "pattern"}, {}, {"bandwidth"}), points)) ==
             "PAD pattern | bandwidth [GB/s] \n0 tile | 2.000 \n- copy | 1.000 ");
  // As a column it is not.
  BOOST_TEST(drawn(pivot(layout({"pattern"}, {"PAD"}, {"bandwidth"}), points)) ==
             "pattern | PAD = 0 \ntile | 2.000 ");
}

BOOST_AUTO_TEST_CASE(a_point_that_lacks_a_name_is_not_in_the_table) {
  const std::vector<StoredPoint> points = {
      ok_point("copy", {{"BLOCK", integer(1)}}, bandwidth(1)),
      ok_point("tile", {{"BLOCK", integer(1)}, {"PAD", integer(0)}}, bandwidth(2))};
  const std::string only_tile = " | bandwidth [GB/s] \n1 | 2.000 ";
  BOOST_TEST(drawn(pivot(layout({"PAD"}, {}, {"bandwidth"}), points)) ==
             "PAD | bandwidth [GB/s] \n0 | 2.000 ");
  BOOST_TEST(drawn(pivot(layout({"BLOCK"}, {"PAD"}, {"bandwidth"}), points)) ==
             "BLOCK | PAD = 0 \n1 | 2.000 ");
  BOOST_TEST(drawn(pivot(layout({"BLOCK"}, {}, {"bandwidth"}, "PAD == 0"), points)) ==
             "BLOCK" + only_tile);
  // No value: the expression divides by zero.
  BOOST_TEST(drawn(pivot(layout({"BLOCK"}, {}, {"bandwidth"}, "BLOCK / PAD == 0"), points)) ==
             "BLOCK ");
}

BOOST_AUTO_TEST_CASE(a_table_without_points_says_so) {
  const TableModel table = pivot(layout({"STRIDE"}, {"T"}, {"bandwidth"}), {});
  BOOST_TEST(table.rows.empty());
  BOOST_TEST(table.headings.empty());
  BOOST_TEST(table.title == "bandwidth by STRIDE and T");
  BOOST_TEST(table.caption == "No point belongs to this table.");
}

BOOST_AUTO_TEST_CASE(a_table_without_points_is_of_no_metric) {
  const std::vector<StoredPoint> points = {point(1, "float", 1)};
  const TableModel table =
      pivot(layout({"STRIDE"}, {}, {"bandwidth", "load_sectors"}, "STRIDE > 1", "Large"), points);
  BOOST_TEST(table.title == "Large");
  BOOST_TEST(table.caption == "No point belongs to this table, where STRIDE > 1.");
  const TableModel untitled =
      pivot(layout({"STRIDE"}, {}, {"bandwidth", "load_sectors"}, "STRIDE > 1"), points);
  BOOST_TEST(untitled.title == "bandwidth or load_sectors by STRIDE");
}

BOOST_AUTO_TEST_CASE(a_table_of_a_metric_that_no_point_has_says_so) {
  const std::vector<StoredPoint> points = {point(1, "float", 1),
                                           failed_point("stride", {{"STRIDE", integer(2)}}, "x")};
  const TableModel table = pivot(layout({"STRIDE"}, {}, {"noise"}), points);
  BOOST_TEST(table.title == "noise [%] by STRIDE");
  BOOST_TEST(table.caption == "No point has noise: the device did not give it.");
  BOOST_TEST(table.rows.empty());
  BOOST_TEST(table.headings.empty());
  const TableModel titled =
      pivot(layout({"STRIDE"}, {}, {"noise", "time", "samples"}, "STRIDE > 0", "My table"), points);
  BOOST_TEST(titled.caption ==
             "noise [%], where STRIDE > 0. No point has noise, time or samples: the device did not "
             "give it.");
}

BOOST_AUTO_TEST_CASE(a_table_whose_points_all_failed_shows_that) {
  const std::vector<StoredPoint> points = {failed_point("stride", {{"STRIDE", integer(2)}}, "x")};
  const TableModel table = pivot(layout({"STRIDE"}, {}, {"noise"}), points);
  BOOST_TEST(drawn(table) == "STRIDE | noise [%] \n2 | failed ");
  BOOST_TEST(table.caption == "");
}

BOOST_AUTO_TEST_CASE(the_same_layout_serves_with_and_without_a_gpu) {
  const auto one = layout({"STRIDE"}, {}, {"bandwidth", "load_sectors_per_request"}, "", "Stride");
  const std::vector<Metric> counts = {{"load_sectors_per_request", Origin::emulated, 4}};
  std::vector<StoredPoint> points = {ok_point("stride", {{"STRIDE", integer(1)}}, counts)};
  BOOST_TEST(drawn(pivot(one, points)) ==
             "STRIDE | load_sectors_per_request, emulated \n1 | 4.000 ");
  BOOST_TEST(pivot(one, points).caption == "load_sectors_per_request, emulated.");
  points[0].point.metrics.insert(points[0].point.metrics.begin(), bandwidth(7).front());
  BOOST_TEST(drawn(pivot(one, points)) == "STRIDE | bandwidth [GB/s] \n1 | 7.000 ");
}

BOOST_AUTO_TEST_CASE(every_point_is_counted_in_exactly_one_cell) {
  check_property([] {
    const auto places = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 5), rc::gen::inRange(0, 5)));
    std::vector<StoredPoint> points;
    for (const auto& [a, b] : places) {
      points.push_back(
          ok_point("p", {{"A", integer(a)}, {"B", integer(b)}}, bandwidth(a * 10 + b)));
    }
    const TableModel table = pivot(layout({"A"}, {"B"}, {"bandwidth"}), points);
    const std::set<std::pair<int, int>> expected(places.begin(), places.end());
    std::size_t filled = 0;
    for (const TableModel::Row& row : table.rows) {
      RC_ASSERT(row.cells.size() == table.headings.size());
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if (row.cells[i].kind != Cell::Kind::figure) continue;
        ++filled;
        const int a = std::stoi(row.keys.at(0));
        const int b = std::stoi(table.headings[i].at(0).substr(4));
        RC_ASSERT(row.cells[i].low == a * 10 + b);
      }
    }
    RC_ASSERT(filled == expected.size());
  });
}

/// The cells of each row: "*" for a best one, "~" for one that is cut off, "-" for others.
std::string marks(const TableModel& table) {
  std::string marks;
  for (const TableModel::Row& row : table.rows) {
    for (const Cell& cell : row.cells) marks += cell.is_best ? '*' : cell.is_cut_off ? '~' : '-';
    marks += ' ';
  }
  return marks;
}

BOOST_AUTO_TEST_CASE(the_best_cells_of_the_table_are_marked) {
  const auto marks_of = [](const char* metric, std::vector<double> values) {
    std::vector<StoredPoint> points;
    for (std::size_t i = 0; i < values.size(); ++i) {
      points.push_back(ok_point("p",
                                {{"A", integer(static_cast<std::int64_t>(i / 2))},
                                 {"B", integer(static_cast<std::int64_t>(i % 2))}},
                                {{metric, Origin::measured, values[i]}}));
    }
    return marks(pivot(layout({"A"}, {"B"}, {metric}), points));
  };
  BOOST_TEST(marks_of("bandwidth", {1, 3, 2, 1}) == "-* -- ");
  BOOST_TEST(marks_of("time", {1, 3, 2, 1}) == "*- -* ");
  // Both read 100.0.
  BOOST_TEST(marks_of("time", {100.01, 100.02, 101, 102}) == "** -- ");
  BOOST_TEST(marks_of("time", {5, 5, 5, 5}) == "-- -- ");
  BOOST_TEST(marks_of("time", {5}) == "- ");
  BOOST_TEST(marks_of("samples", {1, 3, 2, 1}) == "-- -- ");
  BOOST_TEST(marks_of("time", {std::nan(""), 3, 2, 4}) == "-- *- ");
}

BOOST_AUTO_TEST_CASE(what_was_cut_off_is_marked_and_never_the_best) {
  std::vector<StoredPoint> points = {point(1, "float", 5), point(1, "double", 4),
                                     point(2, "float", 3), point(2, "double", 2)};
  points[0].point.stopped_by = "cut-off";
  const TableLayout by_stride = layout({"STRIDE"}, {"T"}, {"bandwidth"});
  BOOST_TEST(marks(pivot(by_stride, points)) == "~* -- ");
  // The figure shown is that of the whole one.
  points[1].point.stopped_by = "cut-off";
  points[0].point.stopped_by = "noise";
  BOOST_TEST(marks(pivot(layout({"STRIDE"}, {}, {"bandwidth"}), points)) == "* - ");
}

BOOST_AUTO_TEST_CASE(counts_of_a_cut_off_point_are_whole) {
  std::vector<StoredPoint> points = {
      ok_point("p", {{"A", integer(1)}}, {{"shared_conflicts", Origin::emulated, 8}}),
      ok_point("p", {{"A", integer(2)}}, {{"shared_conflicts", Origin::emulated, 4}})};
  for (StoredPoint& stored : points) stored.point.stopped_by = "cut-off";
  BOOST_TEST(marks(pivot(layout({"A"}, {}, {"shared_conflicts"}), points)) == "- * ");
}

BOOST_AUTO_TEST_CASE(hardware_and_emulator_have_a_best_each) {
  std::vector<StoredPoint> points;
  for (const std::int64_t a : {1, 2}) {
    const auto sectors = static_cast<double>(a);
    points.push_back(ok_point("p", {{"A", integer(a)}},
                              {{"shared_conflicts", Origin::hardware, sectors},
                               {"shared_conflicts", Origin::emulated, 3 - sectors}}));
  }
  BOOST_TEST(marks(pivot(layout({"A"}, {}, {"shared_conflicts"}), points)) == "*- -* ");
}

BOOST_AUTO_TEST_CASE(of_too_many_rows_and_columns_the_first_are_there) {
  const std::vector<StoredPoint> points = {point(1, "float", 1), point(2, "float", 2),
                                           point(4, "double", 4), point(8, "float", 3),
                                           point(8, "half", 5)};
  const TableModel table =
      pivot(layout({"STRIDE"}, {"T"}, {"bandwidth"}), points, std::nullopt, {3, 2});
  BOOST_TEST(drawn(table) ==
             "STRIDE | T = float | T = double \n"
             "1 | 1.000 | - \n"
             "2 | 2.000 | - \n"
             "4 | - | 4.000 ");
  BOOST_TEST(
      table.caption ==
      "Shown are the first 3 of 4 rows and the first 2 of 3 columns; the CSV has all points.");
  const bool any_is_best = std::ranges::any_of(table.rows, [](const TableModel::Row& row) {
    return std::ranges::any_of(row.cells, &Cell::is_best);
  });
  BOOST_TEST(!any_is_best);
}

BOOST_AUTO_TEST_CASE(a_search_says_which_figure_is_the_better_one) {
  std::vector<StoredPoint> points;
  for (const std::int64_t a : {1, 2}) {
    for (const std::int64_t block : {32, 64}) {
      points.push_back(
          ok_point("p", {{"A", integer(a)}, {"BLOCK", integer(block)}},
                   {{"instructions", Origin::emulated, static_cast<double>(a * 1000 + block)}}));
    }
  }
  const TableLayout by_a = layout({"A"}, {}, {"instructions"});
  BOOST_TEST(drawn(pivot(by_a, points)) ==
             "A | instructions, emulated \n1 | 1032..1064 \n2 | 2032..2064 ");
  const std::optional<TuningRecord> tuning =
      search_by("instructions", Origin::emulated, Better::lower);
  const TableModel table = pivot(by_a, points, tuning);
  BOOST_TEST(drawn(table) == "A | instructions, emulated \n1 | 1032 \n2 | 2032 ");
  BOOST_TEST(marks(table) == "* - ");
  BOOST_TEST(contains(table.caption, "Each cell: the best over BLOCK (32, 64)"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
