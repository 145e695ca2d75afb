#include "report/display_text.h"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/rapidcheck_case.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(display_text)

namespace {

BOOST_DATA_TEST_CASE(width_counts_columns,
                     data::make({"", "abc", "é", "–", "µs", "日本"}) ^
                         data::make({0, 3, 1, 1, 2, 4}),
                     text, expected) {
  BOOST_TEST(columns_of(text) == static_cast<std::size_t>(expected));
}

BOOST_AUTO_TEST_CASE(padding_fills_up_to_the_width) {
  BOOST_TEST(pad_left("µs", 4) == "  µs");
  BOOST_TEST(pad_right("µs", 4) == "µs  ");
  BOOST_TEST(pad_left("longer", 4) == "longer");
  BOOST_TEST(pad_right("longer", 4) == "longer");
}

BOOST_AUTO_TEST_CASE(what_is_cut_ends_with_a_whole_character) {
  BOOST_TEST(cut_to_width("ab日本", 6, true) == "ab日本");
  BOOST_TEST(cut_to_width("ab日本", 5, true) == "ab日…");
  BOOST_TEST(cut_to_width("ab日本", 4, true) == "ab…");
  BOOST_TEST(cut_to_width("ab日本", 5, false) == "ab...");
}

BOOST_AUTO_TEST_CASE(control_characters_are_made_visible) {
  BOOST_TEST(printable("a\x1b[31m\r\nb\x7f\t") == "a?[31m??b?\t");
  BOOST_TEST(printable("é –") == "é –");
}

BOOST_AUTO_TEST_CASE(parts_are_joined_in_words) {
  BOOST_TEST(in_words({}) == "");
  BOOST_TEST(in_words({"a"}) == "a");
  BOOST_TEST(in_words({"a", "b"}) == "a and b");
  BOOST_TEST(in_words({"a", "b", "c"}) == "a, b and c");
}

BOOST_AUTO_TEST_CASE(lines_are_broken_at_spaces) {
  using Lines = std::vector<std::string>;
  BOOST_TEST(wrap("", 10) == Lines{}, boost::test_tools::per_element());
  BOOST_TEST(wrap("one two three", 20) == (Lines{"one two three"}),
             boost::test_tools::per_element());
  BOOST_TEST(wrap("one two three", 7) == (Lines{"one two", "three"}),
             boost::test_tools::per_element());
  BOOST_TEST(wrap("a very-long-word b", 5) == (Lines{"a", "very-long-word", "b"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(wrapping_keeps_every_word) {
  check_property([] {
    const auto words = *rc::gen::container<std::vector<std::string>>(
        rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))));
    const auto width = *rc::gen::inRange<std::size_t>(0, 30);
    std::string text;
    for (const std::string& each : words) text += (text.empty() ? "" : " ") + each;
    std::string joined;
    for (const std::string& line : wrap(text, width)) {
      RC_ASSERT(line.size() <= width || line.find(' ') == std::string::npos);
      joined += (joined.empty() ? "" : " ") + line;
    }
    RC_ASSERT(joined == text);
  });
}

BOOST_AUTO_TEST_CASE(a_figures_fraction_begins_at_its_point) {
  BOOST_TEST(fraction_of("12.35") == ".35");
  BOOST_TEST(fraction_of("~0.5012") == ".5012");
  BOOST_TEST(fraction_of("4254") == "");
}

BOOST_AUTO_TEST_CASE(totals_stay_within_what_can_be_counted) {
  BOOST_TEST(format_total(8388608) == "8,388,608");
  BOOST_TEST(format_total(-1) == "0");
  BOOST_TEST(format_total(std::nan("")) == "0");
  BOOST_TEST(format_total(1e300) == "1,000,000,000,000,000,000");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
