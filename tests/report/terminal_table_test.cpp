#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <sstream>

#include "report/display_text.h"
#include "report/document.h"
#include "report/run_report.h"
#include "tests/contains.h"
#include "tests/rapidcheck_case.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(terminal)

namespace {

Cell figure(double value) {
  return {Cell::Kind::figure, value, value};
}

TableModel example() {
  TableModel table;
  table.title = "A title";
  table.caption = "A caption of some words.";
  table.key_columns = {{"STRIDE", true}, {"T", false}};
  table.headings = {{"bandwidth"}, {"time"}};
  table.rows = {{{"1", "float"}, {figure(2738), figure(0.5)}},
                {{"32", "double"}, {figure(99.125), {Cell::Kind::failed, 0, 0}}},
                {{"4", "µ"}, {Cell{}, {Cell::Kind::range, 1, 12.5}}}};
  return table;
}

std::string without_escapes(std::string text) {
  for (std::size_t begin = text.find('\x1b'); begin != std::string::npos;
       begin = text.find('\x1b')) {
    text.erase(begin, text.find('m', begin) - begin + 1);
  }
  return text;
}

BOOST_AUTO_TEST_CASE(figures_are_aligned_on_the_decimal_point) {
  BOOST_TEST(terminal_table(example(), 80, false) ==
             "A title\n"
             "A caption of some words.\n"
             "\n"
             "STRIDE  T       bandwidth         time\n"
             "     1  float     2738          0.5000\n"
             "    32  double      99.12       failed\n"
             "     4  µ               -  1.000-12.50\n");
}

BOOST_AUTO_TEST_CASE(rows_that_read_alike_are_one) {
  TableModel table;
  table.key_columns = {{"T", false}, {"STRIDE", true}};
  table.headings = {{"sectors"}};
  const auto add = [&](const char* type, const char* stride, double value) {
    table.rows.push_back({{type, stride}, {figure(value)}});
  };
  add("float", "1", 4);
  for (const char* stride : {"8", "9", "16"}) add("float", stride, 32);
  add("double", "4", 32);
  add("double", "8", 32);
  BOOST_TEST(terminal_table(table, 80, false) ==
             "T        STRIDE  sectors\n"
             "float         1    4.000\n"
             "float   8 to 16   32.00\n"
             "double        4   32.00\n"
             "double        8   32.00\n");
}

BOOST_AUTO_TEST_CASE(what_is_too_wide_continues_below) {
  BOOST_TEST(terminal_table(example(), 25, false) ==
             "A title\n"
             "A caption of some words.\n"
             "\n"
             "STRIDE  T       bandwidth\n"
             "     1  float     2738\n"
             "    32  double      99.12\n"
             "     4  µ               -\n"
             "\n"
             "STRIDE  T              time\n"
             "     1  float        0.5000\n"
             "    32  double       failed\n"
             "     4  µ       1.000-12.50\n");
}

/// Of so many rows; the one in the middle is the best.
TableModel long_table(std::size_t rows) {
  TableModel table;
  table.title = "A title";
  table.key_columns = {{"STRIDE", true}};
  table.headings = {{"bandwidth"}};
  for (std::size_t i = 1; i <= rows; ++i) {
    table.rows.push_back({{std::to_string(i)}, {figure(static_cast<double>(1000 + i))}});
  }
  table.rows[rows / 2].cells.front().is_best = true;
  return table;
}

BOOST_AUTO_TEST_CASE(what_is_longer_than_the_screen_shows_its_first_best_and_last_rows) {
  BOOST_TEST(terminal_table(long_table(20), 80, false, Drawing::plain, {12, "results/x.md"}) ==
             "A title\n"
             "\n"
             "STRIDE  bandwidth\n"
             "     1       1001\n"
             "     2       1002\n"
             "... 8 rows\n"
             "    11       1011\n"
             "... 7 rows\n"
             "    19       1019\n"
             "    20       1020\n"
             "15 of 20 rows are left out; all of them: results/x.md\n");
}

BOOST_AUTO_TEST_CASE(what_fits_on_the_screen_is_whole) {
  const std::string whole = terminal_table(long_table(20), 80, false);
  // A line below is the prompt's.
  BOOST_TEST(terminal_table(long_table(20), 80, false, Drawing::plain, {24, "x.md"}) == whole);
  const std::string cut = terminal_table(long_table(20), 80, false, Drawing::plain, {23, "x.md"});
  BOOST_TEST(cut != whole);
  BOOST_TEST(std::ranges::count(cut, '\n') <= 22);
}

BOOST_AUTO_TEST_CASE(a_screen_of_few_lines_still_has_some_rows) {
  const std::string text = terminal_table(long_table(300), 80, false, Drawing::plain, {3, "x.md"});
  BOOST_TEST(contains(text, "   151"));
  BOOST_TEST(contains(text, "295 of 300 rows are left out"));
}

BOOST_AUTO_TEST_CASE(each_part_of_a_wide_table_is_an_excerpt) {
  TableModel table = long_table(40);
  table.headings.push_back({"time"});
  for (TableModel::Row& row : table.rows) row.cells.push_back(figure(1));
  const std::string text = terminal_table(table, 20, false, Drawing::plain, {30, "x.md"});
  BOOST_TEST(std::ranges::count(text, '\n') <= 29);
  BOOST_TEST(contains(text, "time"));
  BOOST_TEST(contains(text, "    40"));
}

BOOST_AUTO_TEST_CASE(colour_changes_nothing_else) {
  const std::string plain = terminal_table(example(), 80, false);
  const std::string colored = terminal_table(example(), 80, true);
  BOOST_TEST(colored.find("\x1b[31m     failed\x1b[0m") != std::string::npos);
  BOOST_TEST(without_escapes(colored) == plain);
}

BOOST_AUTO_TEST_CASE(names_cannot_steer_the_terminal) {
  TableModel table = example();
  table.title = "\x1b]0;x\x07";
  table.key_columns[0].name = "\x1b[2J";
  table.rows[0].keys[1] = "\r\n";
  const std::string text = terminal_table(table, 80, false);
  BOOST_TEST(text.find('\x1b') == std::string::npos);
  BOOST_TEST(text.find('\r') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(lines_fit_into_the_width_when_two_columns_do) {
  check_property([] {
    const auto width = *rc::gen::inRange<std::size_t>(45, 120);
    RunResults results = stride_results();
    if (*rc::gen::arbitrary<bool>()) results.layout = {};
    const auto drawing = *rc::gen::element(Drawing::plain, Drawing::ascii, Drawing::unicode);
    std::istringstream lines(write_terminal(results, width, false, drawing));
    for (std::string line; std::getline(lines, line);) {
      RC_ASSERT(columns_of(line) <= width);
      RC_ASSERT(!line.ends_with(' '));
    }
  });
}

TableModel one_column() {
  TableModel table;
  table.key_columns = {{"STRIDE", true}};
  table.headings = {{"bandwidth"}};
  table.rows = {{{"1"}, {figure(2000)}}, {{"2"}, {figure(1000)}}, {{"4"}, {Cell{}}}};
  return table;
}

BOOST_AUTO_TEST_CASE(a_column_alone_has_bars_where_there_is_place) {
  BOOST_TEST(terminal_table(one_column(), 30, false, Drawing::unicode) ==
             "STRIDE  bandwidth\n"
             "     1       2000  ███████████\n"
             "     2       1000  █████▌\n"
             "     4          -\n");
  BOOST_TEST(contains(terminal_table(one_column(), 30, false, Drawing::ascii),
                      "     1       2000  ###########\n"));
  const std::string plain = terminal_table(one_column(), 120, false);
  BOOST_TEST(plain == terminal_table(one_column(), 25, false, Drawing::unicode));
  TableModel negative = one_column();
  negative.rows[0].cells[0].low = -1;
  BOOST_TEST(!contains(terminal_table(negative, 80, false, Drawing::ascii), "#"));
}

BOOST_AUTO_TEST_CASE(columns_over_numbers_have_their_course_below) {
  TableModel table;
  table.key_columns = {{"STRIDE", true}};
  table.headings = {{"float"}, {"double"}};
  for (int i = 0; i < 4; ++i) {
    table.rows.push_back({{std::to_string(1 << i)}, {figure(8 >> i), figure(i + 1)}});
  }
  const std::string text = terminal_table(table, 80, false, Drawing::unicode);
  BOOST_TEST(text.ends_with("     8  1.000   4.000\n         █▄▂▁    ▂▄▆█\n"), text);
  BOOST_TEST(!contains(terminal_table(table, 80, false, Drawing::ascii), "▂"));
  table.key_columns[0].numeric = false;
  BOOST_TEST(!contains(terminal_table(table, 80, false, Drawing::unicode), "▂"));
}

BOOST_AUTO_TEST_CASE(keys_that_leave_no_place_are_cut_in_a_terminal) {
  TableModel table = one_column();
  table.key_columns = {{"pattern", false}};
  table.rows[0].keys = {"a_pattern_of_a_very_long_name"};
  BOOST_TEST(
      contains(terminal_table(table, 25, false, Drawing::unicode), "a_pattern_of_…       2000\n"));
  BOOST_TEST(
      contains(terminal_table(table, 25, false, Drawing::ascii), "a_pattern_o...       2000\n"));
  BOOST_TEST(contains(terminal_table(table, 25, false), "a_pattern_of_a_very_long_name"));
}

BOOST_AUTO_TEST_CASE(headings_are_broken_where_the_table_is_too_wide) {
  TableModel table;
  table.key_columns = {{"STRIDE", true}};
  table.headings = {{"load_sectors_per_request, emulated"}, {"bandwidth"}};
  table.rows = {{{"1"}, {figure(4), figure(2000)}}};
  BOOST_TEST(terminal_table(table, 40, false, Drawing::ascii) ==
             "           load_\n"
             "        sectors_\n"
             "            per_\n"
             "        request,\n"
             "STRIDE  emulated  bandwidth\n"
             "     1     4.000       2000\n");
  BOOST_TEST(contains(terminal_table(table, 60, false, Drawing::ascii),
                      "STRIDE  load_sectors_per_request, emulated  bandwidth\n"));
}

BOOST_AUTO_TEST_CASE(tables_without_rows_are_their_captions) {
  RunResults results;
  results.layout.tables = {layout({"A"}, {"B"}, {"time"})};
  BOOST_TEST(write_terminal(results, 80, false) ==
             "time by A and B\nNo point belongs to this table.\n");
}

BOOST_AUTO_TEST_CASE(figures_of_a_few_samples_have_their_mark) {
  TableModel table = example();
  table.caption.clear();
  table.rows[0].cells[0].is_cut_off = true;
  const std::string text = terminal_table(table, 80, false);
  BOOST_TEST(contains(text, "~ stands before what a few samples say"), text);
  BOOST_TEST(contains(text, "     1  float    ~2738          0.5000\n"), text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
