#include "report/terminal_table.h"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "report/display_text.h"
#include "tests/rapidcheck_case.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
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

BOOST_AUTO_TEST_SUITE(terminal)

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
    std::istringstream lines(write_terminal(results, width, false));
    for (std::string line; std::getline(lines, line);) {
      RC_ASSERT(display_width(line) <= width);
      RC_ASSERT(!line.ends_with(' '));
    }
  });
}

BOOST_AUTO_TEST_CASE(tables_without_rows_are_their_captions) {
  RunResults results;
  results.layout.tables = {layout({"A"}, {"B"}, {"time"})};
  BOOST_TEST(write_terminal(results, 80, false) ==
             "time by A and B\nNo point belongs to this table.\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
